import re
from pathlib import Path

from living.reference.command_line import command_line, commands
from living.reference.json_reports import keys, reports

from brim.cli import INTERRUPTED, REFUSED, WRONG_USAGE

DOCS = Path(__file__).parents[2] / "docs"


def test_the_page_begins_with_the_commands_and_ends_with_the_exit_codes():
    """The table has a row for each command, and the page ends with one for each code of the program."""
    assert re.findall(r"(?m)^\| \[`brim (.*)`\]", "\n".join(command_line())) == [name for name, _ in commands()]
    codes = re.findall(r"(?m)^\| (\d+) \|", (DOCS / "reference" / "command_line.md").read_text(encoding="utf-8"))
    assert codes == ["0", str(REFUSED), str(WRONG_USAGE), str(INTERRUPTED)]


def test_each_command_that_answers_in_json_says_what():
    """Every key of its report has a meaning; replay has lines of its own, and resume the body of a request."""
    asked = {name for name, command in commands() for one in command.params if "--json" in one.opts}
    assert asked - {"replay", "sessions resume"} == {*reports()}
    assert [row for report in reports().values() for row in keys(report) if row.endswith("|  |")] == []
