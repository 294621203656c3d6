import threading
from concurrent.futures import ThreadPoolExecutor

import anthropic
import pytest

from brim.testing import Answer, MessagesServer, hang
from tests.testing.requests import asking, user


def said(client, *messages, **fields):
    """The text that is answered to a conversation."""
    return client.messages.create(**asking(*messages, **fields)).content[0].text


def test_every_request_is_kept_with_its_body_headers_path_and_time():
    """What arrived can be looked at in its order, what was refused with it."""
    with MessagesServer(clock=iter([1.5, 2.5, 4.0]).__next__) as server, server.client() as client:
        client.messages.create(**asking(user("a")))
        with pytest.raises(anthropic.BadRequestError):
            client.beta.messages.create(**asking(user("")), betas=["one", "two"])
        client.models.list()
    first, second, third = server.requests
    assert (first.method, first.path, first.body["messages"]) == ("POST", "/v1/messages", [user("a")])
    assert second.betas == {"one", "two"}
    assert (third.method, third.path, third.body) == ("GET", "/v1/models", None)
    assert [request.time for request in server.requests] == [1.5, 2.5, 4.0]
    assert first.headers["content-type"] == "application/json"


def test_the_script_runs_to_its_end_and_then_the_default():
    """Answers come in order; past the end comes what was chosen for that."""
    with MessagesServer(["one"], default="the default") as server, server.client() as client:
        server.script("two", "three")
        assert [said(client) for _ in range(5)] == ["one", "two", "three", "the default", "the default"]


def test_answers_can_be_kept_for_requests_of_a_kind(server, client):
    """What is kept for a kind of request goes to those alone, until it is used up."""
    server.script("first", "second")
    server.when(lambda body: body.get("system") == "Summarize.", "a summary")
    summary = {"system": "Summarize."}
    assert [said(client), said(client, **summary), said(client, **summary)] == ["first", "a summary", "second"]
    assert server.unused == 0


def test_a_fault_in_the_script_is_raised_when_the_server_closes():
    """A function of the script that fails is a 500 for the client, and its error reaches the test."""

    def fails(body):
        assert body["messages"] == []

    server = MessagesServer([fails])
    with pytest.raises(AssertionError), server, server.client(max_retries=2) as client:
        _fail(client)
    assert len(server.requests) == 1


def test_an_answer_that_is_no_json_is_raised_when_the_server_closes():
    """An answer that cannot be written is a dropped connection for the client, and an error for the test."""
    unwritable = Answer("Yes.", usage={"input_tokens": {1}})
    dropped = pytest.raises(anthropic.APIConnectionError)
    told = pytest.raises(TypeError, match="not JSON serializable")
    with told, MessagesServer([unwritable]) as server, server.client() as client, dropped:
        client.messages.create(**asking())


def _fail(client):
    with pytest.raises(anthropic.InternalServerError, match="the script failed: "):
        client.messages.create(**asking())


def test_many_clients_at_once():
    """Requests from many threads are all answered, each once."""
    server = MessagesServer([str(number) for number in range(40)])
    with server, server.client() as client, ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda number: said(client, user(f"{number}")), range(40)))
    assert sorted(map(int, answers)) == list(range(40))
    assert len(server.requests) == 40


def test_it_leaves_nothing_behind():
    """Closed, with a client that waits and one that idles, the server has no thread and no connection left."""
    before, arrived = threading.active_count(), threading.Event()
    scripted = ["one", lambda body: arrived.set() or hang()]
    with MessagesServer(scripted) as server, server.client() as idle, server.client() as waiting:
        said(idle)
        waiter = threading.Thread(target=_ask_in_vain, args=(waiting,))
        waiter.start()
        arrived.wait()
        server.close()
        waiter.join()
        assert threading.active_count() == before


def _ask_in_vain(client):
    with pytest.raises(anthropic.APIConnectionError):
        client.messages.create(**asking())


def test_it_says_when_it_does_not_run():
    """Before it starts and after it closed there is no address; to close again is no harm."""
    server = MessagesServer()
    with pytest.raises(RuntimeError, match="does not run"):
        _ = server.url
    with server, pytest.raises(RuntimeError, match="runs already"):
        server.start()
    server.close()
    with pytest.raises(RuntimeError, match="does not run"):
        _ = server.url
