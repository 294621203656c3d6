"""Checks of a compactor: each prevents a failure that was met in the field, and names it."""

from __future__ import annotations

from functools import partial

import pytest

from brim.testing.answers import text_block
from brim.testing.conformance import conversations as made
from brim.testing.conformance import judging
from brim.testing.conformance.kit import Judge
from brim.testing.conformance.subject import Messages
from brim.testing.conformance.summaries import BAD, limited, overloaded, quoting
from brim.testing.strictness import placed_blocks

GROWTH_MAX = 200
"""Tokens by which what cannot shrink may grow: by a note once, not by one each time."""
REQUESTS_SHARE = 0.9
"""The share of the user's sentences that has to be left: the model forgets none, so what is lost was not shown to it,
or not taken over. A tenth is for the limits that a summary may have."""
CYCLES = (1, 2, 10)
"""After how many compactions a conversation is judged."""
NEW_REQUESTS = 6
"""Requests that are worked on between two compactions."""


def test_it_makes_room(judge: Judge) -> None:
    """A conversation that fills four fifths of the window comes out smaller.

    Prevents: Kilo-Org/kilocode#2037, 404 tokens became 17,133; omnigent-ai/omnigent#7245, a silent no-op.
    """
    messages = made.work()
    done = judge.compact(messages, acts=False)
    before, after = judging.tokens(messages), judging.tokens(done.messages)
    asked = sum(map(judging.tokens, done.prompts))
    judge.note(tokens_before=before, tokens_after=after, summary_calls=len(done.prompts), summary_tokens=asked)
    if done.is_refusal:
        judge.fail(f"nothing was done, with {before} of {made.WINDOW} tokens used")
    judge.shrinks(messages, done.messages)


def test_calls_and_results_stay_paired(judge: Judge) -> None:
    """Every call has its result in the next message, and no result stands alone.

    Prevents: langchain-ai/langchain#34282 and langchain-ai/deepagents#270, orphans that the provider refuses.
    """
    judge.refute(judging.unpaired(judge.compact(made.work()).messages))


def test_parallel_calls_stay_together(judge: Judge) -> None:
    """Calls that were made at once stay or go together, with their results.

    Prevents: MoonshotAI/kimi-code#1053, a session bricked by a cut inside a parallel batch.
    """
    messages = made.work(parallel=4)
    done = judge.compact(messages)
    judge.refute([*judging.unpaired(done.messages), *judging.parted(messages, done.messages)])


def test_roles_and_content_are_valid(judge: Judge) -> None:
    """The user's message is first, no content is empty; neighbours of one role count as one message, as the API has it.

    Prevents: stephenschoettler/hermes-lcm PR #280, a summary of the model's that came first; coder/coder PR #22819, a
    conversation without a message.
    """
    judge.refute(judging.misplaced(judge.compact(made.work()).messages))


def test_the_last_user_message_stays(judge: Judge) -> None:
    """What the user asked last stands in a message of the user, word for word.

    Prevents: anthropics/claude-code#22376, the last request of the user is lost.
    """
    messages = made.work()
    if not judging.has_words(judge.compact(messages).messages, messages[-1]):
        judge.fail(f"the last user message is gone: {messages[-1]['content'][:80]}")


def test_pinned_messages_stay(judge: Judge) -> None:
    """A pinned message stays as it is; with a call its result stays, and with a result its call.

    Prevents: strands-agents/harness-sdk#4088 and topcheer/ggcode#382, pinned rules swallowed by a summary.
    """
    judge.needs("pinned")
    messages = made.work()
    pinned = (0, 7, 14)
    done = judge.compact(messages, pinned=pinned)
    judge.refute(f"pinned message {n} is gone" for n in pinned if not judging.kept(done.messages, messages[n]))
    judge.refute(judging.unpaired(done.messages))


def test_the_input_is_unchanged(judge: Judge) -> None:
    """The list that was given, and all in it, are as they were.

    Prevents: anthropics/anthropic-sdk-python PR #1846, the caller's own history is mutated.
    """
    if judge.compact(made.work(), acts=False).changed_input:
        judge.fail("it changed the messages that it was given")


@pytest.mark.parametrize("kind", BAD)
def test_a_bad_summary_is_refused(judge: Judge, kind: str) -> None:
    """An answer that is no summary replaces nothing: the input comes back, or what was replaced is told without it.

    Prevents: langchain-ai/langchain#38867, an error text as the summary; moonbitlang/openseek#443, a call as text;
    skorokithakis/stavrobot#28 and deathbyknowledge/gsv#319, reasoning alone; gwdg/chat-ai#120, the history deleted and
    then no summary; google-gemini/gemini-cli PR #7047, larger than what it replaces.
    """
    judge.needs("summarize")
    answer, trace = BAD[kind]
    messages = made.work()
    done = judge.call(messages, summarize=answer)
    judge.note(summary_calls=len(done.prompts))
    if done.is_refusal:
        return
    if not done.prompts:
        pytest.skip("not offered: the summarizer was not asked")
    if trace and trace in str(done.messages):
        judge.fail(f"the answer was taken for a summary: {trace[:60]}")
    judge.shrinks(messages, done.messages)
    judge.refute(judging.untold(messages, done.messages))


def test_a_summary_may_quote_a_call(judge: Judge) -> None:
    """A summary in prose that quotes a call is a summary, and its quotation is text.

    Prevents: coder/xum PR #1452, where what looks like a call is refused, and prose that embeds one must not be.
    """
    judge.needs("summarize")
    done = judge.compact(made.work(), summarize=quoting, acts=False)
    if not done.prompts:
        pytest.skip("not offered: the summarizer was not asked")
    if "Where the work stands" not in judging.words(done.messages):
        judge.fail("the summary was refused for its quotation")


def test_the_summarizer_may_overflow(judge: Judge) -> None:
    """Where the conversation does not fit the summarizer, it is compacted all the same.

    Prevents: anthropics/claude-code#26317 and langchain-ai/deepagents#5913, compaction fails exactly when it is needed.
    """
    judge.needs("summarize")
    messages = made.work()
    done = judge.call(messages, summarize=partial(limited, judging.tokens(messages) // 2))
    if done.error or done.is_refusal:
        judge.fail(f"nothing was compacted after the overflow{f': raised {done.error}' * bool(done.error)}")
    judge.limit_calls(done)
    judge.refute(judging.untold(messages, done.messages))


def test_a_failing_summarizer_is_not_asked_for_ever(judge: Judge) -> None:
    """A summarizer that always fails is asked a few times, and what it should have replaced is there or told.

    Prevents: openai/codex#13279 and letta-ai/letta#3242, compaction again and again; gwdg/chat-ai#120.
    """
    judge.needs("summarize")
    messages = made.work()
    done = judge.call(messages, summarize=overloaded)
    judge.limit_calls(done)
    judge.refute(judging.untold(messages, done.messages))


def test_what_cannot_shrink_does_not_loop(judge: Judge) -> None:
    """One message that fills the window, compacted three times: each ends, asks little and lets it grow no further.

    Prevents: anthropics/claude-code#24179, 211 compactions in one session; OpenHands/software-agent-sdk#1073.
    """
    messages: Messages = [{"role": "user", "content": f"{made.sentence(0)} {'The log: 0x3f. ' * 7_000}"}]
    sizes = [judging.tokens(messages)]
    for _ in range(3):
        done = judge.call(messages)
        messages = done.messages
        sizes.append(judging.tokens(messages))
        judge.limit_calls(done)
    if sizes[-1] > sizes[0] + GROWTH_MAX:
        judge.fail(f"three compactions made of {sizes[0]} tokens {', '.join(map(str, sizes[1:]))}")


def test_kept_thinking_follows_its_history(judge: Judge) -> None:
    """Thinking that stays stands behind the same system prompt, tools and messages as when it was signed.

    Prevents: anthropics/claude-code#13012 and #17625, changed thinking that is refused from then on.
    """
    judge.refute(judging.unbound(judge.compact(made.thoughtful(made.work())).messages))


def test_the_last_tool_loop_keeps_its_thinking(judge: Judge) -> None:
    """A loop that is still open begins with its thinking, or is open no more.

    Prevents: anthropics/claude-code#26684 and OpenHands/software-agent-sdk PR #1508, a call without its thinking.
    """
    judge.refute(judging.unbound(judge.compact(made.thoughtful(made.loop())).messages))


def test_thinking_is_not_shown_to_the_summarizer_as_text(judge: Judge) -> None:
    """The summarizer reads no thinking as text.

    Prevents: openclaw/openclaw#129518 and can1357/oh-my-pi#6093, summaries refused as extraction of reasoning.
    """
    judge.needs("summarize")
    messages = made.thoughtful(made.work())
    done = judge.compact(messages)
    shown = judging.words(message for prompt in done.prompts for message in prompt)
    thoughts = [one.block["thinking"] for one in placed_blocks(messages) if one.kind == "thinking"]
    judge.refute(f"the summarizer was shown {thought!r}" for thought in thoughts if thought in shown)


def test_unknown_blocks_are_carried(judge: Judge) -> None:
    """A block of a type that nobody knows yet stays in the last user message, and stops nothing further up.

    Prevents: anthropics/anthropic-sdk-python PR #1151 and headroomlabs-ai/headroom#2438, types not thought of.
    """
    last = made.saying(15, made.UNKNOWN)
    sketch = made.answer(text_block("I sketch it."), made.UNKNOWN)
    messages = [made.saying(90, made.UNKNOWN), sketch, *made.work()[:-1], last]
    done = judge.compact(messages)
    if not judging.kept(done.messages, last):
        judge.fail("the last user message lost its block of the unknown type")


def test_pictures_and_documents_stay_with_the_last_message(judge: Judge) -> None:
    """The last user message keeps its picture and its document, and no summarizer reads them as text.

    Prevents: justrach/codegraff PR #263, a fresh picture is compacted away; myriade-ai/agentlys PR #347, base64 text of
    2,113,402 tokens.
    """
    last = made.saying(15, made.IMAGE, made.DOCUMENT)
    messages = [made.saying(90, made.IMAGE), *made.rounds(90), *made.work()[:-1], last]
    done = judge.compact(messages)
    blocks = (made.IMAGE, made.DOCUMENT)
    judge.refute(f"the last {one['type']} is gone" for one in blocks if not judging.has_block(done.messages[-1:], one))
    shown = judging.words(message for prompt in done.prompts for message in prompt)
    if made.PICTURE[:200] in shown:
        judge.fail("the summarizer was shown a picture as base64 text")


def test_an_open_loop_goes_on(judge: Judge) -> None:
    """In the middle of a task the request stays, and the conversation ends so that the model goes on.

    Prevents: lvndry/jazz PR #457, no message of the user is left of a task in the middle; openai/codex#18720, the wrong
    task is resumed.
    """
    messages = made.loop()
    done = judge.compact(messages)
    judge.refute(judging.unpaired(done.messages))
    if made.sentence(0) not in judging.words(done.messages):
        judge.fail("the request that is worked on is gone")
    if done.messages[-1]["role"] != "user":
        judge.fail("the last message is the model's")


def test_a_pending_call_stays(judge: Judge) -> None:
    """A call that waits for its result, or for consent, is still there.

    Prevents: google/adk-python#4740 and 7df-lab/devo#186, pending calls vanish.
    """
    pending = made.call("write_file", 999, path="src/main.py", content="")
    messages = [*made.loop(), made.answer(pending)]
    done = judge.compact(messages)
    if not judging.has_block(done.messages, pending):
        judge.fail("the call that waits for its result is gone")


def compacted_often(judge: Judge, times: int) -> tuple[Messages, Messages]:
    """Return all that was said over so many compactions, and the result of the last one."""
    everything = messages = made.work()
    waiting = made.REQUESTS
    for number in range(1, times + 1):
        done = judge.compact(messages)
        judge.shrinks(messages, done.messages, f"compaction {number}: ")
        if number < times:
            more = [*made.rounds(waiting), *made.work(NEW_REQUESTS, waiting + 1)]
            everything, messages = [*everything, *more], [*done.messages, *more]
            waiting += NEW_REQUESTS + 1
    return everything, done.messages


@pytest.mark.parametrize("times", CYCLES)
def test_the_users_words_survive(judge: Judge, times: int) -> None:
    """Nine of ten things that the user asked for are still there after one, two and ten compactions.

    Prevents: anthropics/claude-code#3841 and #9796, rules of the user forgotten; earendil-works/pi#2608, what the first
    compaction kept is lost in the second.
    """
    everything, messages = compacted_often(judge, times)
    share = judging.requests_left(everything, messages)
    judge.note(words_left=round(share, 3), tokens_after=judging.tokens(messages))
    if share < REQUESTS_SHARE:
        judge.fail(f"after {times} compactions {share:.0%} of what the user asked for is left")


def test_a_tenth_compaction_makes_as_much_room(judge: Judge) -> None:
    """After ten compactions the result is valid, and leaves half of the window to work in.

    Prevents: earendil-works/pi#4570 and #6832, sessions that end after chained compactions, 33 in one.
    """
    once, often = (compacted_often(judge, times)[1] for times in (1, 10))
    first, last = judging.tokens(once), judging.tokens(often)
    judge.note(tokens_first=first, tokens_tenth=last)
    judge.refute(judging.invalid(often))
    if last > made.WINDOW // 2:
        judge.fail(f"the first result has {first} tokens, the tenth {last} of {made.WINDOW}")


def test_the_result_can_be_resumed(judge: Judge) -> None:
    """A result that was saved as JSON is worked on and compacted again by a process that knows nothing of it.

    Prevents: google/adk-python#3530, a saved compaction that cannot be read; google-gemini/gemini-cli#20803, a resumed
    session that overflows.
    """
    done = judge.compact(made.work())
    judge.restart()
    messages = [*done.messages, *made.rounds(made.REQUESTS), *made.work(NEW_REQUESTS, made.REQUESTS + 1)]
    again = judge.compact(messages)
    judge.refute(judging.invalid(again.messages))
    share = judging.requests_left(messages, again.messages)
    judge.note(words_left=round(share, 3))
    if share < REQUESTS_SHARE:
        judge.fail(f"after the restart {share:.0%} of what the user asked for is left")
