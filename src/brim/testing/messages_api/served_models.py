"""Served models: which models the server knows, and how much each can hold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from brim.testing.messages_api.exchange import ApiError


@dataclass(frozen=True, slots=True)
class ServedModel:
    """A model of the server."""

    context_window: int
    """Tokens that a request may hold."""
    max_tokens: int
    """The most that `max_tokens` may ask for."""
    prefill: bool = False
    """Whether a request may end with the beginning of the answer; current models refuse it."""


DEFAULT_MODELS: Final[Mapping[str, ServedModel]] = {
    "claude-opus-5-5": ServedModel(200_000, 64_000),
    "claude-sonnet-5-5": ServedModel(200_000, 64_000),
}


def served_models(models: Mapping[str, ServedModel | tuple[int, int]] | None) -> dict[str, ServedModel]:
    """Models by name; a pair of numbers stands for a window and a longest answer."""
    served = DEFAULT_MODELS if models is None else models
    return {name: model if isinstance(model, ServedModel) else ServedModel(*model) for name, model in served.items()}


def find_model(models: Mapping[str, ServedModel], name: str) -> ServedModel:
    """The model of a name. Raises the API's 404 for an unknown one."""
    if name not in models:
        raise ApiError(404, "not_found_error", f"model: {name}")
    return models[name]


def model_info(name: str, model: ServedModel) -> dict[str, Any]:
    """A model as the API's list of models describes it."""
    return {
        "type": "model",
        "id": name,
        "display_name": name.replace("-", " ").title(),
        "created_at": "2026-01-01T00:00:00Z",
        "lifecycle": "active",
        "line": next((line for line in ("haiku", "sonnet", "opus") if line in name), None),
        "max_input_tokens": model.context_window,
        "max_tokens": model.max_tokens,
        "capabilities": None,
        "deprecated_at": None,
        "retires_at": None,
    }


def model_list(models: Mapping[str, ServedModel]) -> dict[str, Any]:
    """All models, on one page."""
    names = list(models)
    page = {"first_id": names[0] if names else None, "last_id": names[-1] if names else None, "has_more": False}
    return {"data": [model_info(name, models[name]) for name in names], **page}
