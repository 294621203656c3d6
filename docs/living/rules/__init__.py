"""The rulebook on the site: rooms, features, rules, examples and their verdicts."""
