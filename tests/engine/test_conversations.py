"""Conversations: what is sent for lists that only grow, many on one client, and what is learned of the responses."""

import asyncio
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import enumerate as enumerate_threads

import pytest

from brim.engine.conversation import ConversationLock, Outgoing
from brim.engine.driving import arun
from brim.engine.prefetch import THREAD
from brim.errors import (
    BrimError,
    ContextOverflow,
    InvalidInput,
)
from brim.models import NO_LIMIT, ModelLimits
from brim.testing import ScriptedSummarizer
from brim.tokens.usage import TokenUsage
from steps.prerequisites import sized
from tests.engine.agents import (
    SUMMARY,
    Lists,
    asked,
    compactor,
    long_ago,
)

ROOMY = ModelLimits(context_window=200_000, max_output_tokens=8_192)
OVERFULL = TokenUsage(input=190_000, output=2_000)


def test_a_usage_from_before_a_compaction_measures_nothing():
    """A response that was asked for before the compaction says nothing of what is sent now (TOK_11)."""
    lists, messages = Lists(compactor()), long_ago(10)
    early = lists.prepare(messages[:5])
    late = lists.prepare(long_ago(20))
    lists.answered(early, OVERFULL)
    assert late.compaction is not None
    assert lists.prepare([*long_ago(20), *asked()]).verdict.held < 10_000


def test_a_usage_of_what_was_refused_measures_nothing():
    """What is told of the request before its compaction says nothing of the one after it (TOK_11)."""
    lists, messages = Lists(compactor(NO_LIMIT)), long_ago(20)
    outgoing = lists.prepare(messages)
    assert lists.overflowed(outgoing, messages) is not None
    lists.answered(outgoing, OVERFULL)
    messages += [{"role": "assistant", "content": "Yes."}, *asked()]
    assert lists.prepare(messages).verdict.held < 10_000


def test_a_request_that_was_compacted_meanwhile_goes_out_so():
    """Where two send the same and both overflow, the second takes what the first has made."""
    lists, messages = Lists(compactor(NO_LIMIT)), long_ago(20)
    first, second = lists.prepare(messages), lists.prepare(messages)
    made, taken = lists.overflowed(first, messages), lists.overflowed(second, messages)
    assert made is not None
    assert taken is not None
    assert made.messages == taken.messages
    again = lists.overflowed(taken, messages)
    with pytest.raises(ContextOverflow, match="nothing more can be summarized"):
        lists.overflowed(again, messages)


def test_a_request_goes_on_from_a_summary_that_it_can_use():
    """Of two conversations with its beginning, one has summarized past it; the other one's summary stays."""
    lists, messages = Lists(compactor()), long_ago(40)
    lists.prepare(messages)
    second = lists.prepare([*messages[:80], {"role": "user", "content": "Something else?"}])
    third = lists.prepare([*messages[:84], {"role": "user", "content": "And why?"}])
    assert second.compaction is not None
    assert third.compaction is None
    assert third.messages[0] == second.messages[0]


def test_a_step_back_behind_two_compactions_leaves_out_the_thinking():
    """What was thought behind the first summary is bound to it, and does not go out behind anything else (CNV_06)."""
    lists, messages = Lists(compactor(ROOMY)), long_ago(20)
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "of what was sent"}
    for number in range(2):
        lists.answered(lists.prepare(messages), OVERFULL)
        text = {"type": "text", "text": "Yes."}
        messages += [{"role": "assistant", "content": [thought, text]}, *long_ago(20, 20 * (number + 1))]
    assert "Hm." not in str(lists.prepare(messages).messages)
    back = [*messages[:84], {"role": "user", "content": "Rather this."}]
    outgoing = lists.prepare(back)
    assert outgoing.compaction is None
    assert len(outgoing.messages) == len(back)
    assert "Hm." in str(back)
    assert "Hm." not in str(outgoing.messages)


def test_a_request_that_cannot_be_read_is_no_conversation():
    """However many there are, the conversations that go on are not forgotten for them."""
    lists = Lists(compactor(ROOMY, max_conversations=2))
    before = lists.prepare(asked("!"))
    for number in range(4):
        with pytest.raises(InvalidInput):
            lists.prepare([{"role": "tool", "content": f"{number}"}])
    assert len(lists.conversations) == 1
    again = lists.prepare([*asked("!"), *long_ago(2)])
    assert lists.state(again) is lists.state(before)


@pytest.mark.parametrize("nested", [600, 2_000])
def test_a_message_that_is_nested_deeply_is_known_again_or_refused(nested):
    """It is never a bare error; what the format can hold is the same conversation in the next request."""
    value = {}
    for _ in range(nested):
        value = {"a": value}
    call = {"type": "tool_use", "id": "t", "name": "x", "input": value}
    messages = [*asked("!"), {"role": "assistant", "content": [call]}]
    lists = Lists(compactor(ROOMY))
    try:
        first = lists.prepare(messages)
    except BrimError:
        assert len(lists.conversations) == 0
    else:
        result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "."}]}
        again = lists.prepare([*messages, result])
        assert lists.state(again) is lists.state(first)


@pytest.mark.parametrize("begun", [False, True], ids=["new", "branches off"])
def test_the_same_request_in_many_threads_is_compacted_once(begun):
    """Whoever asks while it is looked for or compacted gets its result, however the threads take turns."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        for _ in range(sized(3, nightly=200)):
            summarizer = ScriptedSummarizer(SUMMARY, repeat=True)
            lists = Lists(compactor(summarizer=summarizer))
            if begun:
                lists.prepare([*long_ago(1)[:4], *asked("!")])
            with ThreadPoolExecutor(8) as pool:
                outgoing: list[Outgoing] = list(pool.map(lists.prepare, [long_ago(20)] * 8))
            assert len(summarizer.requests) == 1
            assert len({len(one.messages) for one in outgoing}) == 1
            assert len(lists.conversations) == 1 + begun
    finally:
        sys.setswitchinterval(interval)


def test_a_conversation_is_known_while_it_is_compacted():
    """A request of the same messages waits for the one that is being compacted; one of others does not."""
    counts = []

    def look(_request):
        counts.append(len(lists.conversations))
        lists.prepare(asked("!"))
        counts.append(len(lists.conversations))
        return SUMMARY

    lists = Lists(compactor(summarizer=ScriptedSummarizer(look)))
    assert lists.prepare(long_ago(20)).compaction is not None
    assert counts == [1, 2]


def test_the_system_prompt_may_change():
    """An agent that writes the time into its system prompt is the same one, and its summarizer sees the newest."""
    lists, messages = Lists(compactor()), long_ago(20)
    first = lists.prepare(messages, system="It is ten.")
    second = lists.prepare([*messages, *asked()], system="It is eleven.", tools=[{"name": "read"}])
    assert second.window is first.window
    assert second.window.system == "It is eleven."
    assert second.compaction is None


@pytest.mark.parametrize("ahead", [None, "0.5"])
def test_a_date_in_the_first_message_that_is_refreshed_in_each_request_costs_no_summary(ahead):
    """The summary stays, also one that was asked for ahead, and what is sent ends as the caller's list does."""

    def summaries_of(first):
        summarizer, messages = ScriptedSummarizer(SUMMARY, repeat=True), long_ago(40)
        lists = Lists(compactor(summarizer=summarizer, ahead=ahead))
        for number in range(1, 41):
            request = [*asked(first.format(number)), *messages[1 : 4 * number + 1]]
            assert lists.prepare(request).messages[-1] == request[-1]
            for summary in (one for one in enumerate_threads() if one.name == THREAD):
                summary.join()
        assert len(lists.conversations) == 1
        return len(summarizer.requests)

    with pytest.warns(UserWarning, match="message 0 was changed after brim had summarized it") as told:
        dated = summaries_of(" on day {}")
    assert len(told) == 1
    assert dated == summaries_of(" today") > 1


def test_a_lock_is_free_however_many_gave_up_waiting() -> None:
    """Each that is cancelled leaves its place to the next (TRG_26)."""

    async def hold(lock: ConversationLock) -> None:
        await arun(lock.acquire())

    async def crowd() -> None:
        lock = ConversationLock()
        await asyncio.create_task(hold(lock))
        waiting = [asyncio.create_task(hold(lock)) for _ in range(1_500)]
        await asyncio.sleep(0)
        for task in waiting:
            task.cancel()
        await asyncio.wait(waiting)
        last = asyncio.create_task(hold(lock))
        await asyncio.sleep(0)
        lock.release()
        await asyncio.wait_for(last, 30)

    asyncio.run(crowd())
