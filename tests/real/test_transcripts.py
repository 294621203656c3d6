"""Real sessions: the numbers that are known of each, and the shape of what the model saw."""

import pytest

from brim.conversation.messages import Text, ToolCall, ToolResult
from brim.conversation.turns import find_turns
from brim.tokens.estimation import measure, tokens_of
from brim.tokens.usage import billed
from brim.transcripts import view, view_before
from steps.prerequisites import sized
from tests.real.conftest import FOLDER, sampled

pytestmark = pytest.mark.transcripts

V1_SIDECHAINS = "claude-code/claude-code-viewer/1.0.98-sidechains.jsonl"
V1_LONG = "claude-code/episodic-memory/1.0.120-long-context.jsonl"
V2_AUTO = "claude-code/entireio-cli/2.1.1-two-auto.jsonl"
V2_MICRO = "claude-code/entireio-cli/2.1.17-two-microcompact-and-auto.jsonl"
V2_AUTO_LATER = "claude-code/entireio-cli/2.1.38-auto.jsonl"
V2_IMAGE = "claude-code/context-evaluator/2.1.47-image.jsonl"
V2_MANUAL = "claude-code/oh-my-posh/2.1.217-manual-preserved-messages.jsonl"
OPENCODE_AUTO = "opencode/session-bridge/1.4.3-auto-compaction.json"
OPENCODE_PRUNED = "opencode/nimbus/1.2.26-pruned-tool-outputs.json"

CODEX = "codex/agentv/0.142.2-two-compactions.jsonl"
PI = "pi/pi-mono/before-compaction-two-compactions.jsonl"
CLINE = "cline/sdk-fixtures/session.messages.json"
CLINE_BASIC = "cline/sdk-fixtures/basic.compaction.json"
CLINE_AGENTIC = "cline/sdk-fixtures/agentic.compaction.json"
GEMINI = "gemini-cli/session-bridge/gemini-3-flash.json"
MINI = "mini-swe-agent/gemini-3-pro/scikit-learn__scikit-learn-25102.traj.json"
SWE = "swe-agent/swe-smith/pydantic__pydantic.acb0f10f.pr_8316.traj"
OPENHANDS = "openhands/multi-swe-bench/output.jsonl"
AIDER = "aider/monochromatic/chat-history.md"

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
OTHER_PEAKS = {
    CODEX: 96_092,
    PI: 184_915,
    CLINE: 51_852,
    CLINE_BASIC: None,
    CLINE_AGENTIC: 12_238,
    GEMINI: 68_430,
    MINI: 106_497,
    SWE: None,
    OPENHANDS: 33_459,
    AIDER: 29_000,
}
"""The other formats; None where the file tells no tokens of single responses."""
ALL = (*PEAKS, *OTHER_PEAKS)
SAMPLE = tuple(name for name in ALL if sampled(FOLDER / name))
"""What the tests of compactions take: the long ones in the nightly run."""
FORMS = {
    CODEX: ("codex", "0.142.2", "gpt-5.3-codex-spark"),
    PI: ("pi", None, "claude-opus-4-5"),
    CLINE: ("cline", None, "anthropic/claude-opus-4.8-fast"),
    CLINE_BASIC: ("cline", None, "anthropic/claude-opus-4.8-fast"),
    CLINE_AGENTIC: ("cline", None, "mistralai/voxtral-small-24b-2507"),
    GEMINI: ("gemini-cli", None, "gemini-3-flash-preview"),
    MINI: ("mini-swe-agent", "1.15.0", "google/gemini-3-pro-preview"),
    SWE: ("swe-agent", "1.0.1", "claude-3-7-sonnet-20250219"),
    OPENHANDS: ("openhands", "0.35.0", "meta-llama/llama-4-maverick"),
    AIDER: ("aider", "0.84.0", "gemini/gemini-2.5-pro-preview-05-06"),
}
CALLS = {
    CODEX: (180, 180, 177),
    PI: (471, 471, 454),
    CLINE: (16, 16, 11),
    CLINE_BASIC: (5, 0, 0),
    CLINE_AGENTIC: (1, 1, 0),
    GEMINI: (38, 37, 40),
    MINI: (43, 43, 41),
    SWE: (22, 0, 22),
    OPENHANDS: (105, 105, 105),
    AIDER: (40, 39, 0),
}
"""Responses, those with a usage, and calls of tools."""
TOTALS = {
    CODEX: (11_070_182, 10_637_312, 71_829),
    PI: (56_382_684, 54_693_675, 187_895),
    CLINE: (630_254, 534_435, 4_395),
    OPENHANDS: (1_913_342, 0, 13_341),
}
"""Billed in all: read, of that from the cache, and written."""
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
    CODEX: [("auto", 88_246, 272), ("auto", 95_808, 573)],
    PI: [("compaction", 175_004, 360), ("compaction", 185_014, 629)],
    CLINE: [],
    CLINE_BASIC: [("manual", None, 1)],
    CLINE_AGENTIC: [("compaction", 21_919, 1)],
    GEMINI: [],
    MINI: [],
    SWE: [],
    OPENHANDS: [],
    AIDER: [],
}
UNPAIRED = {PI: 6, OPENHANDS: 2}
"""Calls without a result, where there are any: answers that were called off, and the last word of a run."""


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


@pytest.mark.parametrize(("name", "peak"), OTHER_PEAKS.items())
def test_the_largest_context_of_other_formats(real, name, peak):
    """The same where not every response tells its tokens, or none does."""
    transcript = real(name)
    measured = [response for response in transcript.responses if response.usage is not None]
    assert max(map(read_by, measured), default=None) == peak
    assert transcript.damaged == ()


@pytest.mark.parametrize(("name", "form"), FORMS.items())
def test_the_format(real, name, form):
    """A file is known by its content: its format, its version where it tells one, and the model."""
    transcript = real(name)
    assert (transcript.format, transcript.version, transcript.model) == form


@pytest.mark.parametrize(("name", "counts"), CALLS.items())
def test_the_numbers_of_calls(real, name, counts):
    """How many responses a file holds, how many of them tell their tokens, and how many tools they called."""
    transcript = real(name)
    measured = sum(response.usage is not None for response in transcript.responses)
    tools = sum(type(part) is ToolCall for message in transcript.messages for part in message.parts)
    assert (len(transcript.responses), measured, tools) == counts


@pytest.mark.parametrize(("name", "totals"), TOTALS.items())
def test_the_totals_of_other_formats(real, name, totals):
    """What a file says of a whole run is what its responses add up to."""
    total = billed(response.usage for response in real(name).responses if response.usage is not None)
    assert (total.input + total.cache_read, total.cache_read, total.output) == totals


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


@pytest.mark.parametrize("name", sorted({*ALL} - {SWE, AIDER}))
def test_the_times(real, name):
    """Every response says when it was written, in the order of time; a compaction lies between its neighbours."""
    transcript = real(name)
    times = [response.time for response in transcript.responses]
    assert times == sorted(times)
    for made in transcript.compactions:
        if made.time is not None and made.after_message:
            before = [one.time for one in transcript.responses if one.message < made.after_message and not one.summary]
            assert times[0] <= before[-1] <= made.time <= times[-1]


@pytest.mark.parametrize(
    ("name", "compaction", "held"),
    [
        (V2_MICRO, 2, 157_692),
        (V2_MANUAL, 0, 297_190),
        (V2_AUTO_LATER, 0, 166_909),
        (OPENCODE_PRUNED, 0, 125_343),
        (PI, 0, 175_004),
        (PI, 1, 185_014),
    ],
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
    [
        (V2_AUTO, 0, 44_664),
        (V2_AUTO, 1, 51_805),
        (V2_AUTO_LATER, 0, 73_445),
        (V2_MANUAL, 0, 66_107),
        (CODEX, 0, 16_560),
        (CODEX, 1, 16_879),
        (PI, 0, 25_739),
        (PI, 1, 28_617),
    ],
)
def test_the_context_after_a_compaction(real, name, compaction, after):
    """The first response after a compaction read what is known of it."""
    transcript = real(name)
    place = transcript.compactions[compaction].after_message
    measured = [
        response for response in transcript.responses if response.message >= place and response.usage is not None
    ]
    assert after in map(read_by, measured[:2])


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
    since = [response for response in transcript.responses if border <= response.message < end]
    assert max(response.usage.total for response in since) < 155_000 <= held_before(transcript, 2)


def test_preserved_messages_follow_the_summary(real):
    """The message that was kept word for word follows the summary, though it stands before the boundary."""
    transcript = real(V2_MANUAL)
    seen = view(transcript)
    assert seen.messages[0].marks.summary
    assert (transcript.lines[seen.indices[1]], transcript.compactions[0].line) == (536, 543)
    assert (seen.messages[1].role, transcript.compactions[0].after_message) == ("assistant", 278)
    assert seen.indices[2:] == tuple(sorted(seen.indices[2:]))


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


def test_codex(real):
    """Every record is a part of the conversation or counted; the window is told, the second view begins anew."""
    transcript = real(CODEX)
    items = sum(len(message.parts) for message in transcript.messages)
    more_texts = (6 - 1) + (2 - 1)  # two messages of the harness hold six texts and two
    summaries = 2 * len(transcript.compactions)  # a marker and a text each, and no record of their own
    records = items - more_texts - summaries + len(transcript.compactions) + sum(transcript.left_out.values())
    assert records == 861
    assert transcript.window == 121_600
    assert [len(made.opening) for made in transcript.compactions] == [10, 13]
    assert len(find_turns(transcript.messages)) == 10
    assert [message.marks.summary for message in view(transcript).messages[:13]].index(True) == 12
    assert "176 of reasoning and 2 of summaries" in transcript.notes[0]


def test_codex_knows_what_it_kept(real):
    """What stays after a compaction are the very messages that the user wrote before it."""
    transcript = real(CODEX)
    for made in transcript.compactions:
        assert sum(index < made.after_message for index in made.opening) == len(made.opening) - 1


def test_pi(real):
    """Every record is a message or counted, and what was kept stands behind the summary."""
    transcript = real(PI)
    results = sum(type(part) is ToolResult for message in transcript.messages for part in message.parts)
    others = sum(not any(type(part) is ToolResult for part in message.parts) for message in transcript.messages)
    assert results + others + sum(transcript.left_out.values()) == 1_003
    assert [len(transcript.messages[made.opening[0]].text) for made in transcript.compactions] == [4_291, 3_649]
    assert [transcript.lines[made.opening[1]] for made in transcript.compactions] == [294, 552]


def test_cline(real):
    """Each of the files holds its messages, results with their answers, and what a compaction left says so."""
    assert [len(set(real(name).lines)) for name in (CLINE, CLINE_BASIC, CLINE_AGENTIC)] == [32, 10, 3]
    assert [len(find_turns(real(name).messages)) for name in (CLINE, CLINE_BASIC, CLINE_AGENTIC)] == [5, 5, 1]
    assert real(CLINE).notes == ()
    assert real(CLINE_AGENTIC).messages[0].marks.summary
    assert "21,919" in real(CLINE_AGENTIC).notes[0]
    assert "nor how many" in real(CLINE_BASIC).notes[0]
    assert all(transcript.system for transcript in map(real, (CLINE, CLINE_BASIC, CLINE_AGENTIC)))


def test_gemini(real):
    """Every message is a message or counted; results of calls have messages of their own."""
    transcript = real(GEMINI)
    results = [message for message in transcript.messages if type(message.parts[0]) is ToolResult]
    assert len(transcript.messages) - len(results) + sum(transcript.left_out.values()) == 44
    assert len(find_turns(transcript.messages)) == 4
    assert sum(part.failed for message in results for part in message.parts) == 2


def test_mini_swe_agent(real):
    """Every message is there: commands as calls, what they printed as results, the rest as it is."""
    transcript = real(MINI)
    assert len(transcript.messages) + 1 == 88
    assert len(find_turns(transcript.messages)) == 1
    assert sum(type(message.parts[0]) is ToolResult for message in transcript.messages) == 41


def test_swe_agent(real):
    """Every message of the history is there, and the totals that the run tells are said."""
    transcript = real(SWE)
    assert len(transcript.messages) + 1 == 46
    assert "161,683 sent and 968 received in 22 calls" in transcript.notes[0]


def test_openhands(real):
    """Three runs are three conversations: none of them sees another."""
    transcript = real(OPENHANDS)
    assert len(transcript.begins) == 2
    views = [view(transcript, place - 1) for place in (23, 56, 105)]
    assert [sum(message.role == "assistant" for message in seen.messages) for seen in views] == [23, 33, 49]
    assert len(find_turns(transcript.messages)) == 3
    assert len(transcript.tools) > 3


def test_aider(real):
    """Of 19 chats 13 hold a message; every line of tokens is that of a response."""
    transcript = real(AIDER)
    assert len(transcript.begins) + 1 + transcript.left_out["chats without a word"] == 19
    assert [note.split()[0] for note in transcript.notes] == ["aider", "aider", "13"]
    assert view(transcript).usage.total == 29_253


@pytest.mark.parametrize("share", sized([25, None], nightly=[0, 25, 50, 75, 100, None]))
@pytest.mark.parametrize("name", ALL)
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
    assert len(seen.indices) == len(seen.messages)


@pytest.mark.parametrize("name", ALL)
def test_every_call_has_a_result(real, name):
    """Every call has exactly one result, but for those that are known to have none; no id is used twice."""
    parts = [part for message in real(name).messages for part in message.parts]
    calls = [part.id for part in parts if type(part) is ToolCall]
    results = [part.call_id for part in parts if type(part) is ToolResult]
    assert len(set(calls)) == len(calls)
    assert set(results) <= set(calls)
    assert len(calls) - len(results) == UNPAIRED.get(name, 0)


@pytest.mark.parametrize("name", ALL)
def test_what_was_written_comes_back(real, name):
    """Every message holds the very dictionaries of its parts."""
    for message in real(name).messages:
        content = message.raw["content"]
        if isinstance(content, str):
            assert [part.text for part in message.parts if type(part) is Text] == [content]
        else:
            assert [part.raw for part in message.parts] == content
