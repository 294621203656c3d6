import re
import shlex
from pathlib import Path

import pytest
from living.results import SIGNS

from brim.cli import main
from tests.pictures import COMMAND

DOCS = Path(__file__).parents[2] / "docs"
START = (DOCS / "index.md").read_text(encoding="utf-8")
COMMANDS = re.findall(r"```sh\n(.*?)\n```", START, flags=re.DOTALL)


def test_the_page_has_a_command_for_a_session_of_ones_own():
    """Beside `make demo`, which runs the command whose output the page shows."""
    assert [command.split()[:2] for command in COMMANDS] == [[".venv/bin/brim", "inspect"]]
    assert "`make demo`" in START
    makefile = (DOCS.parent / "Makefile").read_text(encoding="utf-8")
    settings = re.findall(r"^DEMO(?:_ARGS)? \?= (.*)$", makefile, flags=re.MULTILINE)
    assert f"brim compact {' '.join(settings)}" == COMMAND
    assert f"```{{command-output}} {COMMAND}\n" in START


@pytest.mark.parametrize("verb", ["inspect", "compact"])
def test_the_command_runs_as_it_is_told(verb, capsys):
    """Word for word on the recorded session, and with the other verb that the page names."""
    typed = COMMANDS[0].replace("SESSION.jsonl", str(DOCS / "examples" / "recorded-session.jsonl"))
    assert f"`{verb}`" in START
    assert main(shlex.split(typed.replace("inspect", verb))[1:]) == 0
    assert "recorded-session.jsonl" in capsys.readouterr().out


def test_every_sign_of_the_site_is_explained():
    """What stands beside an example or a rule is named, with its sign, where the reading of a rule is explained."""
    page = " ".join((DOCS / "rulebook" / "index.md").read_text(encoding="utf-8").split())
    assert [outcome for outcome, sign in SIGNS.items() if f"{sign} {outcome}" not in page] == []
