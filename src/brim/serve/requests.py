"""Requests: which of an agent's requests hold a conversation, and why others are passed on as they are.

Specified by features/serve/requests.feature (SRV_02).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic_core import PydanticSerializationError, from_json, to_json

from brim.compaction.context_window import Request
from brim.conversation.formats import ANTHROPIC, CHAT, RESPONSES, Format
from brim.engine.compactor import request_of_body
from brim.engine.conversation import RECOVERIES, Outgoing, Recovery
from brim.errors import InvalidInput
from brim.serve.store import StoredConversation, StoredConversations

HOP_BY_HOP: Final = frozenset(
    b"connection keep-alive proxy-authenticate proxy-authorization proxy-connection te trailer transfer-encoding "
    b"upgrade".split()
)
"""Headers of a connection, which are not those of the message (RFC 9110, 7.6.1)."""
WHO_ASKS: Final = re.compile("auth|(?<!idempotency-)key|token|secret|account|organization|project|workspace|tenant")
"""What is in the names of headers that say who asks, a gateway's own among them."""
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


@dataclass(slots=True)
class Call:
    """A request that holds a conversation, and what is sent for it."""

    api: Api
    url: str
    """Where it goes."""
    payload: bytes = field(repr=False)
    """The body that is sent: the caller's own, until brim writes another."""
    body: Mapping[str, Any] = field(repr=False)
    """What the caller's own says."""
    headers: Mapping[str, str] = field(repr=False)
    """The caller's, the key among them."""
    sent: tuple[StoredConversations, StoredConversation, Outgoing] | None = None
    """What is sent, and of which conversation; None where brim could not tell."""
    recoveries: Iterator[Recovery] = field(default_factory=lambda: iter(RECOVERIES))
    usage: Mapping[str, Any] | None = None
    """The usage that the response has reported so far."""

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
        return request_of_body({**body, "messages": self.messages, "system": self.body.get("instructions")}, {})

    def write(self, messages: Any) -> None:
        """Send a body with other messages."""
        body = {**self.body, self.api.field: [*messages]}
        try:
            self.payload = to_json(body)
        except (PydanticSerializationError, ValueError):  # half a character, which goes out escaped as it came
            self.payload = json.dumps(body).encode()


def end_to_end(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    """Return the headers of a message, in lower case, without those of its connection."""
    lower = [(name.lower(), value) for name, value in headers]
    named = {one.strip().lower() for name, value in lower if name == b"connection" for one in value.split(b",")}
    return [one for one in lower if one[0] not in HOP_BY_HOP and one[0] not in named]


def read_call(api: Api, url: str, payload: bytes, raw_headers: Iterable[tuple[bytes, bytes]]) -> Call:
    """Read a request. Raises UnchangedRequest where it is passed on as it is (SRV_02)."""
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in raw_headers}
    if (encoding := headers.get("content-encoding", "identity")) != "identity":
        raise UnchangedRequest(f"its body is encoded as {encoding}, which brim does not read")
    try:
        try:
            body = from_json(payload)
        except ValueError:  # half a character, or more levels than it reads
            body = json.loads(payload)
    except (ValueError, RecursionError) as error:
        raise UnchangedRequest("its body is no JSON") from error
    if not isinstance(body, Mapping) or not isinstance(body.get(api.field), list) or not body[api.field]:
        raise UnchangedRequest(f"its body has no list of {api.field}")
    for reason in (_reasons if api.format == ANTHROPIC else _openai_reasons)(body):
        raise UnchangedRequest(reason)
    return Call(api, url, payload, body, headers)


def _reasons(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield why the provider has to see a request as it is."""
    edits = str(body.get("context_management"))
    if body.get("compaction") is not None or any(one in edits for one in CLEARED_BY_PROVIDER):
        yield "it asks the provider to compact or clear (context_management)"
    thread = body.get("thread")
    if isinstance(thread, Mapping) and thread.get("type") == "continue":
        yield "the provider holds its history (thread)"


def _openai_reasons(body: Mapping[str, Any]) -> Iterator[str]:
    """Yield why OpenAI has to see a request as it is."""
    yield from (f"the provider holds or compacts its history ({name})" for name in HELD_BY_PROVIDER if body.get(name))
    if any(isinstance(one, Mapping) and one.get("type") == TRIGGER for one in body.get("input") or ()):
        yield f"it asks the provider to compact ({TRIGGER})"
