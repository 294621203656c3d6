"""Runs the features: each through the wordings of all worlds, and the step module of its name if it has one."""

import sys
from importlib import import_module

import pytest

from steps.worlds import MODULES

pytest.register_assert_rewrite(*({"steps.shared", "steps.implementation", *MODULES} - sys.modules.keys()))

from steps.verdicts import (  # noqa: E402  what is imported first could not be rewritten
    pytest_sessionfinish,  # noqa: F401
    pytest_terminal_summary,  # noqa: F401
    version_at_the_start,
)

version_at_the_start()

from steps.collector import (  # noqa: E402
    pytest_bdd_step_error,  # noqa: F401
    pytest_collect_file,  # noqa: F401
)
from steps.implementation import *  # noqa: E402, F403
from steps.shared import *  # noqa: E402, F403

for _module in map(import_module, MODULES):
    globals().update({name: one for name, one in vars(_module).items() if not name.startswith("_")})
