"""Replay: a real transcript under other policies, and how well the model behind it predicts what the file records."""

from brim.replay.check import Check, check

__all__ = ["Check", "check"]
