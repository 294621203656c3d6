"""Conformance: a kit that judges any compactor by the failures that were met in the field.

`pytest --pyargs brim.testing.conformance --compactor module:callable` judges a function, and
`--base-url URL --upstream-port PORT` a proxy. The function is called as
`compact(messages, *, summarize=None, window=None, pinned=(), system=None, tools=())`, with those keywords that its
signature accepts, and returns a list of messages; one that equals the input means that it refused.

`window` is in tokens of four characters, `pinned` the indices of messages that stay word for word. `summarize` takes
the messages of a request and returns the content blocks of the model's answer. Messages are those of the Messages API.

This module is a plugin of pytest that does nothing in any other run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


class SummarizerFailed(Exception):
    """The model could not be asked for a summary."""


class PromptTooLong(SummarizerFailed):
    """The messages do not fit into the window of the model that was to summarize them."""


def pytest_load_initial_conftests(early_config: pytest.Config, args: Sequence[str]) -> None:
    """Add the options of the kit to a run of it: those of a package's conftest would come too late for `--pyargs`."""
    if "--pyargs" in args and any(one.startswith(__name__) for one in args):
        early_config.pluginmanager.import_plugin(f"{__name__}.kit")
