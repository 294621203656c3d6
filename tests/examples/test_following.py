"""Following a page: it notices what a page tells otherwise than it is."""

import re

import pytest

from tests.examples.following import commands_of, faults_of

PRINTS_TWO = "```python\nprint(1 + 1)\n```\n"
ONE = "01M80V6WB7G9R66QX0P9SBX1Q9"
OTHER = "01M80V6WB7XNPN9JDS43BS0BV1"


def console(*lines):
    """A block of what is typed and what it says."""
    return "\n".join(["```console", *lines, "```", ""])


@pytest.mark.parametrize(
    "page",
    [
        PRINTS_TWO.replace("1 + 1)", "1 + 1)  # 2"),
        f"{PRINTS_TWO}\nIt says:\n\n```text\n2\n```\n",
        "```python\nimport math\n```\n```python\nprint(math.pi > 3)  # True\n```\n",
        console("$ echo one; echo two", "one", "two", "$ true", "$ echo three", "three"),
        console("$ seq 5", "1", "…", "5"),
        console("$ echo no >&2; false", "no", "$ echo $?", "1"),
        console("$ echo $HOME/brim", "/home/me/brim"),
        console("$ brim --version", "brim 1.0.0rc1"),
        console("$ brim nonsense", "…", "$ echo $?", "2"),
        "```python\n# three.py\nprint(3)\n```\n" + console("$ python three.py", "3"),
    ],
)
def test_a_page_that_tells_what_happens_is_followed(page, reader):
    """To its end, and nothing is said."""
    assert list(faults_of(page)) == []
    reader.follow(page, "page.md")


@pytest.mark.parametrize(
    ("page", "met"),
    [
        (PRINTS_TWO, "+ 2"),
        (PRINTS_TWO.replace("1 + 1)", "1 + 1)  # 3"), "- 3"),
        (f"{PRINTS_TWO}```text\n3\n```\n", "- 3"),
        (console("$ echo one", "two"), "- two"),
        (console("$ seq 3", "1", "3"), "+ 2"),
        (console("$ exit 3"), "ends with 3"),
        (console("$ brim nonsense", "…"), "ends with 2"),
        (console("$ false", "$ echo $?", "0"), "+ 1"),
        (console(f"$ echo {ONE} {OTHER}", f"{ONE} {ONE}"), OTHER),
    ],
)
def test_a_page_that_tells_otherwise_fails(page, met, reader):
    """With what was met in place of what it tells."""
    with pytest.raises(AssertionError, match=re.escape(met)):
        reader.follow(page, "page.md")


def test_a_program_that_begins_with_an_import_knows_nothing_of_the_one_before(reader):
    """So that whoever copies it has all of it."""
    with pytest.raises(NameError):
        reader.follow("```python\nimport math\nx = 1\n```\n```python\nimport math\nx\n```\n", "page.md")


def test_an_id_of_the_page_is_the_one_of_the_run(reader):
    """Once both were shown, whole or as its beginning or end, in what is typed and in what is said."""
    shown = console("$ cat id.txt", ONE, f"$ echo of {ONE} {ONE[-6:]} {ONE[:8]}", f"of {ONE} …")
    with pytest.raises(AssertionError, match=f"of {OTHER} {OTHER[-6:]} {OTHER[:8]}"):
        reader.follow(
            f'```python\nfrom pathlib import Path\n_ = Path("id.txt").write_text("{OTHER}")\n```\n{shown}', "p"
        )


@pytest.mark.parametrize(
    ("page", "fault"),
    [
        ("Nothing.", "nothing on it runs"),
        (f"{PRINTS_TWO}```\nbrim\n```\n", "line 5: nobody runs a block of kind ''; there are python, console and text"),
        (f"{PRINTS_TWO}\n    brim\n", "line 5: nobody runs a block of kind ''; there are python, console and text"),
        (
            f"{PRINTS_TWO}```json\n1\n```\n",
            "line 5: nobody runs a block of kind 'json'; there are python, console and text",
        ),
        (
            f"{PRINTS_TWO}- a\n\n  ```sh\n  ls\n  ```\n",
            "line 7: nobody runs a block of kind 'sh'; there are python, console and text",
        ),
        (console("ls"), "line 2: a console begins with what is typed, behind $"),
        (
            f"{PRINTS_TWO}{console('$ ls')}```text\n2\n```\n",
            "line 8: a text is what the program before it prints, and there is none",
        ),
        (
            "```python\n# a.py\n1\n```\n```text\n2\n```\n",
            "line 6: a text is what the program before it prints, and there is none",
        ),
        ("```python\n1 +\n```\n", "line 2: it does not parse: invalid syntax"),
    ],
)
def test_what_nobody_runs_is_a_fault(page, fault):
    """With its line, counted from 1."""
    assert list(faults_of(page)) == [fault]


def test_what_a_console_holds():
    """Commands, each with all that it says up to the next, and on one line where it took more."""
    shown = "$ ls\na\n\nb\n$ pwd \\\n> -P\n$ id\nme\n"
    assert commands_of(shown) == [("ls", "a\n\nb\n"), ("pwd -P", ""), ("id", "me\n")]
