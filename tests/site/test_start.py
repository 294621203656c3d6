import re
import shlex
from pathlib import Path

import pytest
from living.charts import CHARTS, window
from living.rules.verdicts import SIGNS

from brim.cli import main

DOCS = Path(__file__).parents[2] / "docs"
START = (DOCS / "index.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"```sh\n(.*?)\n```", START, flags=re.DOTALL)


def test_the_picture_and_the_words_below_it_speak_of_the_same():
    """What the page explains of the window is what the picture shows, in its order."""
    explained = re.findall(r"^(\w+)\n: ", START, flags=re.MULTILINE)
    shown = [row[0] for row in window().rows]
    assert shown == ["the window", *explained]


def test_the_page_tells_the_two_commands():
    """The demonstration, and a look at a transcript of one's own."""
    assert [command.split()[:2] for command in COMMANDS] == [["make", "demo"], [".venv/bin/brim", "inspect"]]
    assert "\ndemo: " in (DOCS.parent / "Makefile").read_text(encoding="utf-8")


@pytest.mark.parametrize("verb", ["inspect", "compact"])
def test_the_command_runs_as_it_is_told(verb, capsys):
    """Word for word on the recorded session, and with the other verb that the page names."""
    typed = COMMANDS[1].replace("SESSION.jsonl", str(DOCS / "examples" / "recorded-session.jsonl"))
    assert f"`{verb}`" in START
    assert main(shlex.split(typed.replace("inspect", verb))[1:]) == 0
    assert "recorded-session.jsonl" in capsys.readouterr().out


def test_there_are_three_ways_in():
    """A reviewer, a user and an implementer each find a page to begin with."""
    ways = re.findall(r"^- \*\*\[([^]]*)\]\(([^)]*)\)\*\*$", START, flags=re.MULTILINE)
    assert [name for name, _ in ways] == ["Review the rules", "Use the library", "Check your own implementation"]
    assert all((DOCS / page).exists() for _, page in ways)


def test_every_sign_of_the_site_is_explained():
    """What stands beside an example or a rule is in the table, with its sign."""
    explained = re.findall(r"^\| (\S\s[^|]*?) \|", START, flags=re.MULTILINE)
    assert [" ".join(one.split()) for one in explained] == [f"{sign} {outcome}" for outcome, sign in SIGNS.items()]


def test_every_chart_stands_on_the_page_of_charts():
    """No chart is drawn that cannot be found; one that has no figures yet is none."""
    page = (DOCS / "charts.md").read_text(encoding="utf-8")
    assert re.findall(r"^```\{chart\} (\w+)$", page, flags=re.MULTILINE) == [
        name for name, chart in CHARTS.items() if chart() is not None
    ]
