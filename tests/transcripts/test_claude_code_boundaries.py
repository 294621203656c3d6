"""Claude Code's boundaries: what the model sees after a compaction or a micro-compaction."""

import pytest

from brim.transcripts import view, view_before


def texts(seen):
    """The texts of a view."""
    return [message.text for message in seen.messages]


@pytest.fixture
def compacted(claude):
    """A session of two responses, a compaction and one more response."""
    claude.user("first")
    claude.text("m1", "one")
    claude.user("second")
    claude.text("m2", "two")
    claude.boundary("auto", 155_301)
    claude.summary("summary")
    claude.text("m3", "three")
    return claude


@pytest.mark.parametrize("trigger", ["auto", "manual"])
def test_a_boundary_is_recorded(claude, trigger):
    """A boundary says who asked for the compaction, how many tokens were held, and where it stands."""
    claude.user("go")
    claude.boundary(trigger, 297_190)
    claude.summary()
    made = claude.read().compactions[0]
    assert (made.kind, made.recorded, made.line, made.after_message) == (trigger, 297_190, 2, 1)


def test_the_summary_replaces_what_stood_before(compacted):
    """After a boundary the model sees the summary and what follows; the summary is marked as one."""
    transcript = compacted.read()
    seen = view(transcript)
    assert texts(seen) == ["summary", "three"]
    assert seen.messages[0].marks.summary
    assert [transcript.lines[index] for index in seen.indices] == [6, 7]


def test_a_response_before_the_boundary_sees_all(compacted):
    """As it stood after a response, a conversation ends with that response, and knows no later compaction."""
    transcript = compacted.read()
    assert texts(view(transcript, 0)) == ["first", "one"]
    assert texts(view(transcript, 1)) == ["first", "one", "second", "two"]
    assert texts(view(transcript, 2)) == ["summary", "three"]


def test_usage_from_before_a_compaction_measures_nothing(compacted):
    """A usage measures the window until a compaction; from then on the next response's does."""
    transcript = compacted.read()
    assert view(transcript, 1).measured.index == 1
    assert view(transcript, 2).measured.index == 2
    compacted.lines.pop()
    seen = view(compacted.read())
    assert (seen.usage, seen.since, len(seen.appended)) == (None, 0, 1)


def test_what_came_since_the_last_usage(claude):
    """What was appended since the last usage is told: the results, the next prompt."""
    claude.user("go")
    claude.call("m1", "c1")
    claude.result("c1", "12345")
    claude.user("more")
    seen = view(claude.read())
    assert (seen.usage.total, seen.since, len(seen.appended)) == (180, 2, 2)


def test_a_response_without_usage_measures_nothing(claude):
    """Where the last response reports no usage, the one before it measures, and the last was appended since."""
    claude.user("go")
    claude.text("m1", "one")
    claude.user("more")
    claude.text("m2", "two", usage={"input_tokens": 0})
    seen = view(claude.read())
    assert (seen.measured.index, len(seen.appended)) == (0, 2)


def test_the_window_before_a_compaction(compacted):
    """The view before a compaction is what it had to compact: the last usage, and what came since."""
    seen = view_before(compacted.read(), 0)
    assert (texts(seen)[-1], seen.usage.total) == ("two", 180)


def test_preserved_messages_follow_the_summary(claude):
    """Messages kept word for word stand before the boundary in the file, and after the summary for the model."""
    claude.user("first")
    claude.text("m1", "one")
    claude.user("second", uuid="kept-1")
    claude.text("m2", "two", uuid="kept-2")
    claude.add({"type": "system", "subtype": "stop_hook_summary"}, uuid="no-message")
    kept = {"anchorUuid": "s", "uuids": ["kept-1", "kept-2", "no-message", "unknown"]}
    claude.boundary("manual", preservedMessages=kept)
    claude.summary("summary")
    claude.user("third")
    transcript = claude.read()
    assert texts(view(transcript)) == ["summary", "second", "two", "third"]
    assert transcript.compactions[0].opening == (4, 2, 3)


def test_a_preserved_segment(claude):
    """Where only the ends of the kept segment are named, all between them is kept."""
    claude.user("first")
    head = claude.user("second")
    claude.text("m1", "one")
    tail = claude.add({"type": "system", "subtype": "turn_duration"})
    claude.boundary(preservedSegment={"headUuid": head, "anchorUuid": "s", "tailUuid": tail})
    claude.summary("summary")
    assert texts(view(claude.read())) == ["summary", "second", "one"]


def test_two_compactions(compacted):
    """Of two boundaries the later one counts, and each is recorded."""
    compacted.boundary("auto", 155_539)
    compacted.summary("second summary")
    compacted.user("fourth")
    transcript = compacted.read()
    assert texts(view(transcript)) == ["second summary", "fourth"]
    assert texts(view_before(transcript, 1)) == ["summary", "three"]
    assert [made.recorded for made in transcript.compactions] == [155_301, 155_539]


def test_a_file_that_begins_with_a_boundary(claude):
    """A file may begin with a boundary: what stood before it is elsewhere."""
    claude.boundary("auto", 167_038)
    claude.summary("summary")
    claude.text("m1", "one")
    transcript = claude.read()
    assert transcript.compactions[0].after_message == 0
    assert texts(view(transcript)) == ["summary", "one"]


def test_a_boundary_that_nothing_follows(claude):
    """Where a file ends with a boundary, no summary was written yet: what stood before it is what there is."""
    claude.user("first")
    claude.text("m1", "one")
    claude.boundary()
    transcript = claude.read()
    assert texts(view(transcript)) == ["first", "one"]
    assert len(transcript.compactions) == 1


def test_a_boundary_whose_summary_is_lost(claude):
    """Where the summary was damaged, what stood before the boundary is still not seen."""
    claude.user("first")
    claude.boundary()
    claude.raw('{"type":"user","isCompactSum')
    claude.text("m1", "one")
    assert texts(view(claude.read())) == ["one"]


def test_a_summary_without_a_boundary(claude):
    """A summary that no boundary announced replaces what stood before it all the same."""
    claude.user("first")
    claude.text("m1", "one")
    claude.summary("summary")
    transcript = claude.read()
    assert texts(view(transcript)) == ["summary"]
    assert [(made.kind, made.recorded) for made in transcript.compactions] == [("auto", None)]


def test_a_micro_compaction_clears_results(claude):
    """From a micro-compaction on, the results that it names read the placeholder; the calls stay."""
    claude.user("go")
    claude.call("m1", "c1")
    claude.result("c1", "a long text")
    claude.call("m2", "c2")
    claude.result("c2", "kept")
    claude.micro("c1")
    claude.text("m3", "Done.")
    transcript = claude.read()
    seen = view(transcript)
    assert [part.text for message in seen.messages for part in message.parts if hasattr(part, "call_id")] == [
        "[Old tool result content cleared]",
        "kept",
    ]
    assert seen.messages[2].raw["content"][0]["content"] == "[Old tool result content cleared]"
    assert transcript.messages[2].parts[0].text == "a long text"
    assert view(transcript, 1).messages[2] is transcript.messages[2]


def test_a_micro_compaction_records_no_context_size(claude):
    """The tokens that a micro-compaction records are those of the results it looked at, and are not taken."""
    claude.user("go")
    claude.call("m1", "c1")
    claude.result("c1")
    claude.micro("c1", tokens=60_364)
    made = claude.read().compactions[0]
    assert (made.kind, made.recorded, made.cleared, made.opening) == ("micro", None, {"c1"}, None)
