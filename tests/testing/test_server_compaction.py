import anthropic
import pytest
from anthropic import beta_tool

from brim.testing import MessagesServer, only_a_tool_call, overloaded, text_block, thinking_block
from tests.testing.requests import BASH, BIG, asking, assistant, call, user

THRESHOLD = "compact-2026-01-12"
ON_DEMAND = "compact-2026-09-04"
EDIT = {"type": "compact_20260112"}
LONG = [user("x" * 4 * 150_000)]


@pytest.fixture
def compacting():
    """A server whose summaries are scripted: one, then one that fails."""
    with MessagesServer(["the answer"], compactions=["Summary one.", None]) as running:
        yield running


@pytest.fixture
def caller(compacting):
    """Its client."""
    with compacting.client() as opened:
        yield opened


def at_threshold(client, *messages, stream=False, **edit):
    """Send a conversation with the edit that compacts at a threshold."""
    fields = asking(*messages, model=BIG, betas=[THRESHOLD], context_management={"edits": [EDIT | edit]})
    if not stream:
        return client.beta.messages.create(**fields)
    with client.beta.messages.stream(**fields) as streamed:
        return streamed.get_final_message()


def on_demand(client, *messages, **fields):
    """Ask for a summary of a conversation."""
    return client.beta.messages.create(
        **asking(*messages, model=BIG), betas=[ON_DEMAND], **({"compaction": {"type": "summarize"}} | fields)
    )


@pytest.mark.parametrize("stream", [False, True])
def test_at_the_threshold_a_summary_comes_first(caller, stream):
    """At 150,000 tokens the answer begins with a summary; the usage tells the summary's cost apart."""
    said = at_threshold(caller, *LONG, stream=stream)
    assert [block.type for block in said.content] == ["compaction", "text"]
    assert (said.content[0].content, said.content[1].text) == ("Summary one.", "the answer")
    told = [(one.type, one.input_tokens) for one in said.usage.iterations]
    assert told == [("compaction", 150_000), ("message", 3)]
    assert said.usage.input_tokens == 3


def test_below_the_threshold_there_is_none(caller):
    """One token less, and the answer is only an answer."""
    said = at_threshold(caller, user("x" * 4 * 149_999))
    assert [block.type for block in said.content] == ["text"]


def test_the_threshold_can_be_chosen_from_50000(caller):
    """A threshold of 50,000 tokens is the lowest."""
    assert (
        at_threshold(caller, user("x" * 4 * 50_000), trigger={"type": "input_tokens", "value": 50_000}).content[0].type
        == "compaction"
    )
    with pytest.raises(anthropic.BadRequestError, match="greater than or equal to 50000"):
        at_threshold(caller, user("a"), trigger={"type": "input_tokens", "value": 49_999})


def test_what_stands_before_a_summary_is_not_read(compacting, caller):
    """With the summary sent back, the history before it costs nothing, whether it is sent or not."""
    said = assistant([block.to_dict() for block in at_threshold(caller, *LONG).content])
    whole = at_threshold(caller, *LONG, said, user("Go on"))
    short = at_threshold(caller, said, user("Go on"))
    assert whole.usage.input_tokens == short.usage.input_tokens < 20


def test_a_pause_gives_the_summary_alone(compacting, caller):
    """Where the request asks to pause, the answer waits for the next request."""
    paused = at_threshold(caller, *LONG, pause_after_compaction=True)
    assert ([block.type for block in paused.content], paused.stop_reason) == (["compaction"], "compaction")
    assert compacting.unused == 1
    said = at_threshold(caller, *LONG, assistant([block.to_dict() for block in paused.content]))
    assert [block.type for block in said.content] == ["text"]


def test_a_summary_that_failed_changes_nothing(compacting, caller):
    """A summary of null is handed out, and passed over when it comes back."""
    at_threshold(caller, *LONG)
    failed = at_threshold(caller, *LONG)
    assert failed.content[0].content is None
    assert failed.usage.input_tokens == 150_000
    said = assistant([block.to_dict() for block in failed.content])
    again = at_threshold(caller, *LONG, said, user("Go on"))
    assert [block.type for block in again.content] == ["compaction", "text"]


def test_a_summary_can_be_written_by_a_function_or_fail():
    """A summary may depend on the request, and the call for it may fail."""
    summaries = [lambda body: f"{len(body['messages'])} messages", overloaded()]
    with MessagesServer(compactions=summaries) as server, server.client() as client:
        assert at_threshold(client, *LONG).content[0].content == "1 messages"
        with pytest.raises(anthropic.OverloadedError):
            at_threshold(client, *LONG)


def test_thinking_behind_a_summary_is_bound_to_it(compacting, caller):
    """Thinking that follows a summary comes back behind it, with the history before it or without."""
    with MessagesServer([[thinking_block("Hm."), text_block("Yes.")]]) as server, server.client() as client:
        said = assistant([block.to_dict() for block in at_threshold(client, *LONG).content])
        at_threshold(client, *LONG, said, user("Go on"))
        at_threshold(client, said, user("Go on"))
        changed = assistant([{**said["content"][0], "content": "Another summary."}, *said["content"][1:]])
        with pytest.raises(anthropic.BadRequestError, match=r"messages.1.content.1.*bound to a different conversation"):
            at_threshold(client, *LONG, changed, user("Go on"))


def test_on_demand_the_answer_is_the_summary_alone(compacting, caller):
    """Asked for a summary, the server gives it, signed, and does not touch the script."""
    said = on_demand(caller, user("a"), assistant("b"))
    [block] = said.content
    assert (block.type, block.content, said.stop_reason) == ("compaction", "Summary one.", "compaction")
    assert block.signature
    assert compacting.unused == 1
    go_on = [said.to_dict()["content"]]
    answer = caller.beta.messages.create(**asking(assistant(go_on[0]), user("Go on")), betas=[ON_DEMAND])
    assert answer.content[0].text == "the answer"


ON_DEMAND_FAULTS = {
    "an open call": (
        [user("a"), assistant([call("t1")])],
        {},
        anthropic.types.CompactionIncompleteTurnError,
        "unfinished `assistant` turn",
    ),
    "a paused turn": (
        [user("a"), assistant([call("t1", "web_search") | {"type": "server_tool_use"}])],
        {},
        anthropic.types.CompactionIncompleteTurnError,
        "unfinished `assistant` turn",
    ),
    "no content": ([user([])], {}, anthropic.BadRequestError, "non-empty content"),
    "with edits": ([user("a")], {"context_management": {"edits": []}}, anthropic.BadRequestError, "cannot be combined"),
    "with stops": ([user("a")], {"stop_sequences": ["x"]}, anthropic.BadRequestError, "cannot be combined"),
    "with a forced call": (
        [user("a")],
        {"tool_choice": {"type": "any"}, "tools": [BASH]},
        anthropic.BadRequestError,
        "forced `tool_choice`",
    ),
    "of another kind": ([user("a")], {"compaction": {"type": "drop"}}, anthropic.BadRequestError, "'summarize'"),
    "no beta": ([user("a")], {"betas": []}, anthropic.BadRequestError, "compaction: Extra inputs are not permitted"),
}


@pytest.mark.parametrize(("messages", "fields", "error", "told"), ON_DEMAND_FAULTS.values(), ids=ON_DEMAND_FAULTS)
def test_what_cannot_be_compacted_is_refused(caller, messages, fields, error, told):
    """A request for a summary that is not one is refused."""
    betas = {"betas": [ON_DEMAND, THRESHOLD]} | {name: fields[name] for name in fields if name == "betas"}
    with pytest.raises(error, match=told):
        caller.beta.messages.create(
            **({"compaction": {"type": "summarize"}} | asking(*messages, model=BIG) | fields | betas)
        )


@pytest.fixture
def summary(caller):
    """A signed summary, as it was handed out."""
    return on_demand(caller, user("a")).content[0].to_dict()


SUMMARY_FAULTS = {
    "changed": (
        lambda block: [assistant([block | {"content": "Other."}]), user("b")],
        "CompactionContentMismatchError",
    ),
    "forged": (lambda block: [assistant([block | {"signature": "x"}]), user("b")], "CompactionSignatureInvalidError"),
    "too late": (lambda block: [user("a"), assistant([block]), user("b")], "CompactionBlockMisplacedError"),
    "twice": (lambda block: [assistant([block, block]), user("b")], "CompactionBlockAmbiguousError"),
    "empty": (lambda block: [assistant([block | {"content": ""}]), user("b")], "BadRequestError"),
}


@pytest.mark.parametrize(("messages", "error"), SUMMARY_FAULTS.values(), ids=SUMMARY_FAULTS)
def test_a_signed_summary_comes_back_as_and_where_it_was(caller, summary, messages, error):
    """A signed summary that is not what, or where, it was is refused with the code of its fault."""
    with pytest.raises(anthropic.BadRequestError) as refusal:
        caller.beta.messages.create(**asking(*messages(summary)), betas=[ON_DEMAND])
    assert type(refusal.value).__name__ == error


def test_a_signed_summary_does_not_go_with_the_edit(caller, summary):
    """The two ways to compact do not mix."""
    with pytest.raises(anthropic.BadRequestError, match="cannot be combined with a signed"):
        caller.beta.messages.create(
            **asking(assistant([summary]), user("b")),
            betas=[THRESHOLD, ON_DEMAND],
            context_management={"edits": [EDIT]},
        )


def test_a_summary_needs_its_beta(caller, summary):
    """Without a beta for it, a summary is a block that nobody knows."""
    with pytest.raises(anthropic.BadRequestError, match="Input tag 'compaction'"):
        caller.beta.messages.create(**asking(assistant([summary]), user("b")))


@pytest.mark.parametrize("stream", [False, True])
def test_the_tool_runner_compacts(stream):
    """The SDK's tool runner asks for a summary between two turns, and goes on behind it."""

    @beta_tool
    def look() -> str:
        """Look around."""
        return "a door"

    answers = [only_a_tool_call("look"), only_a_tool_call("look"), "The end."]
    with MessagesServer(answers) as server, server.client() as client:
        fields = asking(model=BIG, betas=[ON_DEMAND], tools=[look], stream=stream)
        runner = client.beta.messages.tool_runner(**fields)
        reasons = []
        for turn in runner:
            reasons.append((turn.get_final_message() if stream else turn).stop_reason)
            if len(reasons) == 1:
                runner.compact_before_next_turn()
    assert reasons == ["tool_use", "compaction", "tool_use", "end_turn"]
    assert server.requests[-1].body["messages"][0]["content"][0]["type"] == "compaction"
