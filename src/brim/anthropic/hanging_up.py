"""Hanging up: a stream ended from another thread than the one that reads it and waits in the provider's silence.

To close a connection does not wake whoever reads from it; to shut its socket does, and the reader then closes it.
"""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import Any


def hang_up(stream: Any) -> None:
    """End the connection that the SDK reads a stream from; nothing where it has ended, or where others share it."""
    response = getattr(stream, "response", None)
    if response is None or response.is_closed or not response.http_version.startswith("HTTP/1"):
        return
    network = response.extensions.get("network_stream")
    connection = network.get_extra_info("socket") if network is not None else None
    if isinstance(connection, socket.socket):
        with suppress(OSError):
            socket.socket.shutdown(connection, socket.SHUT_RDWR)
