"""Received requests: what a client sent, as it arrived."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qs, urlsplit

MESSAGES = "/v1/messages"
COUNT = "/v1/messages/count_tokens"
MODELS = "/v1/models"


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """One HTTP request."""

    method: str
    """The method, such as POST."""
    path: str
    """The path without its query."""
    query: Mapping[str, list[str]]
    """The query, each name with its values."""
    headers: Mapping[str, str]
    """Header names are in small letters."""
    body: Any
    """The JSON of the body; None where there is none, or it is no JSON."""
    size: int
    """The length of the body, in bytes."""
    time: float
    """Seconds of the server's monotonic clock."""

    @property
    def betas(self) -> frozenset[str]:
        """The betas that the request asks for."""
        return frozenset(name.strip() for name in self.headers.get("anthropic-beta", "").split(",") if name.strip())


def read_request(method: str, target: str, headers: Mapping[str, str], payload: bytes, time: float) -> Received:
    """A request as its parts arrived."""
    address = urlsplit(target)
    try:
        body = json.loads(payload) if payload else None
    except ValueError:
        body = None
    small = {name.lower(): value for name, value in headers.items()}
    query = parse_qs(address.query)
    return Received(
        method=method, path=address.path, query=query, headers=small, body=body, size=len(payload), time=time
    )
