"""What is carried of an earlier summary, section by section (SUM_09)."""

import re
from collections import Counter

import pytest

from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import SUMMARY_OPENING, read_conversation
from brim.conversation.turns import find_turns
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.summary.previous_summary import CARRIED, carry_over, listed_messages
from brim.summary.template import template_summary
from tests.summary.tables import described, rows

FORMS = {
    "Claude Code": "{number}. {title}:\n{items}\n",
    "Claude Code with bold headings": "{number}. **{title}:**\n{items}\n",
    "a model with headings of two signs": "## {title}\n\n{items}\n",
    "a model with bold headings": "**{title}**\n{items}\n",
    "a model with plain headings": "{title}:\n{items}",
}


def lines(count, length, title):
    """Items of a section, each a line of so many characters."""
    return "\n".join(f"- {title} {number} ".ljust(length, "x") for number in range(count))


def carried(text, limit, words=0):
    """What is carried of a summary."""
    return carry_over(text, limit, words_chars=words, shown="")


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_sections_are_recognized_in_the_form_of_each_tool(form):
    """The list of the user's messages and open work are whole, and files are shortened (SUM_09)."""
    titles = {"All user messages": 10, "Files and Code Sections": 60, "Pending Tasks": 10}
    earlier = "\n".join(
        form.format(number=number, title=title, items=lines(count, 49, title))
        for number, (title, count) in enumerate(titles.items(), 1)
    )
    summary = template_summary((), max_chars=3_000, previous_summary=earlier)
    assert len(summary) <= 3_000
    kept = Counter(re.findall(r"^  - (All user|Files|Pending).*x$", summary.partition(CARRIED)[2], re.MULTILINE))
    assert (kept["All user"], kept["Pending"]) == (10, 10)
    assert 0 < kept["Files"] < 60
    assert "characters left out" in summary


@pytest.mark.parametrize("row", rows("section_headings.tsv"), ids=described)
def test_a_list_of_the_users_messages_begins_and_ends_by_headings(row):
    """A lesser heading, or one of another form, ends no list (SUM_09)."""
    assert "\n".join(line for line in listed_messages(row["summary"]).split("\n") if line) == row["listed"]


@pytest.mark.parametrize(("count", "listed"), [(99, "- Port it"), (100, "- Port it"), (101, "")])
def test_a_heading_has_at_most_100_characters(count, listed):
    """A longer line begins no section (SUM_09)."""
    assert listed_messages("# User messages".ljust(count, ".") + "\n- Port it").strip() == listed


def test_a_heading_that_is_set_in_begins_no_section():
    """What is behind it is among the user's words, which are shortened last (SUM_09)."""
    first = (
        "- Port the parser to Python with all of its tests, and do so file by file, beginning with the smallest ones; "
        "then\n  show me what is left of the old tree, and write this down:"
    )
    earlier = f"## All user messages\n{first}\n  What was done:\n- Never push to main."
    assert "Never push to main." in carried(earlier, 200)


@pytest.mark.parametrize(("length", "limit"), [(49, 1_540), (149, 4_250)])
def test_the_longest_sections_are_shortened_alike_by_whole_lines(length, limit):
    """Also where the room that is left would show a part of a line (SUM_09)."""
    counts = {"What was done:": 2, "## Files": 20, "## Code": 20}
    earlier = "\n".join(f"{head}\n{lines(count, length, head.strip('#: '))}" for head, count in counts.items())
    kept = [line.strip() for line in carried(earlier, limit).split("\n") if line.startswith("  - ")]
    assert {*kept} <= {*earlier.split("\n")}
    assert list(Counter(line[2:5] for line in kept).values()) == [2, 12, 12]


@pytest.mark.parametrize(
    ("count", "length", "shown"),
    [(1, 100, 1_764), (1, 900, 964), (1, 3_000, 999), (40, 49, 1_677), (40, 100, 1_629), (40, 300, 1_228)],
)
def test_newer_words_leave_room_for_the_first_of_the_earlier_ones(count, length, shown):
    """Up to a half of the room for the user's words (SUM_09)."""
    earlier = "\n".join(["## All user messages", *(f"- {n} ".ljust(length + 2, "x") for n in range(1, count + 1))])
    turns = find_turns(read_conversation([{"role": "user", "content": f"Newer {'y' * 3_000}"}]))
    summary = template_summary(turns, max_chars=4_000, words_chars=2_000, previous_summary=earlier)
    assert len(summary.partition("\n- Newer ")[2].partition("\n")[0]) == shown


@pytest.mark.parametrize(("limit", "text"), [(64, ""), (65, f"{CARRIED}\n  … 1,008 characters left out")])
def test_what_is_left_out_whole_is_counted_where_there_is_room_for_the_count(limit, text):
    """Of a section of 1,008 characters (SUM_09)."""
    assert carried(f"## Notes\n{lines(20, 49, 'Notes')}", limit) == text


def test_the_second_of_two_long_sections_is_shortened_no_more_than_is_needed():
    """One is left out, and of the other a line stays (SUM_09)."""
    ideas = "\n".join(f"- {number} and a few more words" for number in ("one", "two", "three", "four", "five"))
    notes = "\n".join(f"- {number} and some more words" for number in ("one", "two", "three", "four", "five", "six"))
    assert carried(f"## Ideas\n{ideas}\n## Notes\n{notes}", 150) == (
        f"{CARRIED}\n  … 168 characters left out\n  ## Ideas\n  … 110 characters left out\n"
        "  - five and a few more words"
    )


def test_a_heading_of_markdown_stays_without_text_of_its_own():
    """The blank lines below it go (SUM_09)."""
    text = carried("# Session\n## Notes\n\n- Mend the lexer.", 200)
    assert text == f"{CARRIED}\n  # Session\n  ## Notes\n  - Mend the lexer."


def test_of_a_text_without_headings_the_middle_is_left_out():
    """Both ends stay, and what is between them is counted (SUM_09)."""
    text = carried(f"First {'word ' * 5_000}"[:4_995] + "last.", 300).removeprefix(f"{CARRIED}\n").strip()
    assert (text[:5], text[-5:]) == ("First", "last.")
    count = int(re.search(r"… ([\d,]+) characters left out", text)[1].replace(",", ""))
    around = re.split(r" ?\[?… [\d,]+ characters left out …\]? ?", text)
    assert abs(sum(map(len, around)) + count - 5_000) <= len("  ")


def test_an_earlier_summary_of_a_million_characters_takes_no_more_than_its_room():
    """In ten thousand sections (SUM_09)."""
    earlier = "".join(f"## Files {number:06}\n{'x' * 83}\n" for number in range(10_000))
    assert 0 < len(carried(earlier, 2_000)) <= 2_000


def test_a_short_earlier_summary_is_not_halved_with_the_little_that_is_new():
    """A summary of twenty files and one short turn names the files (SUM_09)."""
    names = [f"src/part_{number:02}.py" for number in range(20)]
    files = "\n".join(f"- read: {name}" for name in names)
    summary = f"{SUMMARY_OPENING}\n\nActive files:\n{files}\nLast intent: none stated"
    turn = [{"role": "user", "content": "Go on."}, {"role": "assistant", "content": "It went well. " * 60}]
    limits = ModelLimits(context_window=4_000, max_output_tokens=1_000)
    compactor = Compactor(limits=limits, policy=CompactionPolicy(keep_tokens=1))
    compaction = compactor.compact([{"role": "user", "content": summary}, *turn])
    assert compaction.plan.summarizes
    assert all(name in compaction.summary for name in names)
