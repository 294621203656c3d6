"""Hooks of Claude Code and Codex: what they are given, what brim answers, and the files that name them."""
