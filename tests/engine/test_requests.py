"""Requests: what is sent for a list that only grows, and what is learned of the responses."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from itertools import pairwise

import pytest
from anthropic import BadRequestError

from brim.engine.conversations import prefix_of
from brim.engine.requests import AsyncRequests, Outgoing, Requests
from brim.errors import (
    BrimError,
    CompactionCancelled,
    CompactionStalled,
    ContextOverflow,
    InvalidInput,
    SummaryFailed,
    UnknownLimits,
)
from brim.models import ModelLimits
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import ScriptedSummarizer, too_long
from brim.tokens.usage import TokenUsage
from steps.prerequisites import sized
from tests.engine.agents import (
    LIMITS,
    SUMMARY,
    answered,
    asked,
    async_compactor,
    compactor,
    create,
    long_ago,
    reader,
    sent,
    served,
)

ROOMY = ModelLimits(context_window=200_000, max_output_tokens=8_192)
OVERFULL = TokenUsage(input=190_000, output=2_000)


def test_nothing_is_touched_while_nothing_is_due():
    """What is sent is the very list that was handed in."""
    messages = asked()
    outgoing = Requests(compactor()).prepare(messages)
    assert outgoing.messages is messages
    assert outgoing.compaction is None
    assert not outgoing.verdict.due


def test_the_caller_s_list_is_never_changed():
    """Neither the list nor a message in it is another after a compaction."""
    messages = long_ago(20)
    before = deepcopy(messages)
    outgoing = Requests(compactor()).prepare(messages)
    assert outgoing.compaction is not None
    assert messages == before


def test_what_came_after_a_compaction_stands_behind_it():
    """The compacted beginning stays as it is, message by message, and what is appended is sent as it came."""
    requests, messages = Requests(compactor()), long_ago(20)
    first = requests.prepare(messages)
    messages += [{"role": "assistant", "content": "They say yes."}, {"role": "user", "content": "And why?"}]
    second = requests.prepare(messages)
    assert second.compaction is None
    assert list(second.messages) == [*first.messages, *messages[-2:]]
    assert second.messages[-1] is messages[-1]


def test_a_conversation_is_known_by_what_it_holds():
    """A copy of the list, made anew for each request, is the same conversation."""
    requests = Requests(compactor())
    first = requests.prepare(long_ago(20))
    again = requests.prepare(long_ago(20))
    assert again.messages == first.messages
    assert again.window is first.window


def test_marks_for_the_cache_may_move():
    """An agent that moves its cache marks is the same, and what is kept bears them where they are now."""
    requests, messages = Requests(compactor()), long_ago(20)
    messages[-1] = {
        "role": "user",
        "content": [{"type": "text", "text": "What?", "cache_control": {"type": "ephemeral"}}],
    }
    first = requests.prepare(messages)
    moved = [*messages, {"role": "assistant", "content": "Yes."}, messages[-1]]
    moved[-3] = {"role": "user", "content": [{"type": "text", "text": "What?"}]}
    second = requests.prepare(moved)
    assert second.window is first.window
    assert str(second.messages).count("cache_control") == 1


def test_the_usage_of_the_last_response_counts_in_mid_turn():
    """What a response reported and what was appended since make the next request due, results of tools included."""
    requests, messages = Requests(compactor(ROOMY)), asked()
    outgoing = requests.prepare(messages)
    requests.answered(outgoing, OVERFULL)
    call = {"type": "tool_use", "id": "A", "name": "read", "input": {}}
    messages += [{"role": "assistant", "content": [call]}]
    messages += [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "A", "content": "x" * 400}]}]
    assert requests.prepare(messages).verdict.held == 192_000 + 100


def test_a_response_may_be_appended_before_it_is_recorded():
    """What was asked for is what counts, however long the list is by then."""
    requests, messages = Requests(compactor(ROOMY)), asked()
    outgoing = requests.prepare(messages)
    messages += [{"role": "assistant", "content": "Yes."}, {"role": "user", "content": "xxxx"}]
    requests.answered(outgoing, OVERFULL)
    assert requests.prepare(messages).verdict.held == 192_000 + 1


def test_an_answer_that_is_not_appended_does_not_count():
    """Of a response that the caller dropped only what was read is in the window."""
    requests, messages = Requests(compactor(ROOMY)), asked()
    requests.answered(requests.prepare(messages), OVERFULL)
    messages.append({"role": "user", "content": "xxxx"})
    assert requests.prepare(messages).verdict.held == 190_000 + 1


def test_an_unfinished_answer_counts_by_its_words():
    """A stream that was closed early told of few tokens; the text that was kept of it counts."""
    requests, messages = Requests(compactor(ROOMY)), asked()
    requests.answered(requests.prepare(messages), {"input_tokens": 1_000, "output_tokens": 1}, finished=False)
    messages += [{"role": "assistant", "content": "x" * 4_000}, {"role": "user", "content": "xxxx"}]
    assert requests.prepare(messages).verdict.held == 1_000 + 1_000 + 1


def test_a_usage_from_before_a_compaction_measures_nothing():
    """A response that was asked for before the compaction says nothing of what is sent now (TOK_11)."""
    requests, messages = Requests(compactor()), long_ago(10)
    early = requests.prepare(messages[:5])
    late = requests.prepare(long_ago(20))
    requests.answered(early, OVERFULL)
    assert late.compaction is not None
    assert requests.prepare([*long_ago(20), *asked()]).verdict.held < 10_000


def test_a_usage_of_what_was_refused_measures_nothing():
    """What is told of the request before its compaction says nothing of the one after it (TOK_11)."""
    requests, messages = Requests(compactor(None)), long_ago(20)
    outgoing = requests.prepare(messages)
    assert requests.overflowed(outgoing) is not None
    requests.answered(outgoing, OVERFULL)
    messages += [{"role": "assistant", "content": "Yes."}, *asked()]
    assert requests.prepare(messages).verdict.held < 10_000


def test_a_request_that_was_compacted_meanwhile_goes_out_so():
    """Where two send the same and both overflow, the second takes what the first has made."""
    requests, messages = Requests(compactor(None)), long_ago(20)
    first, second = requests.prepare(messages), requests.prepare(messages)
    made, taken = requests.overflowed(first), requests.overflowed(second)
    assert made is not None
    assert taken is not None
    assert made.messages == taken.messages
    with pytest.raises(ContextOverflow, match="nothing more can be summarized"):
        requests.overflowed(requests.overflowed(taken))


@pytest.mark.parametrize("told", ["a text", 5, None, {"input_tokens": "many"}, {"input_tokens": -1}])
def test_what_is_no_usage_is_refused(told):
    """A response has a usage; anything else is told what it is."""
    requests = Requests(compactor())
    with pytest.raises(InvalidInput):
        requests.answered(requests.prepare(asked()), told)


@pytest.mark.parametrize(
    "messages",
    [None, 5, "a text", [5], [{}], [{"role": "system", "content": "Hi."}], [{"role": "user", "content": [{}]}]],
)
def test_what_is_no_conversation_is_refused_and_leaves_no_trace(messages):
    """It is InvalidInput, and the conversation before it goes on as it was."""
    requests, good = Requests(compactor()), asked()
    window = requests.prepare(good).window
    with pytest.raises(InvalidInput):
        requests.prepare(good + messages if isinstance(messages, list) else messages)
    assert requests.prepare(good).window is window
    assert len(window.messages) == 1


def test_a_message_that_is_no_json_is_refused():
    """What cannot be sent cannot be known again either."""
    with pytest.raises(InvalidInput, match="cannot be written as JSON"):
        Requests(compactor()).prepare([{"role": "user", "content": [{"type": "text", "text": "x", "own": object()}]}])


def test_the_wrong_compactor_is_refused():
    """Each kind of loop takes its own kind of compactor, and the error names the other."""
    with pytest.raises(InvalidInput, match="AsyncRequests"):
        Requests(async_compactor())
    with pytest.raises(InvalidInput, match="see Requests"):
        AsyncRequests(compactor())
    with pytest.raises(InvalidInput, match="greater than or equal to 1"):
        Requests(compactor(max_conversations=0))


def test_unknown_limits_are_told_at_the_first_request():
    """A model that nobody knows is not guessed."""
    with pytest.raises(UnknownLimits):
        Requests(compactor(None, model="a-model-of-ours")).prepare(asked())


def test_a_branch_goes_its_own_way():
    """Two conversations with one beginning, as of an agent and its helpers, are compacted apart."""
    requests, messages = Requests(compactor()), long_ago(20)
    first = requests.prepare(messages)
    other = [*messages[:-1], {"role": "user", "content": "Something else?"}]
    second = requests.prepare(other)
    assert second.messages[-1] == other[-1]
    assert requests.prepare(messages).messages == first.messages
    assert requests.prepare(other).messages == second.messages


def test_a_step_back_behind_a_compaction_keeps_it():
    """Where the caller takes his last message back, what was compacted before it stays so."""
    requests, messages = Requests(compactor()), long_ago(20)
    first = requests.prepare(messages)
    grown = [*messages, {"role": "assistant", "content": "Yes."}, {"role": "user", "content": "Why?"}]
    requests.prepare(grown)
    changed = requests.prepare([*grown[:-1], {"role": "user", "content": "How?"}])
    assert list(changed.messages[:-2]) == list(first.messages)
    assert changed.compaction is None


def test_a_step_back_behind_two_compactions_leaves_out_the_thinking():
    """What was thought behind the first summary is bound to it, and does not go out behind anything else (CNV_06)."""
    requests, messages = Requests(compactor(ROOMY)), long_ago(20)
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "of what was sent"}
    for number in range(2):
        requests.answered(requests.prepare(messages), OVERFULL)
        text = {"type": "text", "text": "Yes."}
        messages += [{"role": "assistant", "content": [thought, text]}, *long_ago(20, 20 * (number + 1))]
    assert "Hm." not in str(requests.prepare(messages).messages)
    back = [*messages[:84], {"role": "user", "content": "Rather this."}]
    outgoing = requests.prepare(back)
    assert outgoing.compaction is None
    assert len(outgoing.messages) == len(back)
    assert "Hm." in str(back)
    assert "Hm." not in str(outgoing.messages)


def test_the_conversation_that_rested_longest_is_forgotten_first():
    """As many are remembered as were asked for; one that was forgotten begins anew."""
    summarizer = ScriptedSummarizer(SUMMARY)
    requests = Requests(compactor(summarizer=summarizer, max_conversations=2))
    lists = [[*asked(str(n)), *long_ago(20)] for n in range(3)]
    for messages in (*lists, lists[2], lists[1]):
        requests.prepare(messages)
    assert len(summarizer.requests) == 3
    with pytest.warns(UserWarning, match="raise max_conversations=2"):
        requests.prepare(lists[0])
    assert len(summarizer.requests) == 4


def test_a_request_that_cannot_be_read_is_no_conversation():
    """However many there are, the conversations that go on are not forgotten for them."""
    requests = Requests(compactor(ROOMY, max_conversations=2))
    before = requests.prepare(asked("!"))
    for number in range(4):
        with pytest.raises(InvalidInput):
            requests.prepare([{"role": "tool", "content": f"{number}"}])
    assert len(requests._conversations) == 1
    assert requests.prepare([*asked("!"), *long_ago(2)]).followed is before.followed


def test_one_conversation_is_remembered_though_a_branch_of_it_cannot_be_read():
    """What cannot be read takes nobody's place."""
    summarizer = ScriptedSummarizer(SUMMARY)
    requests = Requests(compactor(summarizer=summarizer, max_conversations=1))
    messages = long_ago(20)
    requests.prepare(messages)
    with pytest.raises(InvalidInput):
        requests.prepare([*messages[:3], {"role": "nobody", "content": 5}])
    requests.prepare(messages)
    assert len(summarizer.requests) == 1


def reminded(word, count=1):
    """A block in which the agent says something to the model that nobody said."""
    return {"type": "text", "text": f"<system-reminder>{word * count}</system-reminder>"}


def test_a_reminder_is_sent_as_it_is_now_beside_outputs_that_were_cleared():
    """Where brim has cleared an output, what stands beside it is still the agent's."""

    def turns(word):
        for number in range(8):
            call = {"type": "tool_use", "id": f"t{number}", "name": "read", "input": {}}
            result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "x" * 60_000}
            yield from asked(f" of {number}")
            yield {"role": "assistant", "content": [call]}
            yield {"role": "user", "content": [result, reminded(word)]}
            yield {"role": "assistant", "content": "Read."}

    requests = Requests(compactor(ModelLimits(context_window=1_000_000, max_output_tokens=8_000)))
    requests.prepare([*turns("early"), *asked("!")])
    sent = requests.prepare(
        [*turns("late"), *asked("!"), {"role": "assistant", "content": "Yes."}, *asked("?")]
    ).messages
    assert "x" * 60_000 not in str(sent[:8])
    assert (str(sent).count("early"), str(sent).count("late")) == (0, 8)


def test_a_reminder_that_grew_counts_with_what_it_is_now():
    """The window holds what is sent now."""
    requests = Requests(compactor(ModelLimits(context_window=1_000_000, max_output_tokens=8_000)))
    small = [{"role": "user", "content": [{"type": "text", "text": "Go."}, reminded("a")]}]
    large = [{"role": "user", "content": [{"type": "text", "text": "Go."}, reminded("a", 40_001)]}]
    before = requests.prepare(small).verdict.held
    assert requests.prepare(large).verdict.held == before + 10_000


@pytest.mark.parametrize("nested", [600, 2_000])
def test_a_message_that_is_nested_deeply_is_known_again_or_refused(nested):
    """It is never a bare error; what the format can hold is the same conversation in the next request."""
    value = {}
    for _ in range(nested):
        value = {"a": value}
    call = {"type": "tool_use", "id": "t", "name": "x", "input": value}
    messages = [*asked("!"), {"role": "assistant", "content": [call]}]
    requests = Requests(compactor(ROOMY))
    try:
        first = requests.prepare(messages)
    except BrimError:
        assert len(requests._conversations) == 0
    else:
        result = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t", "content": "."}]}
        assert requests.prepare([*messages, result]).followed is first.followed


def test_old_outputs_are_cleared_when_a_turn_ends():
    """With the next request of the user, and not before, outputs beyond the protected ones go (PRN_10)."""
    told = []
    requests = Requests(compactor(ModelLimits(context_window=500_000), on_event=told.append))
    messages = long_ago(70)[:-1]
    assert requests.prepare(messages[:-1]).messages is not None
    before = len(told)
    grown = [*messages, {"role": "user", "content": "And now?"}]
    outgoing = requests.prepare(grown)
    assert before <= 1
    assert [event.kind for event in told][-1] == "pruned"
    assert outgoing.window.held < 60_000
    assert len(outgoing.messages) == len(grown)
    assert requests.prepare(grown).messages == outgoing.messages


def test_a_compaction_that_fails_leaves_all_as_it_was():
    """Under the policy raise the error reaches the caller; the next request tries again."""
    answers = [SummaryAnswer(failure="permanent", reason="no"), SUMMARY]
    requests = Requests(compactor(summarizer=ScriptedSummarizer(answers), on_failure="raise"))
    with pytest.raises(SummaryFailed):
        requests.prepare(long_ago(20))
    assert SUMMARY in str(requests.prepare(long_ago(20)).messages)


def test_a_compaction_that_is_called_off_leaves_all_as_it_was():
    """Whoever cancels gets CompactionCancelled, and the conversation is whole."""
    told = []
    under_way = compactor(
        on_event=lambda event: event.kind == "summary_delta" and not told and (told.append(1), under_way.cancel())
    )
    requests = Requests(under_way)
    with pytest.raises(CompactionCancelled):
        requests.prepare(long_ago(20))
    assert requests.prepare(long_ago(20)).compaction is not None


def test_a_stalled_conversation_says_so_again_and_asks_nobody():
    """After three compactions in a row that did not help no summary is paid for any more."""
    told = []
    requests = Requests(compactor(on_event=told.append, threshold=10_000))
    outcomes = []
    for count in (6, 12, 18, 24, 30):
        try:
            requests.prepare(long_ago(count)[:-1], system="s" * 41_000)
            outcomes.append("sent")
        except CompactionStalled:
            outcomes.append("stalled")
    assert outcomes == ["sent", "sent", "stalled", "stalled", "stalled"]
    assert [event.kind for event in told].count("started") == 3


@pytest.mark.peers
def test_a_tool_loop_is_compacted_in_its_middle():
    """A model that reads for ever never meets the end of its window, and every request is accepted."""
    messages, requests = asked(), Requests(compactor())
    with served(default=reader) as server, server.client() as client:
        for _ in range(30):
            answered(messages, requests.send(lambda sent: create(client, sent), messages))
    assert len(messages) == 61
    assert max(sent(server)) < 45
    assert sum(after < before for before, after in pairwise(sent(server))) == 1


@pytest.mark.peers
def test_streamed_responses_are_recorded_by_hand():
    """Prepare and answered do for a stream what send does for a whole response."""
    messages, requests = asked(), Requests(compactor())
    with served(default=reader) as server, server.client() as client:
        for _ in range(25):
            outgoing = requests.prepare(messages)
            with client.messages.stream(
                model="claude-opus-5-5", max_tokens=500, messages=list(outgoing.messages)
            ) as stream:
                response = stream.get_final_message()
            requests.answered(outgoing, response)
            answered(messages, response)
    assert any(after < before for before, after in pairwise(sent(server)))


@pytest.mark.peers
def test_an_event_loop_does_the_same():
    """The same requests go out of an event loop."""
    threaded, looped = asked(), asked()
    with served(default=reader) as first, first.client() as client:
        requests = Requests(compactor())
        for _ in range(25):
            answered(threaded, requests.send(lambda messages: create(client, messages), threaded))

    async def run(server):
        requests = AsyncRequests(async_compactor())
        async with server.async_client() as client:
            for _ in range(25):
                answered(looped, await requests.send(lambda messages: create(client, messages), looped))

    with served(default=reader) as second:
        asyncio.run(run(second))
    assert sent(first) == sent(second)


@pytest.mark.peers
def test_an_overflow_in_an_event_loop_is_tried_once_again():
    """Compacted whatever the estimate said; a second overflow reaches the caller (TRG_18)."""

    async def run(server):
        requests = AsyncRequests(async_compactor(None))
        async with server.async_client() as client:
            await requests.send(lambda messages: create(client, messages), long_ago())
            with pytest.raises(BadRequestError):
                await requests.send(lambda messages: create(client, messages), [*asked(), *long_ago()])

    with served(too_long(), "Yes.", too_long(), too_long(), window=200_000) as server:
        asyncio.run(run(server))
    assert sent(server)[1] < sent(server)[0]
    assert len(server.requests) == 4


@pytest.mark.peers
def test_many_conversations_in_many_threads_are_kept_apart():
    """Many agents at once share one compactor, and none of them hears of another's notes."""
    requests = Requests(compactor())

    def run(number):
        messages = asked(f" of shelf {number}")
        with server.client() as client:
            for _ in range(25):
                answered(messages, requests.send(lambda sent: create(client, sent), messages))
        return list(requests.prepare(messages).messages)

    with served(default=reader) as server, ThreadPoolExecutor(10) as pool:
        conversations = list(pool.map(run, range(sized(5, nightly=12))))
    for number, messages in enumerate(conversations):
        assert f"of shelf {number}." in str(messages)
        assert str(messages).count("of shelf") == 1


def test_the_same_request_in_many_threads_is_compacted_once():
    """Whoever asks while the compaction is going on gets its result."""
    summarizer = ScriptedSummarizer(SUMMARY)
    requests = Requests(compactor(summarizer=summarizer))
    with ThreadPoolExecutor(8) as pool:
        outgoing: list[Outgoing] = list(pool.map(requests.prepare, [long_ago(20)] * 8))
    assert len(summarizer.requests) == 1
    assert len({len(one.messages) for one in outgoing}) == 1


def test_a_conversation_is_known_while_it_is_compacted():
    """Whoever asks then finds the one that is being compacted, though nothing of it is taken in yet."""
    found = []

    def look(_request):
        found.append(requests._conversations.find(prefix_of(long_ago(20))))
        return SUMMARY

    requests = Requests(compactor(summarizer=ScriptedSummarizer(look)))
    outgoing = requests.prepare(long_ago(20))
    assert found == [outgoing.followed]
    assert requests._conversations.find(prefix_of(asked("!"))).claimed.digests == prefix_of(asked("!")).digests
    assert len(requests._conversations) == 2


def test_a_request_that_is_cancelled_in_its_compaction_leaves_the_next_one_free():
    """A task that is cancelled lets go of its conversation."""

    class Slow:
        async def summarize(self, request, on_text):
            await asyncio.sleep(60)

    async def run():
        compactor = async_compactor(summarizer=Slow())
        requests = AsyncRequests(compactor)
        task = asyncio.create_task(requests.prepare(long_ago(20)))
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        compactor.summarizer = None
        return await requests.prepare(long_ago(20))

    assert asyncio.run(run()).compaction is not None


def test_the_system_prompt_may_change():
    """An agent that writes the time into its system prompt is the same one, and its summarizer sees the newest."""
    requests, messages = Requests(compactor()), long_ago(20)
    first = requests.prepare(messages, system="It is ten.")
    second = requests.prepare([*messages, *asked()], system="It is eleven.", tools=[{"name": "read"}])
    assert second.window is first.window
    assert second.window.system == "It is eleven."
    assert second.compaction is None


def test_a_response_without_a_usage_is_handed_on():
    """What `call` gives is the caller's, a stream too: its usage is recorded by hand."""
    assert Requests(compactor()).send(lambda sent: "a stream", asked()) == "a stream"


def test_limits_come_with_the_window():
    """What was decided can be read off: the verdict, its numbers, and the window that is sent."""
    outgoing = Requests(compactor()).prepare(long_ago(20), system="Mend it.", tools=[{"name": "read"}])
    assert outgoing.verdict.threshold == LIMITS.context_window - 1_000
    assert outgoing.window.system == "Mend it."
    assert [message.raw for message in outgoing.window.messages] == list(outgoing.messages)
