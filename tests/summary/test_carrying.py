"""What is carried of an earlier summary as text (SUM_09)."""

import pytest

from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import read_conversation
from brim.conversation.turns import find_turns
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.summary.identifiers import NO_IDENTIFIERS
from brim.summary.previous_summary import CARRIED, Earlier, carry_over, read_earlier
from brim.summary.template import assemble_summary, template_summary
from brim.summary.user_words import HEADING, listed_messages
from steps.compaction_windows import filler
from tests.summary.tables import described, rows

INDEX = "Identifiers of what left, most used first, all of turn 1:\n- paths: parse.py"


@pytest.mark.parametrize("row", rows("section_headings.tsv"), ids=described)
def test_a_list_of_the_users_messages_begins_and_ends_by_headings(row):
    """The next heading ends it, and a line that is no item ends a list of items (SUM_09)."""
    assert "\n".join(line for line in listed_messages(row["summary"]).split("\n") if line) == row["listed"]


@pytest.mark.parametrize(("count", "listed"), [(99, "- Port it"), (100, "- Port it"), (101, "")])
def test_a_heading_has_at_most_100_characters(count, listed):
    """A longer line begins no list (SUM_09)."""
    assert listed_messages("# User messages".ljust(count, ".") + "\n- Port it").strip() == listed


@pytest.mark.parametrize(
    ("summary", "known"),
    [
        (f"Active files:\n- read: a.py\n{HEADING}\n- Port it.\n\n  Now.\n\nWhat was done:\n✓ It is\n✗ Not", Earlier(
            done=("✓ It is", "✗ Not"))),
        (f"Active files: none\n\nWhat was done:\n… 3 earlier outcomes left out\n[ANCHOR] So\n\n  it is.\n\n{INDEX}",
            Earlier(done=("… 3 earlier outcomes left out", "[ANCHOR] So\n\n  it is."))),
        (f"The roof leaks.\n\nIt rains.\n\nPreserved facts:\n{HEADING}\n- Port it.\n\n{INDEX}", Earlier(
            text="The roof leaks.\n\nIt rains.")),
        (f"It rains.\n\nPreserved facts:\n{HEADING}\n- B\n\n{CARRIED}\n  All user messages:\n  - A\n\n  Old.", Earlier(
            words="- A", text="Old.\n\nIt rains.")),
        (f"Active files: none\n\n{CARRIED}\n  Old.\n\nWhat was done:\n✓ It is\n\nRequired facts:\n- Door 7", Earlier(
            text="Old.", done=("✓ It is",))),
        ("## User messages\n- Port it.\n\n## Next steps\n- Mend it.", Earlier(text="## Next steps\n- Mend it.")),
    ],
)  # fmt: skip
def test_what_a_record_tells_is_not_carried(summary, known):
    """The outcomes go on, a model's own words, and what the summary carries itself (SUM_09)."""
    assert read_earlier(summary, is_known=True) == known


def test_what_no_record_tells_is_carried_whole():
    """Its outcomes and its index are text; the older part stands first (SUM_09)."""
    carrying = f"Active files: none\n{HEADING}\n- B\n\n{CARRIED}\n  Old.\n  {HEADING}\n  - A"
    summary = f"{carrying}\n\nWhat was done:\n✓ It is\n\n{INDEX}"
    earlier = read_earlier(summary, is_known=False)
    assert earlier == Earlier("- A\n- B", f"Old.\n\nActive files: none\nWhat was done:\n✓ It is\n\n{INDEX}")


def carried(text, limit, words=0):
    """What is carried of a summary that no record tells."""
    return carry_over(read_earlier(text, is_known=False), limit + words, words)


@pytest.mark.parametrize(("count", "length", "shown"), [(1, 100, 1_749), (1, 900, 1_417), (40, 49, 1_417)])
def test_newer_words_leave_room_for_the_first_of_the_earlier_ones(count, length, shown):
    """Up to a quarter of the room for the user's words (SUM_09)."""
    earlier = "\n".join(["## All user messages", *(f"- {n} ".ljust(length + 2, "x") for n in range(1, count + 1))])
    turns = find_turns(read_conversation([{"role": "user", "content": f"Newer {'y' * 3_000}"}]))
    summary = template_summary(turns, max_chars=4_000, words_chars=2_000, previous_summary=earlier)
    assert len(summary.partition("\n- Newer ")[2].partition("\n")[0]) == shown


@pytest.mark.parametrize(("limit", "text"), [(54, ""), (55, f"{CARRIED}\n  … 1,008 characters left out")])
def test_what_is_left_out_whole_is_counted_where_there_is_room_for_the_count(limit, text):
    """Of a text of 1,008 characters (SUM_09)."""
    assert carried("- Notes ".ljust(1_008, "x"), limit) == text


def grown(messages, name):
    """The messages, and turns whose answers are long."""
    said = ({"role": "assistant", "content": f"{name} {number} stands. {filler(300)}"} for number in range(8))
    return [*messages, *(one for answer in said for one in ({"role": "user", "content": "Go on."}, answer))]


@pytest.mark.parametrize("restarts", [False, True])
def test_outcomes_go_on_in_one_section_with_a_record_and_as_text_without(restarts):
    """Three compactions of a list, by one compactor or by a new one each (SUM_09)."""
    limits = ModelLimits(context_window=40_000, max_output_tokens=1_000)
    policy = CompactionPolicy(keep_tokens=1)
    compactor, messages = Compactor(limits=limits, policy=policy), [{"role": "user", "content": "Build the pier."}]
    for number in range(3):
        compactor = Compactor(limits=limits, policy=policy) if restarts else compactor
        made = compactor.compact(grown(messages, f"Pier {number}"))
        assert made.plan.summarizes
        messages = made.messages
    carried, _, done = made.summary.rpartition("\nWhat was done:\n")
    assert (CARRIED in carried) == restarts
    assert "✓ Pier 0 0 stands" in (carried if restarts else done)
    assert "✓ Pier 2 7 stands" in done
    assert made.summary.count("- Build the pier.") == 1


@pytest.mark.parametrize(
    ("room", "done"),
    [
        (400, ["… 3 earlier outcomes left out", "✓ One", f"✓ Two {'x' * 100}", "✓ Three", "✓ Four"]),
        (260, ["… 5 earlier outcomes left out", "✓ Three", "✓ Four"]),
    ],
)
def test_the_newest_outcomes_of_an_earlier_summary_have_the_room_and_the_others_are_counted(room, done):
    """With those that it counted itself; a short one stands before none that is left out (SUM_09)."""
    earlier = f"✓ One\n✓ Two {'x' * 100}\n✓ Three\n✓ Four"
    summary = assemble_summary(
        (),
        [],
        (),
        max_chars=room,
        words_chars=0,
        previous_summary=f"Active files: none\n\nWhat was done:\n… 3 earlier outcomes left out\n{earlier}",
        has_first=True,
        identifiers=NO_IDENTIFIERS,
        index_chars=0,
        held_elsewhere="",
        kept_words="",
    )
    assert summary.partition("What was done:\n")[2].split("\n") == done
