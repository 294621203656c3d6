"""Hypothesis judges what is drawn, not how fast the machine is; in CI it draws the same every time."""

import os

from hypothesis import HealthCheck, settings

settings.register_profile("unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("unhurried"), derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") == "true" else "unhurried")
