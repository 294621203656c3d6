"""A strict Messages API server on loopback, for tests that run the real client against something that says no."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from brim.testing.answers import AnswerLike, script_of
from brim.testing.messages_api.counting import Counter
from brim.testing.messages_api.messages_service import MessagesService, Script, SummaryLike
from brim.testing.messages_api.served_models import ServedModel, served_models
from brim.testing.messages_api.transport import monotonic
from brim.testing.scripted_server import ScriptedServer

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic


class MessagesServer(ScriptedServer):
    """Speaks HTTP and server-sent events as the Messages API does, refuses what it refuses, answers from a script.

    A context manager: inside it the server listens at `url`. A script's function that raises is answered with a 500,
    and its error is raised when the server closes.

    Args:
        answers: what is answered, in order, or one answer; brim.testing has the ways to write answers and failures.
        models: the models by name, each a ServedModel or its context window and its longest answer.
        default: what is answered when the script is at its end.
        compactions: summaries for server-side compaction, in order; None for one that fails.
        key: the only key that is accepted; it also signs thinking blocks.
        characters_per_token: by which everything is counted.
        cache_minimum: tokens of the shortest prefix that is cached.
        port: where it listens; 0 for a free port.
        clock: gives the time of each request, in seconds.
    """

    def __init__(
        self,
        answers: AnswerLike | Iterable[AnswerLike] = (),
        *,
        models: Mapping[str, ServedModel | tuple[int, int]] | None = None,
        default: AnswerLike = "Done.",
        compactions: Iterable[SummaryLike] = (),
        key: str = "sk-ant-test",
        characters_per_token: int = 4,
        cache_minimum: int = 1_024,
        port: int = 0,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        service = MessagesService(
            Script(script_of(answers), default),
            Script(compactions, "Summary of the conversation so far."),
            models=served_models(models),
            key=key,
            counter=Counter(characters_per_token),
            cache_minimum=cache_minimum,
        )
        super().__init__(service.script, service.faults, service.reply, key=key, port=port, clock=clock)

    def client(self, **options: Any) -> Anthropic:
        """An SDK client for this server, with `max_retries=0` unless `options` say otherwise. The caller closes it."""
        from anthropic import Anthropic, DefaultHttpxClient  # noqa: PLC0415 - the SDK is optional

        return Anthropic(**self._options(DefaultHttpxClient, options))

    def async_client(self, **options: Any) -> AsyncAnthropic:
        """The same as `client`, for an event loop."""
        from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient  # noqa: PLC0415 - the SDK is optional

        return AsyncAnthropic(**self._options(DefaultAsyncHttpxClient, options))
