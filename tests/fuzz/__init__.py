"""Coverage-guided fuzzing: each file gives `seeds()`, and `once(data)`, which raises where something is wrong."""

TARGETS = ("transcripts", "log", "shell", "proxy")
SEPARATOR = b"\x1e"
"""Between the parts of an input that has several."""
