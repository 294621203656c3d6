import anthropic
import httpx2
import pytest

from brim.testing import MessagesServer, ServedModel
from tests.testing.requests import MODEL, asking, assistant, call, user

BLANK = asking(user(" "))
UNPAIRED = asking(user("a"), assistant([call("t1")]), user("b"))


def post(server, path="/v1/messages", *, content=b"{}", headers=None):
    """What the server says to a request that no SDK would send."""
    sent = {"x-api-key": server.key, "anthropic-version": "2023-06-01"} | (headers or {})
    return httpx2.post(server.url + path, content=content, headers=sent)


def test_a_refusal_has_the_shape_of_the_real_one(client):
    """A refusal has a type, a kind, a message and the id of the request, in the body and in the header."""
    with pytest.raises(anthropic.BadRequestError) as refusal:
        client.messages.create(**BLANK)
    message = "messages: text content blocks must contain non-whitespace text"
    body = refusal.value.body
    assert (body["type"], body["error"]) == ("error", {"type": "invalid_request_error", "message": message})
    assert body["request_id"] == refusal.value.request_id


@pytest.mark.parametrize("beta", [False, True])
@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal_is_the_same_in_every_way_to_ask(client, stream, beta):
    """Streamed or not, beta or not, the refusal is the same error of the SDK."""
    messages = client.beta.messages if beta else client.messages
    with pytest.raises(anthropic.BadRequestError, match="without `tool_result` blocks immediately after: t1"):
        messages.create(**UNPAIRED, stream=stream)


@pytest.mark.parametrize("options", [{"api_key": "sk-other"}, {"api_key": None, "auth_token": "other"}])
def test_a_wrong_key_is_refused(server, options):
    """A key that the server does not know is a 401."""
    with server.client(**options) as client, pytest.raises(anthropic.AuthenticationError):
        client.messages.create(**asking())


def test_no_key_is_refused(server):
    """A request without a key is a 401."""
    refused = httpx2.post(f"{server.url}/v1/messages", json=asking())
    assert refused.status_code == 401
    assert refused.json()["error"] == {"type": "authentication_error", "message": "x-api-key header is required"}


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff"])
def test_a_body_that_is_no_object_is_refused(server, content):
    """A body that is no JSON object is a 400."""
    refused = post(server, content=content)
    assert (refused.status_code, refused.json()["error"]["type"]) == (400, "invalid_request_error")


def test_a_body_beyond_32_megabytes_is_refused(server):
    """A body that is larger than the API takes is a 413."""
    with server.client() as client, pytest.raises(anthropic.RequestTooLargeError, match="exceeds the maximum size"):
        client.messages.create(**asking(user("x" * 32 * 1024 * 1024)))


@pytest.mark.parametrize("ask", ["create", "count_tokens", "retrieve"])
def test_an_unknown_model_is_refused(client, ask):
    """A model that the server does not have is a 404, whatever is asked of it."""
    name = "claude-none"
    calls = {
        "create": lambda: client.messages.create(**asking(model=name)),
        "count_tokens": lambda: client.messages.count_tokens(model=name, messages=[user("a")]),
        "retrieve": lambda: client.models.retrieve(name),
    }
    with pytest.raises(anthropic.NotFoundError, match=f"model: {name}"):
        calls[ask]()


def test_too_long_an_answer_is_refused(client):
    """More than the model's longest answer is not asked for."""
    assert client.messages.create(**asking(max_tokens=4_000)).stop_reason == "end_turn"
    with pytest.raises(anthropic.BadRequestError, match="max_tokens: 4001 > 4000, which is the maximum allowed"):
        client.messages.create(**asking(max_tokens=4_001))


def test_a_prompt_may_fill_the_window_and_no_more(client):
    """A window of 10,000 tokens takes a prompt of 10,000, and refuses one of 10,001."""
    client.messages.create(**asking(user("x" * 40_000)))
    with pytest.raises(anthropic.BadRequestError, match="prompt is too long: 10001 tokens > 10000 maximum"):
        client.messages.create(**asking(user("x" * 40_001)))


def test_the_beginning_of_an_answer_is_refused(client):
    """A model of today does not carry on an answer that the request begins."""
    with pytest.raises(anthropic.BadRequestError, match="does not support assistant message prefill"):
        client.messages.create(**asking(user("a"), assistant("b")))


def test_the_beginning_of_an_answer_ends_without_space():
    """A model that takes the beginning of an answer does not take it with a space at its end."""
    with MessagesServer(models={MODEL: ServedModel(10_000, 4_000, prefill=True)}) as server, server.client() as client:
        client.messages.create(**asking(user("a"), assistant("b")))
        with pytest.raises(anthropic.BadRequestError, match="cannot end with trailing whitespace"):
            client.messages.create(**asking(user("a"), assistant("b ")))


def test_what_is_refused_uses_no_answer(server, client):
    """A refused request leaves the script as it was."""
    server.script("the answer")
    with pytest.raises(anthropic.BadRequestError):
        client.messages.create(**BLANK)
    assert server.unused == 1
    assert client.messages.create(**asking()).content[0].text == "the answer"
