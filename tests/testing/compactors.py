"""Compactors for the conformance kit: brim's, and some of which each does one thing wrong."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable
from typing import Any

from brim import CompactionPolicy, Compactor, ModelLimits, SummaryAnswer
from brim.conversation.messages import SUMMARY_OPENING
from brim.testing.conformance import PromptTooLong, SummarizerFailed

Messages = list[dict[str, Any]]


class Asking:
    """A summarizer of brim's that asks the kit."""

    def __init__(self, ask: Callable[[Messages], Messages]) -> None:
        self.ask = ask

    def summarize(self, request, on_text):
        """Ask once."""
        try:
            blocks = self.ask([*request.messages])
        except PromptTooLong as error:
            return SummaryAnswer(failure="prompt_too_long", reason=str(error))
        except SummarizerFailed as error:
            return SummaryAnswer(failure="transient", reason=str(error))
        return SummaryAnswer(text="".join(block.get("text", "") for block in blocks), stop_reason="end_turn")


def brim(messages, *, summarize=None, window=None, pinned=(), system=None, tools=(), policy=None):
    """Compact with brim."""
    limits = ModelLimits(context_window=window, max_output_tokens=4_000)
    summarizer = Asking(summarize) if summarize else None
    compactor = Compactor(limits=limits, policy=policy, summarizer=summarizer, sleep=lambda _: None)
    return [*compactor.compact(messages, pinned=pinned, system=system, tools=tools).messages]


def without_model(messages, *, window=None):
    """Compact with brim's template."""
    return brim(messages, window=window)


def with_fewer_words(messages, *, window=None):
    """Compact with brim's template, with a tenth of the context for the user's words."""
    return brim(messages, window=window, policy=CompactionPolicy(words_share=0.1))


def with_silent_model(messages, *, window=None):
    """Compact with brim and a model that says nothing of what the user asked for."""
    answer = [{"type": "text", "text": "The work goes on, and its tests pass. " * 10}]
    return brim(messages, summarize=lambda _: answer, window=window)


def raises(messages):
    """Fail."""
    raise ValueError("there is no room\nfor more")


def hangs(messages):
    """Never come back, whatever is raised."""
    while True:
        try:
            while True:
                pass
        except BaseException:  # noqa: BLE001, S110 - so that nothing but the end of its process ends it
            pass


def exits(messages):
    """End the process."""
    os._exit(3)


def returns_nothing(messages):
    """Return no list."""


def returns_objects(messages):
    """Return messages of a class of its own."""
    return [{"role": "user", "content": object()}]


async def is_async(messages):
    """Return a coroutine."""
    return messages


def returns_its_input(messages):
    """Do nothing."""
    return messages


def changes_its_input(messages, **options):
    """Take a message out of the caller's list."""
    result = brim(messages, **options)
    messages.pop()
    return result


def grows(messages):
    """Put a summary in front, and keep all."""
    return [{"role": "user", "content": "Summary: we worked."}, *messages]


def takes_any_answer(messages, *, summarize, window=None):
    """Show the summarizer all as text until an answer comes, take any for a summary, and drop the history."""
    blocks = []
    for _ in range(50):
        with contextlib.suppress(SummarizerFailed):
            blocks = summarize([{"role": "user", "content": f"Summarize: {messages}"}])
            break
    text = "".join(str(block.get("text") or block.get("thinking") or block) for block in blocks)
    return [{"role": "user", "content": f"Here is a summary of the conversation to date:\n\n{text}"}, messages[-1]]


def forgets(messages, *, summarize, **options):
    """Summarize what came since the last summary, and leave that one out."""

    def forgetful(prompt):
        return summarize([one for one in prompt if SUMMARY_OPENING not in str(one)])

    new = [one for one in messages if SUMMARY_OPENING not in str(one)]
    return brim(new, summarize=forgetful, **options)


def piles_up(messages, *, summarize=None, **options):
    """Put a summary in front of the earlier ones."""
    earlier = [one for one in messages if "Archive: " in str(one)]
    result = brim([one for one in messages if one not in earlier], summarize=summarize, **options)
    archive = {"role": "user", "content": f"Archive: {len(earlier)}{' - more of it' * 500}"}
    return [*earlier, archive, *result] if options["window"] else result


def refuses_quotations(messages, *, summarize, window=None, **options):
    """Refuse each summary in which something looks like a call."""

    def strict(prompt):
        answer = summarize(prompt)
        return [] if "<invoke" in str(answer) else answer

    return brim(messages, summarize=strict, window=window, **options)


def spoiled(change: Callable[[Messages, Messages], Messages]) -> Callable[..., Messages]:
    """Return brim, with a change of its result."""

    def compact(messages, *, summarize=None, window=None, pinned=(), system=None, tools=()):
        options = {"summarize": summarize, "window": window, "pinned": pinned, "system": system, "tools": tools}
        return change(brim(messages, **options), messages)

    return compact


def blocks(message):
    """Return content as blocks."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def without(result, *kinds):
    """Return the messages without blocks of these types."""
    left = [{**one, "content": [block for block in blocks(one) if block["type"] not in kinds]} for one in result]
    return [one for one in left if one["content"]]


def thinking_again(result, messages):
    """Put the thinking back in front of the calls that stayed."""
    original = {str(blocks(one)[-1]): one for one in messages}
    return [original.get(str(blocks(one)[-1]), one) for one in result]


def first_of_each(result, messages):
    """Keep the first of several calls, and its result."""
    return [{**one, "content": [block for block in blocks(one) if not is_later(block)]} for one in result]


def is_later(block):
    """Return whether a block is a call that was not the first of its response, or the result of one."""
    return re.search(r"read_file_\d+[1-9]$", str(block.get("id") or block.get("tool_use_id"))) is not None


drops_results = spoiled(lambda result, _: without(result, "tool_result"))
drops_parallel_calls = spoiled(first_of_each)
begins_with_the_model = spoiled(lambda result, _: [{"role": "assistant", "content": "Summary."}, *result])
drops_the_last_message = spoiled(lambda result, _: result[:-1])
drops_pins = spoiled(lambda result, messages: [one for one in result if one not in messages[:14]])
keeps_thinking = spoiled(thinking_again)
drops_pictures = spoiled(lambda result, _: without(result, "image", "document", "sketch_20271101"))
drops_calls = spoiled(lambda result, _: without(result, "tool_use", "tool_result"))
