"""Settings: a policy becomes the engine's settings, with the switches of the environment.

Specified by features/engine/settings.feature (SET_01, TRG_06, PRN_08).
"""

from __future__ import annotations

from collections.abc import Mapping

from brim.compaction.policy import CompactionPolicy
from brim.pruning.tool_outputs import pruning_disabled
from brim.trigger.overflow import autocompact_disabled


def with_switches(policy: CompactionPolicy, environ: Mapping[str, str]) -> CompactionPolicy:
    """Return the policy with what the environment switches off; the same object where it switches nothing off."""
    off = {
        "enabled": policy.enabled and autocompact_disabled(environ),
        "prune": policy.prune and pruning_disabled(environ),
    }
    changed = {name: False for name, switched in off.items() if switched}
    return policy.model_copy(update=changed) if changed else policy
