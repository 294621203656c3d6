"""A strict Messages API server on loopback, for tests that run the real client against something that says no."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, Self

from brim.testing.answers import AnswerLike
from brim.testing.messages_api.counting import Counter
from brim.testing.messages_api.exchange import Received, Reply
from brim.testing.messages_api.messages_service import MessagesService, Script, SummaryLike
from brim.testing.messages_api.served_models import ServedModel, served_models
from brim.testing.messages_api.transport import Listener, monotonic

if TYPE_CHECKING:
    from anthropic import Anthropic, AsyncAnthropic

NO_CERTIFICATES: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class MessagesServer:
    """Speaks HTTP and server-sent events as the Messages API does, refuses what it refuses, answers from a script.

    A context manager: inside it the server listens at `url`. A script's function that raises is answered with a 500,
    and its error is raised when the server closes.

    Args:
        answers: what is answered, in order; see brim.testing for the ways to write an answer or a failure.
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
        answers: Iterable[AnswerLike] = (),
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
        self.key = key
        self._service = MessagesService(
            Script([answers] if isinstance(answers, str) else answers, default),
            Script(compactions, "Summary of the conversation so far."),
            models=served_models(models),
            key=key,
            counter=Counter(characters_per_token),
            cache_minimum=cache_minimum,
        )
        self._port, self._clock = port, clock
        self._requests: list[Received] = []
        self._lock = threading.Lock()
        self._listener: Listener | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The address for a client's `base_url`. Raises RuntimeError while the server does not run."""
        if self._listener is None:
            raise RuntimeError("the server does not run: use it as a context manager")
        return f"http://127.0.0.1:{self._listener.server_port}"

    @property
    def requests(self) -> tuple[Received, ...]:
        """Every request so far, in the order of their arrival, those that were refused among them."""
        with self._lock:
            return tuple(self._requests)

    @property
    def unused(self) -> int:
        """Answers of the script that nobody has asked for yet."""
        return self._service.script.left

    def script(self, *answers: AnswerLike) -> None:
        """Put answers behind those of the script."""
        self._service.script.add(answers)

    def when(self, predicate: Callable[[Mapping[str, Any]], bool], *answers: AnswerLike) -> None:
        """Keep answers for the requests whose body the predicate holds for, one each.

        Such a request takes them first; when they are used up, the next of the others.
        """
        self._service.script.route(predicate, answers)

    def client(self, **options: Any) -> Anthropic:
        """An SDK client for this server, with `max_retries=0` unless `options` say otherwise. The caller closes it."""
        from anthropic import Anthropic, DefaultHttpxClient  # noqa: PLC0415 - the SDK is optional

        return Anthropic(**self._options(DefaultHttpxClient, options))

    def async_client(self, **options: Any) -> AsyncAnthropic:
        """The same as `client`, for an event loop."""
        from anthropic import AsyncAnthropic, DefaultAsyncHttpxClient  # noqa: PLC0415 - the SDK is optional

        return AsyncAnthropic(**self._options(DefaultAsyncHttpxClient, options))

    def _options(self, http_client: Callable[..., Any], options: dict[str, Any]) -> dict[str, Any]:
        """Client options. No CA certificates are loaded: that takes 40 ms, and the server speaks plain HTTP."""
        if "http_client" not in options:
            options["http_client"] = http_client(verify=NO_CERTIFICATES)
        return {"base_url": self.url, "api_key": self.key, "max_retries": 0, **options}

    def start(self) -> None:
        """Begin to listen. Raises RuntimeError where the server runs already, OSError where its port is taken."""
        if self._listener is not None:
            raise RuntimeError("the server runs already")
        self._listener = Listener(self._answer, self._service.faults.append, self._clock, self._port)
        self._thread = threading.Thread(target=self._listener.serve, name="messages-server")
        self._thread.start()

    def close(self) -> None:
        """End every connection, waits included, and stop listening. To close twice is no harm."""
        if self._listener is not None and self._thread is not None:
            self._listener.wake()
            self._thread.join()
            self._listener.stop()
        self._listener = self._thread = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
        if error is None and self._service.faults:
            raise self._service.faults[0]

    def _answer(self, received: Received) -> Reply:
        with self._lock:
            self._requests.append(received)
        return self._service.reply(received)
