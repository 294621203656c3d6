import pytest

from brim.models import ModelLimits
from brim.transcripts.inspection import Boundary, inspect_transcript
from brim.transcripts.window import window_of
from brim.trigger.profiles import PROFILES

USAGE = {"input_tokens": 10, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 20, "output_tokens": 50}
LIMITS = ModelLimits(context_window=200_000, max_output_tokens=32_000)


def reading(tokens, output=100):
    """A usage that read so many tokens from the cache."""
    return {"input_tokens": 0, "cache_read_input_tokens": tokens, "output_tokens": output}


def test_the_peaks_are_of_one_response_each(claude):
    """The most that was read and the most that was held may be two responses'."""
    claude.user("Look.")
    claude.text("m1", "a", usage=reading(5_000, 10), stop="end_turn")
    claude.user("Again.")
    claude.text("m2", "b", usage=reading(4_900, 900), stop="end_turn")
    found = inspect_transcript(claude.read())
    assert (found.context_peak, found.window_peak, found.window_now) == (5_000, 5_800, 5_800)


def test_a_file_without_usage(claude):
    """Nothing was read as far as is known, and the window is an estimate."""
    claude.user("x" * 40)
    found = inspect_transcript(claude.read())
    assert (found.context_peak, found.window_peak, found.window_now) == (None, None, 10)
    assert (found.responses, found.turns, found.window) == (0, 1, None)


def test_compactions_as_recorded_and_as_measured(claude):
    """Both numbers and the line are told; a micro-compaction records none."""
    claude.user("Look.")
    claude.call("m1", "c1", stop="tool_use", usage=reading(99_000, 1_000))
    claude.result("c1", "x" * 400)
    claude.micro("c1")
    claude.user("Go on.")
    claude.text("m2", "a", usage=reading(149_000, 1_000), stop="end_turn")
    claude.boundary(tokens=150_123)
    claude.summary()
    found = inspect_transcript(claude.read())
    assert found.compactions == (Boundary("micro", None, 100_100, 4, 0), Boundary("auto", 150_123, 150_000, 7, 1))


@pytest.mark.parametrize(("read", "due"), [(166_999, None), (167_000, None), (167_900, None), (167_901, 0)])
def test_a_profile_is_due_when_its_threshold_is_passed(claude, read, due):
    """The usable context of 168,000 tokens: one below, equal, one above, output included."""
    claude.user("Look.")
    claude.text("m1", "a", usage=reading(read), stop="end_turn")
    assert inspect_transcript(claude.read(), LIMITS).profiles["usable"].first_due == due


def test_a_profile_is_due_by_the_results_too(claude):
    """The tail behind a response counts where a profile counts it, and not where it does not."""
    claude.user("Look.")
    claude.call("m1", "c1", usage=reading(79_950, 0), stop="tool_use")
    claude.result("c1", "x" * 400)
    profiles = inspect_transcript(claude.read(), LIMITS).profiles
    assert profiles["windowing"].first_due == 0
    assert profiles["anthropic-sdk"].first_due is None


def test_the_first_response_that_was_due(claude):
    """Of several the first, counted from 0."""
    for number, read in enumerate((10_000, 170_000, 180_000)):
        claude.user("Look.")
        claude.text(f"m{number}", "a", usage=reading(read), stop="end_turn")
    assert inspect_transcript(claude.read(), LIMITS).profiles["usable"].first_due == 1


def test_before_a_compaction_a_profile_may_be_due(claude):
    """A response that was followed by a compaction is judged as it stood."""
    claude.user("Look.")
    claude.text("m1", "a", usage=reading(170_000), stop="end_turn")
    claude.boundary()
    claude.summary()
    assert inspect_transcript(claude.read(), LIMITS).profiles["usable"].first_due == 0


@pytest.mark.parametrize("limits", [None, ModelLimits(context_window=0)])
def test_an_unknown_window_leaves_fixed_thresholds(claude, limits):
    """A threshold that is the same for every window is judged; the others are null."""
    claude.user("Look.")
    claude.text("m1", "a", usage=reading(90_000), stop="end_turn")
    profiles = inspect_transcript(claude.read(), limits).profiles
    assert {name: (due.threshold, due.first_due) for name, due in profiles.items() if due.threshold} == {
        "anthropic-sdk": (100_000, None),
        "windowing": (80_000, 0),
    }
    assert list(profiles) == list(PROFILES)
    assert profiles["usable"].note == "the model's window is unknown"


def test_a_profile_without_a_threshold_says_why(claude):
    """A window that leaves a profile nothing is no reason to fail."""
    claude.user("Look.")
    due = inspect_transcript(claude.read(), ModelLimits(context_window=40_000)).profiles["codelet-rust"]
    assert (due.threshold, due.first_due) == (None, None)
    assert "codelet-rust comes to a threshold of 0" in due.note


def test_what_the_window_is_made_of(claude):
    """Each part counts for what it is; what was reported beyond the texts is not in the file."""
    claude.user("u" * 40)
    claude.assistant("m1", {"type": "thinking", "thinking": "t" * 80, "signature": "s" * 99}, stop=None)
    claude.assistant("m1", {"type": "text", "text": "a" * 120}, stop=None)
    claude.call("m1", "c1", tool="Read", stop="tool_use", usage=USAGE)
    claude.result("c1", "o" * 160)
    found = inspect_transcript(claude.read())
    shares = found.composition.shares
    assert [shares[name] for name in ("user", "thinking", "assistant", "tool_output")] == [10, 20, 30, 40]
    assert shares["tool_input"] == -(-len('Read{"path":"a.py"}') // 4)
    assert shares["other"] == found.composition.unseen == found.window_now - 105
    assert found.composition.by_tool == {"Read": 40}


def test_a_summary_and_a_notice_are_no_users(claude):
    """What stands for earlier messages is a summary; what the harness wrote is other."""
    claude.user("Look.")
    claude.text("m1", "a", usage=None)
    claude.boundary()
    claude.summary("x" * 400)
    claude.user("<command-name>/clear</command-name>")
    shares = inspect_transcript(claude.read()).composition.shares
    assert (shares["summaries"], shares["user"], shares["other"] > 0) == (100, 0, True)


def test_outputs_by_tool(claude):
    """The tool that filled the window most comes first; a result of no known call is unknown."""
    claude.user("Look.")
    for call, tool, size in (("c1", "Read", 40), ("c2", "Bash", 400), ("c3", "Read", 40)):
        claude.call(f"m-{call}", call, tool=tool, usage=None)
        claude.result(call, "x" * size)
    by_tool = inspect_transcript(claude.read()).composition.by_tool
    assert list(by_tool.items()) == [("Bash", 100), ("Read", 20)]


def test_inspection_and_window_agree(claude):
    """The window of a compaction holds what the inspection says, and the responses before it when asked."""
    claude.user("Look.")
    claude.call("m1", "c1", stop="tool_use", usage=reading(1_000))
    claude.result("c1", "x" * 400)
    claude.text("m2", "a", usage=reading(2_000), stop="end_turn")
    transcript = claude.read()
    assert window_of(transcript).held == inspect_transcript(transcript).window_now == 2_100
    assert window_of(transcript, at=0).held == 1_100
    assert len(window_of(transcript, at=0).messages) == 2
