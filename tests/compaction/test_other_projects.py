"""What other projects hold their own compaction to, held against brim's on any conversation.

The four properties of OpenHands' view (OpenHands/software-agent-sdk, `sdk/context/view/properties`). Three hold; in the
fourth brim differs: it also cuts inside a loop of calls, and then no thinking of that loop stays (CNV_06), which the
provider accepts as it does a loop that went as a whole.

openai-agents' session hands out no message whose reasoning is gone (openai/openai-agents-python#2727), and restores its
items where a compaction fails. brim keeps or removes both together, and changes no list of the caller:
tests/engine/test_openai_formats.py. Pydantic AI Harness: tests/adapters/test_pydantic_ai_harness.py.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from hypothesis import assume, given, settings

from brim import Compactor
from brim.compaction.result import Compaction
from brim.conversation.messages import Message, Thinking, ToolCall, ToolResult
from brim.conversation.turns import begins_turn
from steps.prerequisites import sized
from tests.compaction.strategies import Case, cases

CONVERSATIONS = sized(25, nightly=5_000)
"""How many are drawn."""


def compacted(case: Case) -> tuple[tuple[Message, ...], Compaction]:
    """A conversation as it can be sent, and its compaction, which did something."""
    window = case.window()
    before = tuple(window.sendable()[0].messages)
    done = Compactor(limits=case.limits).compact(window)
    assume(done.plan.changes_anything)
    return before, done


def calls(messages: Sequence[Message]) -> Iterator[list[str]]:
    """The ids that each message of the model calls."""
    for message in messages:
        yield [part.id for part in message.parts if type(part) is ToolCall and not part.server]


def loops(messages: Sequence[Message]) -> Iterator[list[Message]]:
    """The messages of the model between two of the user's words, where the first one thinks."""
    loop: list[Message] = []
    for message in messages:
        if begins_turn(message):
            yield loop
            loop = []
        elif message.role == "assistant" and (loop or thinks(message)):
            loop.append(message)
    yield loop


def thinks(message: Message) -> bool:
    """Whether thinking is in a message."""
    return any(type(part) is Thinking for part in message.parts)


@settings(max_examples=CONVERSATIONS)
@given(case=cases())
def test_calls_of_one_response_stay_or_go_together(case: Case) -> None:
    """BatchAtomicityProperty: a call that goes takes those along that were made at once."""
    before, done = compacted(case)
    left = {call for batch in calls(done.conversation) for call in batch}
    counts = Counter(call for batch in calls(before) for call in batch)
    for batch in calls(before):
        once = [call for call in batch if counts[call] == 1]
        assert len(left.intersection(once)) in (0, len(once))


@settings(max_examples=CONVERSATIONS)
@given(case=cases())
def test_each_call_has_one_result(case: Case) -> None:
    """ToolCallMatchingProperty and ObservationUniquenessProperty: as many results of an id as calls, but at the end."""
    _, done = compacted(case)
    made = Counter(call for batch in calls(done.conversation[:-1]) for call in batch)
    server = {part.id for one in done.conversation for part in one.parts if type(part) is ToolCall and part.server}
    results = [part.call_id for one in done.conversation for part in one.parts if type(part) is ToolResult]
    assert Counter(one for one in results if one not in server) == made


@settings(max_examples=CONVERSATIONS)
@given(case=cases())
def test_of_a_loop_that_was_cut_no_thinking_stays(case: Case) -> None:
    """ToolLoopAtomicityProperty, otherwise: a part of a loop stays, without any thinking."""
    before, done = compacted(case)
    left = {call for batch in calls(done.conversation) for call in batch}
    thinking = {call for one in done.conversation if thinks(one) for call in next(calls([one]))}
    for loop in loops(before):
        batches = [batch for batch in calls(loop) if batch]
        stay = [batch for batch in batches if left.issuperset(batch)]
        assert stay in ([], batches) or not thinking.intersection(call for batch in stay for call in batch)
