"""Texts that harnesses write on the user's side, and what of them is the user's (CNV_10)."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import pytest

from brim.compaction.policy import CompactionPolicy
from brim.conversation.turns import find_turns
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from steps.compaction_windows import raw_turns
from steps.conversation_table import read_table

LIMITS = ModelLimits(context_window=200_000, max_output_tokens=64_000)
REQUEST = "Mend the cellar door."
WORK = raw_turns(5, 500)
"""Five turns of four messages each: a request, a call, its result and an answer."""


def rows(name: str) -> list[list[str]]:
    """Return the rows of a file beside this one, its first column left out, with real line breaks."""
    with (Path(__file__).parent / f"data/{name}.tsv").open(encoding="utf-8", newline="") as opened:
        _, *lines = csv.reader(opened, delimiter="\t", quoting=csv.QUOTE_NONE)
    return [[cell.replace("\\n", "\n") for cell in line[1:]] for line in lines]


@pytest.mark.parametrize(("answers", "says", "holds", "turns"), rows("harness_turns"))
def test_a_text_of_tags_alone_begins_no_turn(answers, says, holds, turns):
    """One with a word of the user beside it, or with a tag that is none of a harness, does (CNV_10)."""
    conversation = read_table([["speaker", "answers", "says", "holds"], ["user", answers, says, holds]])
    assert len(find_turns(conversation)) == int(turns)


def compacted(messages: list[Any], **settings: Any) -> Any:
    """Compact a conversation without a model, to a small target."""
    return Compactor(limits=LIMITS, policy=CompactionPolicy(keep_tokens=100, **settings)).compact(messages)


def facts(compaction: Any, kind: str) -> list[str]:
    """Return the facts of a kind."""
    return [fact.text for fact in compaction.plan.facts if fact.kind == kind]


@pytest.mark.parametrize(("text", "words"), rows("harness_words"))
def test_the_users_words_are_what_no_harness_wrote(text, words):
    """What a compaction knows of the user's request (CNV_10)."""
    assert facts(compacted([{"role": "user", "content": text}, *WORK[1:]]), "request")[0] == words


@pytest.mark.parametrize(("tool", "outcome", "result", "words", "constraints"), rows("tool_words"))
def test_what_the_user_wrote_in_the_result_of_a_tool_is_the_users_words(tool, outcome, result, words, constraints):
    """Words to a call that was declined and answers to questions, which another tool's output never is (CNV_10)."""
    given = {"questions": [{"question": question} for question in ("Which store?", "How large?")]}
    call = {"type": "tool_use", "id": "X", "name": tool, "input": given}
    answer = {"type": "tool_result", "tool_use_id": "X", "content": result, "is_error": outcome == "failed"}
    asked = [{"role": "user", "content": text} for text in (REQUEST, "Go on.")]
    done = [{"role": "assistant", "content": [call]}, {"role": "user", "content": [answer]}, WORK[3]]
    compaction = compacted([asked[0], *done, asked[1], *WORK[1:]])
    said = words.split(" ; ")
    assert facts(compaction, "request")[: len(said)] == said
    assert compaction.fidelity.words.share == 1
    assert facts(compaction, "constraint") == ([] if constraints == "none" else [constraints])
