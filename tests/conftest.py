"""Hypothesis draws the same cases in every run; `make nightly` explores, and prints each failing case to add."""

from hypothesis import HealthCheck, settings
from hypothesis.database import DirectoryBasedExampleDatabase
from hypothesis.internal.conjecture import providers

from steps.prerequisites import sized

settings.register_profile(
    "same", deadline=None, derandomize=True, max_examples=25, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile(
    "exploring",
    settings.get_profile("same"),
    derandomize=False,
    max_examples=300,
    print_blob=True,
    database=DirectoryBasedExampleDatabase(".hypothesis/examples"),
)
settings.load_profile(sized("same", nightly="exploring"))

if settings.get_current_profile_name() == "same":
    # Hypothesis also draws constants of the modules imported so far, which are others in another worker.
    providers._get_local_constants = providers.Constants
