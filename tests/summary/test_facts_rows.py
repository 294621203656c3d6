"""Facts, row by row: what commands do to files and to failures, and the sentences that state a constraint (SUM_13)."""

import pytest

from brim.conversation.turns import Response, ToolUse, Turn
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.summary.facts import Fact, FactCollector, collect_facts, fidelity
from steps.compaction_windows import raw_turns, spoken
from steps.turn_table import read_turns
from tests.summary.tables import described, rows

KINDS = {
    "modified files": "modified_file",
    "created files": "created_file",
    "deleted files": "deleted_file",
    "read files": "read_file",
}


def facts_of(*uses, request=""):
    """The facts of a turn with these uses, each an answer of its own."""
    responses = tuple(Response("", (use,)) for use in uses)
    return collect_facts([Turn(0, 0, 1, request, responses)])


def told(facts, kind):
    """The texts of a kind of facts."""
    return [fact.text for fact in facts if fact.kind == kind]


def shell(command, prints="", *, went=True):
    """A use of the shell."""
    return ToolUse("Bash", {"command": command}, prints, went)


@pytest.mark.parametrize("row", rows("shell_files.tsv"), ids=described)
def test_a_command_makes_a_fact_of_the_files_that_it_surely_names(row):
    """A file has the kind of what the command did to it, and a command that may do nothing gives no fact (SUM_13)."""
    facts = facts_of(shell(row["command"], row["prints"]))
    if row["kind"]:
        assert told(facts, KINDS[row["kind"]]) == [row["path"]]
    else:
        assert facts == ()


@pytest.mark.parametrize("row", rows("shell_looks.tsv"), ids=described)
def test_a_command_that_only_looks_breaks_nothing_when_it_fails(row):
    """A command that does more is a fact when it fails (SUM_13)."""
    facts = facts_of(shell(row["command"], "No such directory", went=False))
    assert len(told(facts, "failed_command")) == int(row["failed"])


@pytest.mark.parametrize("row", rows("shell_cures.tsv"), ids=described)
def test_a_run_cures_the_failures_that_it_ran_again(row):
    """As many commands count as failed as a second one leaves so (SUM_13)."""
    first = shell(row["first"], row["prints"], went=False)
    then = shell(row["then"], row["says"], went=row["went"] == "well")
    assert len(told(facts_of(first, then), "failed_command")) == int(row["failed"])


@pytest.mark.parametrize("row", rows("error_lines.tsv"), ids=described)
def test_a_failed_command_is_told_with_a_line_of_its_output(row):
    """The first line that names an error, else one that reports a failure, else the first (SUM_13)."""
    facts = facts_of(shell("make", row["prints"], went=False))
    assert [(fact.text, fact.detail) for fact in facts] == [("make", row["line"])]


@pytest.mark.parametrize("row", rows("file_paths.tsv"), ids=described)
def test_paths_that_may_mean_one_file_are_one_fact(row):
    """Paths from the root of other folders are others, and with a folder that is deleted its files go (SUM_13)."""
    acts = [row[name].split(" ", 1) for name in ("first", "second", "third", "fourth") if row[name]]
    turns = read_turns([["user", "tool", "on"], *[["Go on.", *act] for act in acts]])
    files = row["facts"].split("; ") if row["facts"] else []
    assert told(collect_facts(turns), KINDS[row["kind"]]) == files


@pytest.mark.parametrize("row", rows("sentences.tsv"), ids=described)
def test_a_sentence_is_a_constraint_or_a_decision_by_its_words(row):
    """What the user pasted is neither (SUM_13)."""
    facts = facts_of(request=row["text"])
    assert told(facts, "constraint") == [row["constraint"]] * bool(row["constraint"])
    assert told(facts, "decision") == [row["decision"]] * bool(row["decision"])


@pytest.mark.parametrize(
    ("tool", "given", "deleted"),
    [
        ("run_commands", {"commands": ["cd src", "rm lex.py"]}, ["src/lex.py"]),
        ("shell", {"command": ["bash", "-lc", "rm lex.py"]}, ["lex.py"]),
        ("shell", {"command": ["/usr/bin/bash", "-lc", "rm lex.py"]}, ["lex.py"]),
        ("shell", {"command": ["rm", "-f", "my lex.py"]}, ["my lex.py"]),
        ("Forge", {"command": "rm token.py", "path": "lex.py"}, []),
    ],
)
def test_a_command_in_another_form_is_read(tool, given, deleted):
    """Commands of a list are one script, and of words the script of a shell; beside a path it is none (SUM_13)."""
    assert told(facts_of(ToolUse(tool, given, "", succeeded=True)), "deleted_file") == deleted


NO_TEXTS = [["completed"], {"state": "completed"}, 1, None]


@pytest.mark.parametrize("status", NO_TEXTS)
@pytest.mark.parametrize("tool", ["TodoWrite", "TaskUpdate"])
def test_an_item_whose_status_is_no_text_is_open(tool, status):
    """Of a list and of a single task, in a conversation that is compacted (SUM_13)."""
    listed = ToolUse("TodoWrite", {"todos": [{"content": "Test it.", "status": status}]}, "", succeeded=True)
    made = ToolUse("TaskCreate", {"subject": "Test it."}, "Task #1 created successfully", succeeded=True)
    changed = ToolUse("TaskUpdate", {"taskId": "1", "status": status}, "", succeeded=True)
    uses = (listed,) if tool == "TodoWrite" else (made, changed)
    messages = [*spoken(Turn(0, 0, 1, "", (Response("", uses),))), *raw_turns(6, 200)]
    limits = ModelLimits(context_window=2_000, max_output_tokens=200)
    assert told(Compactor(limits=limits).compact(messages).plan.facts, "todo") == ["Test it."]


WORDS = " ".join(f"word{number:05}" for number in range(1_000))
DIGITS = "".join(map(str, range(1_050)))


@pytest.mark.parametrize(
    ("words", "first", "last", "characters"),
    [
        (1_000, 1_000, 0, 9_000),
        (100, 20, 0, 180),
        (100, 39, 0, 180),
        (1_000, 400, 300, 6_300),
        (1_000, 999, 0, 8_820),
    ],
)
def test_a_long_line_is_looked_for_in_parts_of_about_200_characters(words, first, last, characters):
    """Each of whole words, 20 of 9 characters (SUM_13)."""
    all_words = WORDS.split()[:words]
    context = " ".join([*all_words[:first], "…", *all_words[words - last :]])
    found = fidelity([Fact("request", " ".join(all_words), 0)], context, user_text=context).words
    assert (found.present, found.total) == (characters, 9 * words)
    assert found.share * found.total == found.present


@pytest.mark.parametrize(
    ("length", "first", "last", "characters"),
    [(1_000, 1_000, 0, 1_000), (1_000, 400, 200, 600), (1_050, 400, 50, 400)],
)
def test_a_word_of_more_than_200_characters_is_looked_for_in_parts(length, first, last, characters):
    """The parts of a word have 200 characters, and what remains is one with the last (SUM_13)."""
    word = DIGITS[:length]
    context = f"{word[:first]}…{word[length - last :]}"
    found = fidelity([Fact("request", word, 0)], context, user_text=context).words
    assert (found.present, found.total) == (characters, length)


@pytest.mark.parametrize(
    ("first", "second", "times", "total"),
    [(150_000, 50_000, 1, 200_000), (300_000, 10, 1, 300_010), (150_000, 150_000, 2, 300_000)],
)
def test_what_is_handed_on_shortened_counts_whole(first, second, times, total):
    """One compaction after the other counts every character that the user wrote (SUM_13)."""
    facts = (Fact("request", "x" * first, 0), Fact("request", "y" * second, 1))
    for _ in range(times):
        facts = FactCollector(facts).facts()
    found = fidelity(facts, "Nothing of it.", user_text="Nothing of it.").words
    assert (found.present, found.total) == (0, total)
