import re
from pathlib import Path

import pytest
from living.reference import command_line
from living.reference.command_examples import EXAMPLES, Example, Ran, run_all
from living.reference.command_line import CODES, command_page, commands, usage
from sphinx.errors import ExtensionError

from brim.cli import main

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def ran():
    """Every example, run."""
    return run_all(ROOT)


@pytest.fixture(scope="module")
def page(ran):
    """The page, made of these runs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(command_line, "run_all", lambda _: ran)
        command_page.cache_clear()
        yield command_page(ROOT)
        command_page.cache_clear()


def test_every_command_has_one_example(ran):
    """What the program offers is what was run, each once, and at the end one that is refused and one called wrongly."""
    names = [one.command for one in ran]
    assert sorted(set(names)) == sorted(name for name, _ in commands())
    assert len(names) == len(set(names)) + 2


def test_every_example_ends_as_it_has_to(ran):
    """All end well, but for the last three, which say on one line why they do not."""
    assert [one.code for one in ran] == [0] * (len(ran) - 3) + [1, 1, 2]
    assert all(one.out and not one.error for one in ran[:-3])
    assert all(one.error.startswith("brim: ") and one.error.count("\n") == 1 and not one.out for one in ran[-3:])


def test_the_examples_say_the_same_again(ran, monkeypatch):
    """Ids and times are no others in another run, whatever the user's environment says."""
    for name, value in {"COLUMNS": "30", "BRIM_HOME": "/nowhere", "BRIM_DISABLE_PRUNE": "1", "LANG": "C"}.items():
        monkeypatch.setenv(name, value)
    assert run_all(ROOT) == ran


def test_the_page_tells_nothing_of_the_machine(page):
    """No path of it, and no name of the user."""
    assert str(ROOT) not in page
    assert str(Path.home()) not in page
    assert "/tmp" not in page


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
    for default in re.findall(r"\[default: (.*?)\]", shown):
        assert f"Default: `{default}`." in section
    assert set(re.findall(r"--[a-z-]+", shown)) - {"--help"} <= set(re.findall(r"--[a-z-]+", section))


def test_the_page_tells_every_code_that_the_command_ends_with(page):
    """Those of the program itself, and done."""
    assert list(CODES) == [0, 1, 2, 130]
    assert all(f"| {code} | {meaning} |" in page for code, meaning in CODES.items())
    assert "Exit code 1." in page
    assert "Exit code 2." in page


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


def test_a_long_answer_is_cut_and_says_so(page, ran, monkeypatch):
    """The first lines stand there, and how many are left out."""
    long = Ran("profiles", "brim profiles", 0, "a line\n" * (command_line.SHOWN + 3), "")
    monkeypatch.setattr(command_line, "run_all", lambda _: [one if one.command != "profiles" else long for one in ran])
    told = command_page.__wrapped__(ROOT)
    assert told.count("\na line") == command_line.SHOWN
    assert "And 3 more lines." in told


def test_a_command_without_an_example_fails_the_build(ran, monkeypatch):
    """It says where the examples are."""
    monkeypatch.setattr(command_line, "run_all", lambda _: [one for one in ran if one.command != "profiles"])
    with pytest.raises(
        ExtensionError, match=re.escape("docs/living/reference/command_examples.py: brim profiles has no example")
    ):
        command_page.__wrapped__(ROOT)


def test_a_command_without_help_fails_the_build(ran, monkeypatch):
    """So does an option without it."""
    bare = dict(commands())
    bare["profiles"].help = None
    monkeypatch.setattr(command_line, "run_all", lambda _: ran)
    monkeypatch.setattr(command_line, "commands", lambda: iter(bare.items()))
    with pytest.raises(ExtensionError, match="brim profiles has no help"):
        command_page.__wrapped__(ROOT)
    bare["profiles"].help = "Shows."
    bare["profiles"].params[0].help = None
    with pytest.raises(ExtensionError, match="model has no help"):
        command_page.__wrapped__(ROOT)


def test_words_in_quotation_marks_are_one():
    """As a shell reads them."""
    assert Example("sessions rename", 'ID "Build the piers"').arguments == [
        "sessions",
        "rename",
        "ID",
        "Build the piers",
    ]
    assert all(example.arguments for example in EXAMPLES)
