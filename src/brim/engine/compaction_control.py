"""The compaction control that the SDK's tool runner had: `compaction_control={...}`, as it was, without its faults.

Specified by features/engine/compaction_control.feature (CMP_11).
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Mapping
from typing import Any

from brim.compaction.policy import OnFailure
from brim.engine.control.control_settings import DEFAULT_THRESHOLD, CompactionControl, Listening, read_control
from brim.engine.control.controlled_run import ControlledRun
from brim.engine.control.controlled_runners import AsyncControlledToolRunner, ControlledToolRunner
from brim.models import ModelLimits
from brim.trigger.overflow import autocompact_disabled

__all__ = [
    "DEFAULT_THRESHOLD",
    "AsyncControlledToolRunner",
    "CompactionControl",
    "ControlledToolRunner",
    "tool_runner",
]


def tool_runner(
    client: Any,
    *,
    compaction_control: Mapping[str, Any] | None = None,
    on_failure: OnFailure = "template",
    on_event: Listening = None,
    limits: ModelLimits | None = None,
    sleep: Callable[[float], Any] | None = None,
    **arguments: Any,
) -> Any:
    """In place of `client.beta.messages.tool_runner`, with its arguments: a runner that summarises its own history.

    After an answer whose tokens reach the threshold, once its tools were run, the whole history is replaced by one user
    message with the summary. Without a control, with one that is off, or where compaction is off
    altogether (TRG_06), it is the SDK's own runner.

    Args:
        client: a client of the SDK; an async one gives an async runner.
        compaction_control: as the SDK's runner took it.
        on_failure: what stands for the history where no attempt gives a summary; with `raise` it stays as it is, the
            error is raised, and whoever iterates again goes on without a compaction (SUM_06).
        on_event: told every event of a compaction (CMP_06).
        limits: what the model can hold, where the history may be longer than that.
        sleep: waits for a number of seconds, between attempts.
        arguments: those of the SDK's runner.

    Raises InvalidInput, Refused; while it runs CompactionStalled, and under `raise` why there is no summary.
    """
    if compaction_control is None:
        return client.beta.messages.tool_runner(**arguments)
    added = {"on_failure": on_failure, "on_event": on_event, "limits": limits, "sleep": sleep}
    control = read_control(compaction_control, **added)
    if not compaction_control["enabled"] or autocompact_disabled(os.environ):
        return client.beta.messages.tool_runner(**arguments)
    run = ControlledRun(client, control, arguments)
    asynchronous = inspect.iscoroutinefunction(getattr(client, "close", None))
    return AsyncControlledToolRunner(run) if asynchronous else ControlledToolRunner(run)
