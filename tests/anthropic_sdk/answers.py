"""What the tests ask of the SDK, and an error as it makes them."""

from __future__ import annotations

from typing import Any

import httpx2
from anthropic import Anthropic, APIStatusError

from brim.summary.summarizer_input import SummaryRequest
from steps.api_answers import MODEL, URL


def status_error(status: int, body: Any) -> APIStatusError:
    """The SDK's own error of such an answer."""
    response = httpx2.Response(status, request=httpx2.Request("POST", URL))
    return Anthropic(api_key="key")._make_status_error("told", body=body, response=response)


def request(**changed: Any) -> SummaryRequest:
    """A request for a summary."""
    plain = {
        "model": MODEL,
        "system": "You write summaries.",
        "messages": ({"role": "user", "content": "Summarize."},),
        "max_tokens": 1_000,
        "form": "rendered",
        "tokens": 10,
        "replaces_tokens": 100,
    }
    return SummaryRequest(**plain | changed)
