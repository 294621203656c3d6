"""Who writes the summary for `brim compact`: the template, or a model that is asked with the key of the environment."""

from __future__ import annotations

import warnings
from typing import Any

from brim.cli.limits import WrongUsage
from brim.cli.outcome import Request
from brim.compaction.policy import CompactionPolicy
from brim.engine.compactor import Compactor
from brim.errors import Refused

WRITERS = ("template", "anthropic")


def require_writer(request: Request) -> None:
    """Whether the options about the summary fit together. Raises WrongUsage that says what would."""
    if request.summarizer not in WRITERS:
        raise WrongUsage(f"--summarizer is {request.summarizer!r}; it is one of: {', '.join(WRITERS)}")
    told = [option for option, value in _only_for_a_model(request) if value is not None]
    if request.summarizer == "template" and told:
        raise WrongUsage(f"{told[0]} is for a model that writes the summary: add --summarizer anthropic")


def _only_for_a_model(request: Request) -> tuple[tuple[str, str | None], ...]:
    return ("--focus", request.focus), ("--summary-model", request.summary_model)


def compactor_of(request: Request, model: str | None) -> Compactor:
    """The compactor that the options ask for."""
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # the page says so
        return _compactor(request, model)


def _compactor(request: Request, model: str | None) -> Compactor:
    if request.summarizer == "template":
        return Compactor(policy=policy_of(request))
    writer = request.summary_model or model
    if not writer:
        raise Refused("the transcript names no model: say which one writes the summary, with --summary-model")
    return Compactor(_client(), model, policy=policy_of(request))


def policy_of(request: Request) -> CompactionPolicy:
    """The policy that the options state; a model's summary that cannot be had is an error, since it was asked for."""
    return CompactionPolicy(
        profile=request.profile,
        summary_model=request.summary_model or "",
        focus=request.focus,
        on_failure="template" if request.summarizer == "template" else "raise",
    )


def _client() -> Any:
    from anthropic import Anthropic

    return Anthropic()
