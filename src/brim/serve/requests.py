"""Requests: which of an agent's requests hold a conversation, and why others are passed on as they are.

Specified by features/serve/requests.feature (SRV_02).
"""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic_core import PydanticSerializationError, from_json, to_json

from brim.anthropic.requests import read_request
from brim.compaction.context_window import Request
from brim.conversation.formats import ANTHROPIC, CHAT, RESPONSES, Format
from brim.engine.compactor import request_of_body
from brim.errors import InvalidInput

HOP_BY_HOP: Final = frozenset(
    {
        *(b"connection", b"keep-alive", b"proxy-authenticate", b"proxy-authorization", b"proxy-connection"),
        *(b"te", b"trailer", b"transfer-encoding", b"upgrade"),
    }
)
"""Headers of a connection, which are not those of the message (RFC 9110, 7.6.1)."""
WHO_ASKS: Final = re.compile("auth|(?<!idempotency-)key|token|secret|account|organization|project|workspace|tenant")
"""What is in the names of headers that say who asks, a gateway's own among them."""
READABLE: Final = frozenset({"gzip", "deflate", "identity"})
"""Encodings that brim reads: a response's in another one could not be measured."""
NO_PROXY: Final[Mapping[str, None]] = {"http://": None}
"""What has no TLS stays on this machine, and reaches no proxy that the environment names."""
MAX_BODY: Final = 64 * 2**20
"""Bytes of a conversation at most; the APIs take half of that."""
CLEARED_BY_PROVIDER: Final = ("compact_", "clear_tool_uses_")
"""How the edits begin by which the provider compacts or clears."""


@dataclass(frozen=True, slots=True)
class Api:
    """An API whose requests hold a whole conversation."""

    path: str
    """How the path of such a request ends."""
    format: Format
    field: str
    """The field of the body that holds the messages."""
    counts: str = ""
    """How the path goes on where such a request is not answered, but its tokens are counted."""


APIS: Final = (
    Api("/v1/messages", ANTHROPIC, "messages"),
    Api("/chat/completions", CHAT, "messages"),
    Api("/responses", RESPONSES, "input"),
    Api("/v1/messages", ANTHROPIC, "messages", counts="/count_tokens"),
    Api("/responses", RESPONSES, "input", counts="/input_tokens"),
)
HELD_BY_PROVIDER: Final = ("previous_response_id", "conversation", "background", "context_management")
"""Fields of a request to OpenAI's APIs by which the provider holds or changes the conversation."""
TRIGGER: Final = "compaction_trigger"
"""The type of the item that has the provider compact."""


def api_of(method: str, path: str) -> Api | None:
    """Return the API that a request is for; None where it is for none that brim reads."""
    return next((api for api in APIS if method == "POST" and path.endswith(api.path + api.counts)), None)


class UnchangedRequest(InvalidInput):
    """A request that is passed on as it is: says why."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request that holds a conversation, as it was read."""

    api: Api
    url: str
    """Where it goes."""
    payload: bytes = field(repr=False)
    """Its body as it came."""
    body: Mapping[str, Any] = field(repr=False)
    headers: Mapping[str, str] = field(repr=False)
    """Its headers, the key among them."""

    @property
    def owner(self) -> tuple[str, ...]:
        """Return who asks, and whom."""
        who = sorted(one for one in self.headers.items() if WHO_ASKS.search(one[0]))
        return (self.url.partition("?")[0].removesuffix(self.api.counts), *(part for one in who for part in one))

    @property
    def messages(self) -> list[Any]:
        """The caller's messages."""
        messages: list[Any] = self.body[self.api.field]
        return messages

    @property
    def model(self) -> str:
        """The model that is asked; empty where none is named."""
        model = self.body.get("model")
        return model if isinstance(model, str) else ""

    @property
    def request(self) -> Request:
        """The request as the engine takes it. Raises InvalidInput."""
        if self.api.format == ANTHROPIC:
            return request_of_body(self.body, self.headers)
        body = {name: value for name, value in self.body.items() if name not in ("input", "instructions", "messages")}
        return read_request({**body, "messages": self.messages, "system": self.body.get("instructions")})

    def written(self, messages: Any) -> bytes:
        """Write the body with other messages."""
        body = {**self.body, self.api.field: [*messages]}
        try:
            return to_json(body)
        except (PydanticSerializationError, ValueError):  # half a character, which goes out escaped as it came
            return json.dumps(body).encode()


def end_to_end(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return the headers of a message, in lower case, without those of its connection."""
    lower = [(name.lower(), value) for name, value in headers]
    named = {one.strip().lower() for name, value in lower if name == b"connection" for one in value.split(b",")}
    return [one for one in lower if one[0] not in HOP_BY_HOP and one[0] not in named]


def read_call(api: Api, url: str, payload: bytes, raw_headers: Iterable[tuple[bytes, bytes]]) -> Call:
    """Read a request. Raises UnchangedRequest where it is passed on as it is (SRV_02)."""
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in raw_headers}
    try:
        text = _decoded(payload, headers.get("content-encoding", "identity").strip().lower())
        try:
            body = from_json(text)
        except ValueError:  # half a character, or more levels than it reads
            body = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UnchangedRequest("its body is no JSON") from error
    if not isinstance(body, Mapping) or not isinstance(body.get(api.field), list) or not body[api.field]:
        raise UnchangedRequest(f"its body has no list of {api.field}")
    for reason in (_reasons if api.format == ANTHROPIC else _openai_reasons)(body):
        raise UnchangedRequest(reason)
    return Call(api, url, payload, body, headers)


def decompressor() -> Any:
    """Return what reads gzip and deflate."""
    return zlib.decompressobj(zlib.MAX_WBITS | 32)


def _decoded(payload: bytes, encoding: str) -> bytes:
    """Return a body without its encoding. Raises UnchangedRequest for one that brim does not read."""
    if encoding not in READABLE:
        raise UnchangedRequest(f"its body is encoded as {encoding}, which brim does not read")
    if encoding == "identity":
        return payload
    reader = decompressor()
    try:
        decoded: bytes = reader.decompress(payload, MAX_BODY)
    except zlib.error as error:
        raise UnchangedRequest(f"its body is not encoded as {encoding}, as it says") from error
    if reader.unconsumed_tail:
        raise UnchangedRequest(f"its body has more than {MAX_BODY:,} bytes")
    return decoded


def _reasons(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield why the provider has to see a request as it is."""
    management = body.get("context_management")
    edits = management.get("edits") if isinstance(management, Mapping) else management
    kinds = [str(edit.get("type")) for edit in edits if isinstance(edit, Mapping)] if isinstance(edits, list) else []
    if body.get("compaction") is not None or any(kind.startswith(CLEARED_BY_PROVIDER) for kind in kinds):
        yield "it asks the provider to compact or clear (context_management)"
    thread = body.get("thread")
    if isinstance(thread, Mapping) and thread.get("type") == "continue":
        yield "the provider holds its history (thread)"


def _openai_reasons(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield why OpenAI has to see a request as it is."""
    yield from (f"the provider holds or compacts its history ({name})" for name in HELD_BY_PROVIDER if body.get(name))
    items = body.get("input")
    if isinstance(items, list) and any(isinstance(one, Mapping) and one.get("type") == TRIGGER for one in items):
        yield f"it asks the provider to compact ({TRIGGER})"
