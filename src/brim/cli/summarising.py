"""Who writes the summary for `brim compact`: the template, or a model that is asked with the key of the environment."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any

from brim.cli.limits import WrongUsage
from brim.cli.outcome import Request
from brim.cli.settings import is_set
from brim.compaction.policy import CompactionPolicy
from brim.engine.compactor import Compactor
from brim.errors import Refused

WRITERS = ("template", "anthropic")


def require_writer(summarizer: str, for_model: Mapping[str, str | None]) -> None:
    """Whether the options about the summary fit together. Raises WrongUsage that says what would."""
    if summarizer not in WRITERS:
        raise WrongUsage(f"--summarizer is {summarizer!r}; it is one of: {', '.join(WRITERS)}")
    told = [name for name, text in for_model.items() if text is not None]
    if summarizer == "template" and told:
        option = told[0].replace("_", "-")
        raise WrongUsage(f"--{option} is for a model that writes the summary: add --summarizer anthropic")


def compactor_of(request: Request, model: str | None) -> Compactor:
    """The compactor that the options ask for."""
    with warnings.catch_warnings(action="ignore", category=DeprecationWarning):  # the page says so
        return _compactor(request, model)


def _compactor(request: Request, model: str | None) -> Compactor:
    if request.summarizer == "template":
        return Compactor(policy=policy_of(request))
    if not (request.settings.policy.summary_model or model):
        raise Refused("the transcript names no model: say which one writes the summary, with --summary-model")
    return Compactor(_client(), model, policy=policy_of(request))


def policy_of(request: Request) -> CompactionPolicy:
    """The policy that is set; the fallback for a model's summary is an error by default, since it was asked for."""
    policy = request.settings.policy
    if request.summarizer == "template" or is_set(request.settings, "on_failure"):
        return policy
    return policy.model_copy(update={"on_failure": "raise"})


def _client() -> Any:
    from anthropic import Anthropic

    return Anthropic()
