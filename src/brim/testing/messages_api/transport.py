"""Transport: replies over HTTP and server-sent events, and the ways in which they break off."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import socketserver
import sys
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

from brim.testing.failures import Failure
from brim.testing.messages_api.exchange import Received, Reply, encode, read_request


class Listener(socketserver.ThreadingMixIn, HTTPServer):
    """Listens on a port of loopback, 0 for a free one, with a thread for each connection."""

    daemon_threads = False
    request_queue_size = 128

    def __init__(
        self,
        answer: Callable[[Received], Reply],
        failed: Callable[[Exception], None],
        clock: Callable[[], float],
        port: int = 0,
    ) -> None:
        self.answer = answer
        self.failed = failed
        self.clock = clock
        self._connections: set[socket.socket] = set()
        self._guard = threading.Lock()
        self._awake, self._waker = socket.socketpair()
        super().__init__(("127.0.0.1", port), Exchange)

    def server_bind(self) -> None:
        """Bind without asking the network for the name of this host."""
        socketserver.TCPServer.server_bind(self)
        self.server_name, self.server_port = self.server_address[:2]  # type: ignore[assignment]

    def process_request(self, request: Any, client_address: Any) -> None:
        """Keep track of a new connection."""
        with self._guard:
            self._connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Let go of a connection."""
        with self._guard:
            self._connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002 - the base class's own names
        """Tell what could not be written; a client that went away is no error of the server."""
        error = sys.exception()
        if isinstance(error, Exception) and not isinstance(error, OSError):
            self.failed(error)

    def serve(self) -> None:
        """Answer every connection until the server stops."""
        awake = self._awake.fileno()
        while awake not in select.select([self.fileno(), awake], [], [])[0]:
            self.handle_request()

    def wake(self) -> None:
        """End `serve` and every wait."""
        self._waker.close()

    def wait_in_silence(self, connection: socket.socket, seconds: float) -> None:
        """Wait until the client gives up, the server closes, or the seconds are over."""
        select.select([connection, self._awake], [], [], seconds)

    def stop(self) -> None:
        """End every connection, and every thread with them, once `serve` has ended."""
        with self._guard:
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
        self.server_close()
        self._awake.close()


class Exchange(BaseHTTPRequestHandler):
    """One connection: requests are read and replies written until one side ends it."""

    server: Listener
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def do_GET(self) -> None:
        """Answer a GET."""
        self._exchange()

    def do_POST(self) -> None:
        """Answer a POST."""
        self._exchange()

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's own name
        """Say nothing: what arrived is in the server's record."""

    def _exchange(self) -> None:
        payload = self.rfile.read(int(self.headers.get("content-length") or 0))
        headers = dict(self.headers.items())
        received = read_request(self.command, self.path, headers, payload, self.server.clock())
        reply = self.server.answer(received)
        with contextlib.suppress(ConnectionError):
            self._write(reply)
            if reply.ending is not None:
                self._end(reply.ending)

    def _write(self, reply: Reply) -> None:
        if reply.events is not None:
            self._write_events(reply)
        elif reply.body is not None:
            self._write_body(reply)

    def _write_body(self, reply: Reply) -> None:
        payload = json.dumps(reply.body, ensure_ascii=False).encode()
        self._write_head(reply, {"content-type": "application/json", "content-length": str(len(payload))})
        self.wfile.write(payload[: len(payload) // 2] if reply.ending else payload)

    def _write_events(self, reply: Reply) -> None:
        self._write_head(reply, {"content-type": "text/event-stream; charset=utf-8", "transfer-encoding": "chunked"})
        for event in reply.events or ():
            self._write_chunk(encode(event))
        if reply.ending is None:
            self._write_chunk(b"")

    def _write_head(self, reply: Reply, headers: dict[str, str]) -> None:
        self.send_response(reply.status)
        for name, value in {**headers, **reply.headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _write_chunk(self, data: bytes) -> None:
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def _end(self, ending: Failure) -> None:
        if ending.ending == "hang":
            self.server.wait_in_silence(self.connection, ending.seconds)
        self.close_connection = True


def monotonic() -> float:
    """Seconds of the clock that only goes forward."""
    return time.monotonic()
