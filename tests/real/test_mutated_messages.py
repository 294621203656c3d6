"""Real messages with damage: whatever old text holds, brim's own reading ends no compaction."""

import copy
import random

import pytest

from brim import BrimError, Compactor, ModelLimits
from brim.transcripts import view
from steps.prerequisites import sized
from tests.real.test_transcripts import ALL

pytestmark = [pytest.mark.transcripts, pytest.mark.timeout(1_800)]

COMPACTOR = Compactor(limits=ModelLimits(context_window=12_000, max_output_tokens=1_000))
ODD = [
    "", "\x00", "\ud800", "\r", "\u2028", "a\u0301", "\u202e", "EOF", "'", '"', "`", "$(", "${x#`", "<<EOF # notes\n",
    " | # list\n", " && # next\n", "((", "[[", "\\", "{", "}", "|", "<system-reminder>", "</", "```", "# ", "- [ ] ",
    "FAILED ", "1 passed, 2 failed", "Traceback (most recent call last):", "diff --git a/", "9" * 400, "/" * 300,
    "é" * 50, "<think>", '{"', "[]", "sk-ant-", "\n\n\n", "\t", "%s", "{0}", "../" * 30,
]  # fmt: skip
"""What text may hold that a reader does not expect."""
FORM = {"role", "type", "id", "tool_use_id", "name"}
"""What makes a message one: without it, it is refused."""
VALUES = [None, True, 0, -1, 1.5, "", "x", [], {}, [[]], {"type": "text"}, {"text": None}]


@pytest.mark.parametrize("seed", range(sized(60, nightly=4_000)))
def test_damaged_messages_are_compacted_or_refused(real, seed):
    """What is no conversation is refused in brim's words; all else is compacted, and no reader of old text raises."""
    chance = random.Random(seed)  # noqa: S311
    messages = [dict(one.raw) for one in view(real(chance.choice(ALL))).messages]
    first = chance.randrange(len(messages))
    damaged = copy.deepcopy(messages[first : first + chance.choice([30, 120, 300])])
    for _ in range(chance.choice([1, 5, 50])):
        place = chance.randrange(len(damaged))
        damaged[place] = changed(damaged[place], chance, deep=chance.random() < 0.98)
    before = copy.deepcopy(damaged)
    try:
        COMPACTOR.compact(damaged)
    except BrimError as refusal:
        assert str(refusal)
    assert damaged == before


def changed(value, chance, *, deep):
    """The value with one place of it damaged: a text if it goes deep, else anything."""
    if isinstance(value, dict) and value:
        key = chance.choice([one for one in value if not deep or one not in FORM] or [*value])
        return value | {key: changed(value[key], chance, deep=deep)}
    if isinstance(value, list) and value:
        at = chance.randrange(len(value))
        return [*value[:at], changed(value[at], chance, deep=deep), *value[at + 1 :]]
    if isinstance(value, str) and deep:
        at = chance.randrange(len(value) + 1)
        end = at + chance.choice([0, 0, 1, 20, len(value)])
        return value[:at] + chance.choice(ODD) + value[end:]
    return chance.choice(VALUES)
