"""Replay: a real transcript under other policies, and how well the model behind it predicts what the file records."""

from brim.replay.check import Check, check
from brim.replay.comparison import COMPARED, Replay, candidates, replay
from brim.replay.simulation import Candidate, Outcome

__all__ = ["COMPARED", "Candidate", "Check", "Outcome", "Replay", "candidates", "check", "replay"]
