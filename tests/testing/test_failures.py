import anthropic
import httpx2
import pytest

from brim.testing import (
    dropped,
    dropped_midstream,
    failed,
    failed_midstream,
    hang,
    hang_midstream,
    overloaded,
    rate_limited,
    rejected,
    too_long,
)
from tests.testing.requests import asking

STATUSES = {
    "rate limited": (rate_limited(3), anthropic.RateLimitError, (429, "rate_limit_error")),
    "overloaded": (overloaded(), anthropic.OverloadedError, (529, "overloaded_error")),
    "failed": (failed(), anthropic.InternalServerError, (500, "api_error")),
    "too long": (too_long(), anthropic.BadRequestError, (400, "invalid_request_error")),
    "rejected": (
        rejected("no", status=403, kind="permission_error"),
        anthropic.PermissionDeniedError,
        (403, "permission_error"),
    ),
}
BREAKS = {
    "dropped": (dropped_midstream("abcdef", after=3), httpx2.RemoteProtocolError),
    "failed": (failed_midstream("abcdef", after=3), anthropic.APIStatusError),
    "silent": (hang_midstream("abcdef", after=3), httpx2.ReadTimeout),
    "silent, then dropped": (hang_midstream("abcdef", after=3, seconds=0.01), httpx2.RemoteProtocolError),
}


def stream_text(client, heard):
    """Ask for a stream and hear its text."""
    with client.messages.stream(**asking()) as stream:
        for text in stream.text_stream:
            heard.append(text)


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("failure", "error", "told"), STATUSES.values(), ids=STATUSES)
def test_a_failure_is_the_sdks_error(client, server, failure, error, told, stream):  # noqa: PLR0917 - a table's columns
    """Each failure with a status is the SDK's error for it, streamed or not."""
    server.script(failure)
    with pytest.raises(error) as met:
        client.messages.create(**asking(), stream=stream)
    assert (met.value.status_code, met.value.type) == told


@pytest.mark.parametrize(("seconds", "header"), [(3, "3"), (0.5, "0.5"), (None, None)])
def test_the_wait_is_in_the_header(server, client, seconds, header):
    """The seconds to wait are told in the header, where there are any."""
    server.script(rate_limited(seconds))
    with pytest.raises(anthropic.RateLimitError) as met:
        client.messages.create(**asking())
    assert met.value.response.headers.get("retry-after") == header


@pytest.mark.parametrize("stream", [False, True])
def test_a_dropped_connection_is_a_connection_error(server, client, stream):
    """A connection that closes before any byte is the SDK's connection error."""
    server.script(dropped())
    with pytest.raises(anthropic.APIConnectionError):
        client.messages.create(**asking(), stream=stream)


@pytest.mark.parametrize(("failure", "error"), BREAKS.values(), ids=BREAKS)
def test_a_stream_breaks_off_where_the_script_says(server, failure, error):
    """So much of the text is heard, to the character, and then comes the error."""
    server.script(failure)
    heard = []
    with server.client(timeout=0.2) as client, pytest.raises(error):
        stream_text(client, heard)
    assert "".join(heard) == "abc"


@pytest.mark.parametrize("failure", [dropped_midstream(), hang_midstream(seconds=0.01)])
def test_a_body_breaks_off_in_its_middle(server, client, failure):
    """Without a stream, a drop in the middle leaves half a body: a connection error."""
    server.script(failure)
    with pytest.raises(anthropic.APIConnectionError):
        client.messages.create(**asking())


def test_an_error_in_mid_stream_names_its_kind(server, client):
    """The event tells the kind of the error, for the status is long gone."""
    server.script(failed_midstream("abcdef", 3))
    with pytest.raises(anthropic.APIStatusError) as met:
        stream_text(client, [])
    assert (met.value.status_code, met.value.body["error"]["type"]) == (200, "overloaded_error")


def test_a_silence_ends_with_the_clients_patience(server):
    """A client that gives up meets its own time-out, and the server is free at once."""
    server.script(hang())
    with server.client(timeout=0.05) as client, pytest.raises(anthropic.APITimeoutError):
        client.messages.create(**asking())
