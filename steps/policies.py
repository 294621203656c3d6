"""The settings that the steps of a scenario collect, with those of a policy as a CompactionPolicy."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from brim.compaction.policy import CompactionPolicy

SMALL_TARGET = CompactionPolicy(keep_share=1, keep_tokens=1_666)
"""A policy that keeps up to 1,666 tokens, however little the conversation holds."""
NAMES = {"share": "proactive_share", "basis": "share_basis"}
"""Settings that have another name in the portable operations."""


def with_policy(settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings as keyword arguments of a window or a compactor."""
    named = {NAMES.get(name, name): value for name, value in settings.items()}
    if named.pop("disabled", False):
        named["enabled"] = False
    if threshold := named.pop("user_threshold", None):
        named["threshold"] = threshold.get("tokens") or f"{threshold['percent']}%"
    fields = {name: named.pop(name) for name in [*named] if name in CompactionPolicy.model_fields}
    return {**named, "policy": CompactionPolicy(**fields)}
