"""Charts, where looking beats reading: `{chart} thresholds` shows one, with its numbers below it."""

from living.charts.directive import setup

__all__ = ["setup"]
