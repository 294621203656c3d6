"""What becomes of a recorded session: it is checked, or replayed under policies, and the result is in columns."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from pytest_bdd import parsers, when

from brim.compaction.policy import CompactionPolicy
from brim.errors import BrimError
from brim.models import ModelLimits
from brim.replay import candidates, check, replay
from brim.transcripts import read_transcript
from steps.vocabulary import tokens

FIGURES = ("requests", "sent", "cache_read", "cache_written", "output", "cost", "costs")


def limits_of(window: str | None, answer: str | None = None) -> ModelLimits | None:
    """Return the limits of a window, 200,000 tokens unless it says another; None for one that is unknown."""
    if window == "unknown":
        return None
    size = tokens(window or "200,000")
    return ModelLimits(context_window=size, max_output_tokens=tokens(answer or "0") or min(size, 32_000))


@when(parsers.re(r"it is checked(?: in a window of (?P<window>unknown|[\d,]+) tokens)?"), target_fixture="outcome")
def check_session(file, window):
    found = check(read_transcript(file), limits_of(window))
    assert found.passed == (not found.missed and not found.early)
    columns: dict[str, Any] = {"profile": found.profile, "missed": found.missed, "early": found.early}
    for name, made in (("predicted", found.predicted), ("recorded", found.recorded), ("cleared", found.cleared)):
        columns |= {f"{name}_after": [one.response for one in made], f"{name}_at": [one.held for one in made]}
    columns |= {"threshold": found.threshold, "unjudged": found.unjudged}
    columns["asked_by"] = [one.trigger for one in found.recorded]
    columns["cleared_by"] = [one.trigger for one in found.cleared]
    columns["measured"] = [one.measured for one in found.recorded]
    columns["read_after_it"] = [one.after for one in found.recorded]
    return columns | {"notes": found.notes}


@when(
    parsers.re(
        r"it is replayed under (?P<names>[\w,.-]*\w(?: and [\w,.-]*\w)*|all policies)"
        r"(?:, in a window of (?P<window>unknown|[\d,]+) tokens(?: with answers of (?P<answer>[\d,]+))?)?"
        r"(?:, with summaries of (?P<size>[\d,]+))?"
    ),
    target_fixture="outcome",
)
def replay_session(file, names, window, answer, size):
    named = [] if names == "all policies" else names.split(" and ")
    own = {
        name: CompactionPolicy(threshold=tokens(name), keep_tokens=25_000, summary_share=Decimal("0.1"))
        for name in named
        if name[0].isdigit()
    }
    chosen = candidates([name for name in named if name not in own], own)
    chosen.sort(key=lambda one: named.index(one.name) if named else 0)
    try:
        made = replay(
            read_transcript(file), limits_of(window, answer), chosen, summary_tokens=tokens(size) if size else None
        ).answer()
    except BrimError as error:
        return error
    return columns_of(made)


def columns_of(answer: dict[str, Any]) -> dict[str, Any]:
    """Return what a replay answers by the columns of a result: of the first policy, unless they name another."""
    policies, advice = answer["policies"], answer["recommendation"]
    first, recorded = policies[0], answer["recorded"]
    assert advice["sentence"].startswith(advice["policy"] or "Nothing to choose between: ")
    columns = {
        **{name: answer[name] for name in ("system_tokens", "summary_tokens")},
        "assumption": "; ".join(answer["assumptions"]),
        "note": "; ".join(answer["notes"]),
        "recommendation": advice["sentence"],
        "policies": [one["name"] for one in policies],
        "baselines": [one["name"] for one in policies if one["baseline"]],
        "refusals": [one["refusal"] for one in policies if one["refusal"]],
        "recorded_windows": recorded["windows"],
        "recorded_facts_present": recorded["facts"] and recorded["facts"]["kept"],
        **{f"recorded_{name}": recorded[name] for name in FIGURES},
        **{f"sub-agent_{name}": one for name, one in (answer["sub_agents"] or {}).items()},
        **{f"cost_of_{one['name']}": one["cost"] for one in policies if not one["refusal"]},
    }
    if first["refusal"]:
        assert "cost" not in first
        return columns
    made, facts = first["compactions"], first["facts"]
    found = {"compacts_after": "response", "at": "held", "left": "after"}
    counts = {name: name for name in ("kept", "summarized", "cleared")}
    columns |= {column: [one[name] for one in made] for column, name in (found | counts).items()}
    as_recorded = all(first[name] == recorded[name] for name in FIGURES) and recorded["cost"] != "unknown"
    return columns | {
        **{name: first[name] for name in (*FIGURES, "windows")},
        **{size: one["cost"] for size, one in first["sensitivity"].items()},
        "sizes": [*first["sensitivity"]],
        "summaries": sum(one["summarizes"] for one in made),
        "first_refusal_after": next((one["response"] for one in made if one["overflowed"]), None),
        "traffic": "as recorded" if as_recorded else "another",
        "facts": facts["facts"],
        "facts_present": facts["kept"],
        "lost": [one["text"].lstrip("x") for one in facts["missing"]],
        "kinds_lost": [one["kind"] for one in facts["missing"]],
    }
