"""What the servers have in common: where they listen, what they have received, and the script that they answer from."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, ClassVar, Final, Self

from brim.testing.answers import AnswerLike
from brim.testing.messages_api.exchange import Received, Reply
from brim.testing.messages_api.messages_service import Script
from brim.testing.messages_api.transport import Listener

NO_CERTIFICATES: Final = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


class ScriptedServer:
    """Listens on loopback as a context manager, keeps every request, and answers each by the API that it serves."""

    _base_path: ClassVar = ""
    """What a client's `base_url` has behind the address."""

    def __init__(
        self,
        script: Script[AnswerLike],
        faults: list[Exception],
        reply: Callable[[Received], Reply],
        *,
        key: str,
        port: int,
        clock: Callable[[], float],
    ) -> None:
        self.key = key
        self._script, self._faults, self._reply = script, faults, reply
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
        return self._script.left

    def script(self, *answers: AnswerLike) -> None:
        """Put answers behind those of the script."""
        self._script.add(answers)

    def when(self, predicate: Callable[[Mapping[str, Any]], bool], *answers: AnswerLike) -> None:
        """Keep answers for the requests whose body the predicate holds for, one each.

        Such a request takes them first; when they are used up, the next of the others.
        """
        self._script.route(predicate, answers)

    def _options(self, http_client: Callable[..., Any], options: dict[str, Any]) -> dict[str, Any]:
        """Client options. No CA certificates are loaded: that takes 40 ms, and the server speaks plain HTTP."""
        if "http_client" not in options:
            options["http_client"] = http_client(verify=NO_CERTIFICATES)
        return {"base_url": f"{self.url}{self._base_path}", "api_key": self.key, "max_retries": 0, **options}

    def start(self) -> None:
        """Begin to listen. Raises RuntimeError where the server runs already, OSError where its port is taken."""
        if self._listener is not None:
            raise RuntimeError("the server runs already")
        self._listener = Listener(self._answer, self._faults.append, self._clock, self._port)
        self._thread = threading.Thread(target=self._listener.serve, name="scripted-server")
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
        if error is None and self._faults:
            raise self._faults[0]

    def _answer(self, received: Received) -> Reply:
        with self._lock:
            self._requests.append(received)
        return self._reply(received)
