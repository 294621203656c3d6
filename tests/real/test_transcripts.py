"""Real sessions: the numbers that are known of each, and the shape of what the model saw."""

import pytest

from brim.conversation.parts import Text, ToolCall, ToolResult
from brim.conversation.turns import find_turns
from brim.tokens.estimation import measure, tokens_of
from brim.tokens.usage import billed
from brim.transcripts import view, view_before

pytestmark = pytest.mark.real

V1_SIDECHAINS = "claude-code/claude-code-viewer/1.0.98-sidechains.jsonl"
V1_LONG = "claude-code/episodic-memory/1.0.120-long-context.jsonl"
V2_AUTO = "claude-code/entireio-cli/2.1.1-two-auto.jsonl"
V2_MICRO = "claude-code/entireio-cli/2.1.17-two-microcompact-and-auto.jsonl"
V2_AUTO_LATER = "claude-code/entireio-cli/2.1.38-auto.jsonl"
V2_IMAGE = "claude-code/context-evaluator/2.1.47-image.jsonl"
V2_MANUAL = "claude-code/oh-my-posh/2.1.217-manual-preserved-messages.jsonl"
OPENCODE_AUTO = "opencode/session-bridge/1.4.3-auto-compaction.json"
OPENCODE_PRUNED = "opencode/nimbus/1.2.26-pruned-tool-outputs.json"

PEAKS = {
    V2_AUTO: 155_412,
    V2_AUTO_LATER: 166_182,
    V2_MANUAL: 400_879,
    V1_SIDECHAINS: 21_552,
    V2_IMAGE: 47_160,
    V1_LONG: 534_859,
    V2_MICRO: 154_505,
    OPENCODE_AUTO: 105_534,
    OPENCODE_PRUNED: 131_908,
}
SUMS = {
    V2_AUTO: (219, 17_148, 22_577_493, 732_319, 19_874),
    V2_AUTO_LATER: (94, 98, 11_327_914, 204_863, 19_985),
    V2_MANUAL: (307, 3_590, 68_677_754, 782_890, 318_611),
    V1_SIDECHAINS: (9, 373, 161_313, 6_672, 2_636),
    V2_IMAGE: (24, 28, 907_977, 30_583, 302),
    V1_LONG: (170, 360, 66_925_567, 2_395_354, 22_976),
    V2_MICRO: (131, 9_420, 13_942_651, 485_489, 391),
}
COMPACTIONS = {
    V2_AUTO: [("auto", 155_301, 426), ("auto", 155_539, 767)],
    V2_MICRO: [("micro", None, 215), ("micro", None, 352), ("auto", 157_692, 483)],
    V2_AUTO_LATER: [("auto", 167_038, 366)],
    V2_MANUAL: [("manual", 297_190, 543)],
    V2_IMAGE: [],
    V1_SIDECHAINS: [],
    V1_LONG: [],
    OPENCODE_AUTO: [("auto", None, 45)],
    OPENCODE_PRUNED: [("prune", None, 69)],
}


def held_before(transcript, compaction):
    """The window before a compaction: the last usage, and what came since at 4 characters a token."""
    seen = view_before(transcript, compaction)
    sizes = [measure(message) for message in seen.appended]
    return seen.usage.total + sum(map(tokens_of, sizes))


def read_by(response):
    """What a response read: its context."""
    return response.usage.input + response.usage.cache_read


@pytest.mark.parametrize(("name", "peak"), PEAKS.items())
def test_the_largest_context(real, name, peak):
    """The most that one response read is the number that is known of the file, and no line is damaged."""
    transcript = real(name)
    assert max(map(read_by, transcript.responses)) == peak
    assert transcript.damaged == ()


@pytest.mark.parametrize(("name", "sums"), SUMS.items())
def test_the_sums_over_all_responses(real, name, sums):
    """Every response of the main chain is counted once: their number and their tokens add up to the known sums."""
    responses = real(name).responses
    total = billed(response.usage for response in responses)
    fresh = total.input - total.cache_write
    assert (len(responses), fresh, total.cache_read, total.cache_write, total.output) == sums


@pytest.mark.parametrize(("name", "known"), COMPACTIONS.items())
def test_the_compactions(real, name, known):
    """The compactions of a file: kind, tokens as recorded, line."""
    assert [(made.kind, made.recorded, made.line) for made in real(name).compactions] == known


@pytest.mark.parametrize(
    ("name", "compaction", "held"),
    [(V2_MICRO, 2, 157_692), (V2_MANUAL, 0, 297_190), (V2_AUTO_LATER, 0, 166_909), (OPENCODE_PRUNED, 0, 125_343)],
)
def test_the_window_before_a_compaction(real, name, compaction, held):
    """The last usage and what came since at 4 characters a token is the window before the compaction, to the token."""
    assert held_before(real(name), compaction) == held


@pytest.mark.parametrize(
    ("name", "compaction", "recorded"),
    [(V2_AUTO, 0, 155_301), (V2_AUTO, 1, 155_539), (V2_AUTO_LATER, 0, 167_038), (OPENCODE_AUTO, 0, 112_579)],
)
def test_the_window_before_a_compaction_nearly(real, name, compaction, recorded):
    """Where the output recorded is a placeholder, the window meets what is known within half a percent."""
    assert abs(held_before(real(name), compaction) - recorded) * 200 <= recorded


@pytest.mark.parametrize(
    ("name", "compaction", "after"),
    [(V2_AUTO, 0, 44_664), (V2_AUTO, 1, 51_805), (V2_AUTO_LATER, 0, 73_445), (V2_MANUAL, 0, 66_107)],
)
def test_the_context_after_a_compaction(real, name, compaction, after):
    """The first response after a compaction read what is known of it."""
    transcript = real(name)
    place = transcript.compactions[compaction].after_message
    reading = [read_by(response) for response in transcript.responses if response.first >= place]
    assert after in reading[:2]


def test_micro_compactions(real):
    """The results that two micro-compactions cleared are all there, and the context fell as is known."""
    transcript = real(V2_MICRO)
    cleared = [made.cleared for made in transcript.compactions[:2]]
    results = {part.call_id for message in transcript.messages for part in message.parts if type(part) is ToolResult}
    assert [len(ids) for ids in cleared] == [9, 18]
    assert cleared[0] | cleared[1] <= results
    assert read_by(view_before(transcript, 0).measured) == 135_211
    assert read_by(view_before(transcript, 1).measured) == 151_283


def test_a_cleared_result_reads_the_placeholder(real):
    """Before the last compaction exactly the 27 results read the placeholder."""
    seen = view_before(real(V2_MICRO), 2)
    texts = [part.text for message in seen.messages for part in message.parts if type(part) is ToolResult]
    assert texts.count("[Old tool result content cleared]") == 27


def test_a_threshold_trips_at_the_boundary_and_not_before(real):
    """155,000 tokens were reached at the compaction, and at no response since the micro-compaction before it."""
    transcript = real(V2_MICRO)
    border, end = (made.after_message for made in transcript.compactions[1:])
    since = [response for response in transcript.responses if border <= response.first < end]
    assert max(response.usage.total for response in since) < 155_000 <= held_before(transcript, 2)


def test_preserved_messages_follow_the_summary(real):
    """The message that was kept word for word follows the summary, though it stands before the boundary."""
    transcript = real(V2_MANUAL)
    seen = view(transcript)
    assert seen.messages[0].marks.summary
    assert (seen.lines[1], transcript.compactions[0].line) == (536, 543)
    assert (seen.messages[1].role, transcript.compactions[0].after_message) == ("assistant", 278)
    assert seen.lines[2:] == tuple(sorted(seen.lines[2:]))


def test_prompts_typed_ahead(real):
    """A prompt that was typed ahead begins a turn of its own; notices of background tasks begin none."""
    transcript = real(V2_MANUAL)
    requests = [transcript.lines[turn.start] for turn in find_turns(transcript.messages)]
    assert 245 in requests
    assert not {108, 612} & set(requests)


def test_sidechains(real):
    """Of 438 records 405 are sub-agents' and left out."""
    transcript = real(V1_SIDECHAINS)
    assert transcript.left_out == {"summary": 1, "sidechain": 405}
    assert len(transcript.messages) == 19


def test_a_session_that_begins_in_its_middle(real):
    """A session may begin at 286,513 tokens, and is one whole conversation."""
    transcript = real(V1_LONG)
    assert read_by(transcript.responses[0]) == 286_513
    assert len(view(transcript).messages) == len(transcript.messages)


def test_pruned_outputs(real):
    """52 outputs were pruned at once; the responses after it see the placeholder, those before it the text."""
    transcript = real(OPENCODE_PRUNED)
    pruning = transcript.compactions[0]
    before = [part for message in view_before(transcript, 0).messages for part in message.parts]
    after = [part for message in view(transcript).messages for part in message.parts]
    texts = [part.text for part in before if type(part) is ToolResult and part.call_id in pruning.cleared]
    cleared = [part for part in after if type(part) is ToolResult and part.call_id in pruning.cleared]
    assert (len(texts), sum(map(len, texts))) == (52, 201_718)
    assert {part.text for part in cleared} == {"[Old tool result content cleared]"}


def test_a_summary_of_opencode(real):
    """After its compaction OpenCode's model saw the marker's question, the summary and what followed."""
    transcript = real(OPENCODE_AUTO)
    seen = view(transcript)
    assert [message.role for message in seen.messages[:3]] == ["user", "assistant", "user"]
    assert seen.messages[1].marks.summary
    assert len(seen.messages[1].text) == 4_494


@pytest.mark.parametrize("share", [0, 25, 50, 75, 100, None])
@pytest.mark.parametrize("name", PEAKS)
def test_what_the_model_saw_is_well_formed(real, name, share):
    """At the end and at any response: known roles, something in each message, every result right behind its call."""
    transcript = real(name)
    at = None if share is None else (len(transcript.responses) - 1) * share // 100
    seen = view(transcript, at)
    calls: set[str] = set()
    for message in seen.messages:
        assert message.role in {"user", "assistant"}
        assert message.parts
        results = [part.call_id for part in message.parts if type(part) is ToolResult]
        if results:
            assert message.role == "user"
            assert set(results) <= calls
            assert len(set(results)) == len(results)
        if message.role == "assistant" or results:
            calls = {part.id for part in message.parts if type(part) is ToolCall}
    assert len(seen.lines) == len(seen.messages)


@pytest.mark.parametrize("name", PEAKS)
def test_every_call_has_a_result_at_the_end(real, name):
    """In these sessions every call that the model sees at the end has exactly one result."""
    parts = [part for message in view(real(name)).messages for part in message.parts]
    calls = [part.id for part in parts if type(part) is ToolCall]
    results = [part.call_id for part in parts if type(part) is ToolResult]
    assert sorted(calls) == sorted(results)
    assert len(set(calls)) == len(calls)


@pytest.mark.parametrize("name", PEAKS)
def test_what_was_written_comes_back(real, name):
    """Every message holds the very dictionaries of its parts."""
    for message in real(name).messages:
        content = message.raw["content"]
        if isinstance(content, str):
            assert [part.text for part in message.parts if type(part) is Text] == [content]
        else:
            assert [part.raw for part in message.parts] == content
