"""brim's `Compactor`, on a window that the agent holds, with its limits as large as what it holds."""

from functools import partial

from contract import PromptTooLong, SummarizerFailed, text, timed

from brim import CompactionPolicy, Compactor, ContextWindow, ModelLimits
from brim.summary.summarizer_input import SummaryAnswer


class Summarizer:
    """Asks the worker's summarizer."""

    def __init__(self, ask):
        self.ask = ask

    def summarize(self, request, on_text):
        """Answer a request; a failure is an answer too."""
        try:
            answer = self.ask([*request.messages])
        except SummarizerFailed as error:
            too_long = isinstance(error, PromptTooLong)
            return SummaryAnswer(failure="prompt_too_long" if too_long else "permanent", reason=str(error))
        reason = "tool_use" if any(one["type"] == "tool_use" for one in answer) else "end_turn"
        return SummaryAnswer(text=text(answer), stop_reason=reason)


def compact(messages, *, summarize=None, window=None, pinned=(), cold=False, **policy):
    """Keep a fifth of the window, at most 8,000 tokens, behind a summary."""
    window = window or 200_000
    limits = ModelLimits(context_window=window, max_output_tokens=min(window // 6, 32_000))
    settings = CompactionPolicy(**policy)
    compactor = Compactor(policy=settings, summarizer=Summarizer(summarize) if summarize else None)

    def held():
        found = ContextWindow(limits, settings, messages=messages)
        found.pin(pinned)
        return found

    conversation = None if cold else held()
    with timed():
        left = compactor.apply(compactor.plan(conversation or held())).messages
    return [dict(one) for one in left]


def template(messages, *, window=None, pinned=()):
    """Let the template write the summary: no model is asked."""
    return compact(messages, window=window, pinned=pinned)


def cold(messages, *, window=None, pinned=()):
    """Read the messages too, as a list that nobody held."""
    return compact(messages, window=window, pinned=pinned, cold=True)


best = partial(compact, keep_share=0.4, keep_tokens=0)
