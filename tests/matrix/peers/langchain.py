"""LangChain's `SummarizationMiddleware`, asked before a call of the model."""

from functools import partial

from contract import Parts, timed
from langchain.agents.middleware import SummarizationMiddleware
from messages.langchain_messages import Model, read, write


def compact(messages, *, summarize=None, window=None, keep=("messages", 20), **settings):
    """Keep the newest twenty messages behind a summary."""
    parts = Parts(messages)
    state = {"messages": read(messages, parts)}
    model = Model(summarize=summarize, profile={"max_input_tokens": window or 200_000})
    middleware = SummarizationMiddleware(model, trigger=("tokens", 1), keep=keep, **settings)
    with timed():
        answer = middleware.before_model(state, None)
    return parts.back(answer["messages"][1:], write) if answer else messages


best = partial(compact, keep=("fraction", 0.3), trim_tokens_to_summarize=None)
