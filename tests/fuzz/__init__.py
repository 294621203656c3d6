"""Coverage-guided fuzzing: each file gives `seeds()`, and `once(data)`, which raises where something is wrong."""
