"""Deep Agents' `SummarizationMiddleware` around a call of the model, which offloads the history to files."""

from functools import partial
from tempfile import TemporaryDirectory

from contract import Parts, timed
from deepagents.backends import FilesystemBackend
from deepagents.middleware.summarization import SummarizationMiddleware, compute_summarization_defaults
from langchain.agents.middleware.types import ModelRequest, ModelResponse
from langchain_core.messages import AIMessage
from messages.langchain_messages import Model, read, write


def compact(messages, *, summarize=None, window=None, **settings):
    """Keep the newest tenth of the window behind a summary, and shorten what older calls wrote."""
    parts = Parts(messages)
    model = Model(summarize=summarize, profile={"max_input_tokens": window or 200_000})
    defaults = compute_summarization_defaults(model)
    defaults["trigger"] = defaults["truncate_args_settings"]["trigger"] = ("tokens", 1)
    sent = []

    def answer(request):
        sent[:] = request.messages
        return ModelResponse(result=[AIMessage("done")])

    with TemporaryDirectory() as folder:
        backend = FilesystemBackend(root_dir=folder, virtual_mode=True)
        middleware = SummarizationMiddleware(
            model, backend=backend, **{"trim_tokens_to_summarize": None, **defaults, **settings}
        )
        request = ModelRequest(model=model, messages=read(messages, parts), state={"messages": []})
        with timed():
            middleware.wrap_model_call(request, answer)
    return parts.back(sent, write)


best = partial(compact, keep=("fraction", 0.3), truncate_args_settings=None)
