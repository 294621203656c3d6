"""Steps that more than one feature uses."""

from __future__ import annotations

from typing import Any

import pytest
from pytest_bdd import given

from steps.checkpointed_projects import *  # noqa: F403  the projects that features of checkpoints share
from steps.clock import *  # noqa: F403  the clock that features of sessions share
from steps.command_line import *  # noqa: F403  the command that features of it share
from steps.compaction_windows import *  # noqa: F403  the windows that features of compaction share
from steps.compactors import *  # noqa: F403  the compactors that features of summaries and of the engine share
from steps.imported_fields import *  # noqa: F403  the fields of an imported session
from steps.memory_files import *  # noqa: F403  the memory files that the command shows
from steps.recorded_sessions import *  # noqa: F403  the sessions that features of replay share
from steps.replayed_sessions import *  # noqa: F403  what becomes of them
from steps.session_acts import *  # noqa: F403  the acts on a session that they share
from steps.stored_sessions import *  # noqa: F403  the stores that features of sessions share
from steps.vocabulary import phrase


@pytest.fixture
def settings() -> dict[str, Any]:
    """What was set besides the model's limits; nothing, until a step sets it."""
    return {}


@given(phrase('the environment variable "{variable:Quoted}" is "{value:Quoted}"'))
def set_variable(monkeypatch, variable, value):
    monkeypatch.setenv(variable, value)
