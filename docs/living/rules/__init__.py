"""The rulebook on the site: packages, features, rules, examples and their verdicts."""
