"""Passing: bytes of a response on their way to whoever reads them, with somebody listening."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import TYPE_CHECKING, Any
from weakref import ref

from brim.engine.loop.usage_heard import STREAMED, Report, UsageHeard

if TYPE_CHECKING:
    from httpx2 import Response


def listen(response: Response, report: Report) -> None:
    """Report the usage of a response: at once where it was read already, else while its caller reads it.

    Nothing is read that the caller does not read, and every byte reaches him as it came, decoded as he would have it.
    """
    heard = UsageHeard(report, streamed=response.headers.get("content-type", "").startswith(STREAMED))
    if response.is_stream_consumed:
        heard.hear(response.content)
        heard.end()
        return
    _listen_while_read(response, heard)


def _listen_while_read(response: Any, heard: UsageHeard) -> None:
    """The SDK reads bodies through these two, raw or parsed, line by line or at once.

    They do not hold the response: a stream that is dropped unread closes when its last reader lets go of it.
    """
    kind, here = type(response), ref(response)

    def iter_bytes(chunk_size: int | None = None) -> Iterator[bytes]:
        for piece in kind.iter_bytes(here(), chunk_size):
            heard.hear(piece)
            yield piece
        heard.end()

    async def aiter_bytes(chunk_size: int | None = None) -> AsyncGenerator[bytes, None]:
        async with aclosing(kind.aiter_bytes(here(), chunk_size)) as pieces:
            async for piece in pieces:
                heard.hear(piece)
                yield piece
        heard.end()

    response.iter_bytes, response.aiter_bytes = iter_bytes, aiter_bytes
