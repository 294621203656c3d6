"""Replay: a real transcript under other policies, and how well the model behind it predicts what the file records."""

from brim.replay.check import Check, check
from brim.replay.comparison import COMPARED, Replay, candidates, replay
from brim.replay.simulation import Candidate, ReplayOutcome

__all__ = ["COMPARED", "Candidate", "Check", "Replay", "ReplayOutcome", "candidates", "check", "replay"]
