"""OpenHands' `LLMSummarizingCondenser`, as its default agent has it, asked for a condensation."""

from functools import partial

from contract import Parts, timed
from messages.openhands_events import Summarizer, events
from openhands.sdk.context.condenser.llm_summarizing_condenser import LLMSummarizingCondenser, default_condenser
from openhands.sdk.context.view import View


def compact(messages, *, summarize=None, make=default_condenser):
    """Keep the first four events and the newest, half of all together, around a summary."""
    parts = Parts(messages)
    model = Summarizer(model="test-model")
    model._summarize = summarize
    condenser = make(model)
    view = View(events=events(messages, parts), unhandled_condensation_request=True)
    with timed():
        answer = condenser.condense(view)
        left = view.events if isinstance(answer, View) else answer.apply(view.events)
    return parts.back(left, lambda one: {"role": "user", "content": one.summary.strip() or "[empty]"})


best = partial(compact, make=lambda model: LLMSummarizingCondenser(llm=model, max_size=80, keep_first=1))
