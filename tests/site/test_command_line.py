import re
from pathlib import Path

import pytest
from living.reference.command_line import command_page, command_table, commands, usage
from living.reference.json_reports import keys, reports

from brim.cli import INTERRUPTED, REFUSED, WRONG_USAGE, main

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def page():
    """The page."""
    return command_page()


@pytest.mark.parametrize(("name", "command"), list(commands()), ids=[name for name, _ in commands()])
def test_the_page_says_what_help_says(name, command, page, capsys):
    """Each argument and option of a command's help is on the page, with its meaning and its default."""
    assert main([*name.split(), "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    section = page.partition(f"## brim {name}\n")[2].partition("\n## ")[0].replace("\\", "")
    for one in command.params:
        assert one.help in shown
        assert one.help in section
        assert all(part in section for part in one.opts if part.startswith("-"))
    for default in re.findall(r"\[default: ([^;\]]*)", shown):
        assert f"Default: `{default}`." in section
    assert set(re.findall(r"--[a-z-]+", shown)) - {"--help"} <= set(re.findall(r"--[a-z-]+", section))


def test_the_page_begins_with_the_commands_and_ends_with_the_exit_codes():
    """The table has a row for each command, and the page ends with one for each code of the program."""
    assert re.findall(r"(?m)^\| \[`brim (.*)`\]", command_table()) == [name for name, _ in commands()]
    codes = re.findall(r"(?m)^\| (\d+) \|", (DOCS / "reference" / "command_line.md").read_text(encoding="utf-8"))
    assert codes == ["0", str(REFUSED), str(WRONG_USAGE), str(INTERRUPTED)]


def test_each_command_that_answers_in_json_says_what():
    """Every key of its report has a meaning; replay has lines of its own, and resume the body of a request."""
    asked = {name for name, command in commands() for one in command.params if "--json" in one.opts}
    assert asked - {"replay", "sessions resume"} == {*reports()}
    assert [row for report in reports().values() for row in keys(report) if row.endswith("|  |")] == []


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("profiles", "brim profiles [OPTIONS]"),
        ("compact", "brim compact [FILE] [OPTIONS]"),
        ("sessions search", "brim sessions search WORDS… [OPTIONS]"),
        ("sessions expand", "brim sessions expand ID [CHANGE] [OPTIONS]"),
    ],
)
def test_how_a_command_is_called(name, line):
    """Its arguments in their order; those that may be left out in brackets, several of one with dots."""
    assert usage(f"brim {name}", dict(commands())[name]) == line
