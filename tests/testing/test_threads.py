from anthropic import beta_tool

from brim.testing import MessagesServer, only_a_tool_call
from tests.testing.requests import asking


@beta_tool
def look() -> str:
    """Look around."""
    return "a door"


def test_the_tool_runner_does_without_threads():
    """The server holds none, and the SDK's runner sends everything then."""
    with MessagesServer([only_a_tool_call("look")]) as server, server.client() as client:
        assert client.beta.messages.tool_runner(**asking(tools=[look])).until_done().content[0].text == "Done."
    assert [len(request.body["messages"]) for request in server.requests] == [1, 1, 3]
