"""The two public suites for compaction that need no model: `python -m tests.public_suites TEMPLATES`.

compaction-conformance-kit hides 20 canaries in a chat of 130 turns, CompactBench writes small chats by templates; what
the compacted messages still have of both is counted by containment. Both are chats of a page or two, without a tool.
`TEMPLATES` is the folder `benchmarks/public` of CompactBench's source distribution.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, Final

from compactbench.dsl import DifficultyLevel, load_suite
from compactbench.engine import derive_case_seed, generate_case
from compactbench.scoring.checks import contains_normalized
from compaction_kit.corpus import build_random_session
from compaction_kit.probes import BehaviorProbe

from brim import Compactor, ModelLimits

SESSIONS: Final = 12
"""Sessions of the kit, each with 20 canaries."""
CASES: Final = 5
"""Cases of a template."""
COMPACTIONS: Final = 4
"""Compactions in a row of a case."""
QUESTIONS: Final = [
    {"role": "user", "content": "What should we do next?"},
    {"role": "assistant", "content": "I would go on with the plan as agreed."},
] * 3
"""What is said between two compactions."""
SMALL: Final = ModelLimits(context_window=8_000, max_output_tokens=1_000)
USUAL: Final = ModelLimits(context_window=200_000, max_output_tokens=8_000)


def chat(turns: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    """Make messages of roles and texts: neighbours of one role are one message, and the first is the user's."""
    messages = [
        {"role": role, "content": "\n".join(text for _, text in group)}
        for role, group in groupby(turns, key=lambda turn: "assistant" if turn[0] == "assistant" else "user")
    ]
    return messages if messages[0]["role"] == "user" else [{"role": "user", "content": "Hello."}, *messages]


def text_of(messages: Sequence[Any]) -> str:
    """Return all text of messages, those of blocks too."""
    return "\n".join(
        one["content"]
        if isinstance(one["content"], str)
        else "\n".join(block.get("text", "") for block in one["content"])
        for one in messages
    )


def canaries() -> dict[str, Any]:
    """Count the canaries of the kit that one compaction keeps, and the share of the characters that are left."""
    kept = total = before = after = 0
    for seed in range(SESSIONS):
        session, hidden = build_random_session(seed)
        system = "\n".join(turn.text for turn in session.turns if turn.role == "system")
        messages = chat((turn.role, turn.text) for turn in session.turns if turn.role != "system")
        left = f"{system}\n{text_of(Compactor(limits=SMALL).compact(messages, system=system).messages)}"
        kept += sum(BehaviorProbe().probe(one, left).survived for one in hidden)
        total += len(hidden)
        before += sum(len(turn.text) for turn in session.turns)
        after += len(left)
    return {"canaries": f"{kept} of {total}", "left": round(after / before, 2)}


def templates(folder: Path, difficulty: DifficultyLevel) -> dict[str, Any]:
    """Count what is kept of each kind in the cases of all templates, with the characters before and after."""
    kept, total, before, after = Counter[str](), Counter[str](), 0, 0
    for template in load_suite(folder):
        for slot in range(CASES):
            seed = derive_case_seed(f"{folder.name}/{template.key}", "dev", slot)
            case = generate_case(template, seed, difficulty)
            messages: list[Any] = chat((turn.role.value, turn.content) for turn in case.transcript.turns)
            before += len(text_of(messages)) + len(text_of(QUESTIONS)) * (COMPACTIONS - 1)
            compactor = Compactor(limits=USUAL)
            messages = list(compactor.compact(messages).messages)
            for _ in range(COMPACTIONS - 1):
                messages = list(compactor.compact([*messages, *QUESTIONS[messages[-1]["role"] == "user" :]]).messages)
            left = text_of(messages)
            after += len(left)
            for item in case.evaluation_items:
                if item.expected["check"] in ("set_match", "contains_normalized"):
                    values = item.expected.get("values") or [item.expected["value"]]
                    total[item.item_type.value] += len(values)
                    kept[item.item_type.value] += sum(bool(contains_normalized(value, left)) for value in values)
    return {**{kind: f"{kept[kind]} of {total[kind]}" for kind in sorted(total)}, "left": round(after / before, 2)}


def measure(folder: Path) -> dict[str, Any]:
    """Run both suites."""
    elite = folder / "elite_practice"
    return {
        "compaction-conformance-kit": canaries(),
        "CompactBench hard": templates(elite, DifficultyLevel.HARD),
        "CompactBench elite": templates(elite, DifficultyLevel.ELITE),
    }


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1])), indent=2))
