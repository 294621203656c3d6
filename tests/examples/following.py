"""Pages that a reader follows: what their blocks are, and following them to the letter.

- A `python` block is run. One that begins with an import is a program of its own; any other goes on where the one
  before it stopped. It prints what the comments behind `print` say or, where a `text` block comes next, what stands
  there. One that begins with the comment `# name.py` is put into a file of that name.
- A `console` block is typed into a shell: lines behind `$ ` are commands, going on behind `> ` after a backslash, and
  what is below each is what it says. A command that fails has `echo $?` behind it.
- A line `…` stands for lines that the page leaves out. Ids that brim makes are others in each run: where the page
  shows one and the program another, they are the same from there on, shortened too.
"""

from __future__ import annotations

import ast
import contextlib
import difflib
import io
import os
import re
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any

from markdown_it import MarkdownIt

from brim.cli import main

PROMPT = "$ "
GOES_ON = " \\\n> "
"""Between the lines of a command that takes more than one."""
TYPED = re.compile(r"^\$ ((?:.* \\\n> )*.*)\n", re.MULTILINE)
LEFT_OUT = "…"
ASKS_STATUS = "echo $?"
HOME = "/home/me"
"""Where a reader of the pages is at home."""
PATIENCE_S = 100
BRIM = re.compile(r"brim [^|<>;&()`]*")
"""Commands that need no shell but for its quotes and variables."""

PRINTS = re.compile(r"^ *print\(.*\)  # (.*)$", re.MULTILINE)
FILE = re.compile(r"# ([a-z_]+\.py)\n")
IMPORT = re.compile(r"(?:import|from) ")
SIGN = "[0-9A-HJKMNP-TV-Z]"
ID = re.compile(rf"\b01{SIGN}{{24}}\b")
SHORTENED = re.compile(rf"\b{SIGN}{{4,26}}\b")


@dataclass(frozen=True, slots=True)
class Block:
    """A block of code on a page; its text begins in `line`, counted from 1."""

    kind: str
    text: str
    line: int


def blocks_of(page: str) -> list[Block]:
    """The blocks of code on a page, indented ones too, which are of no kind."""
    tokens = MarkdownIt("commonmark").parse(page)
    found = [token for token in tokens if token.type in ("fence", "code_block")]
    return [Block(one.info.strip(), one.content, one.map[0] + (2 if one.type == "fence" else 1)) for one in found]


def faults_of(page: str) -> Iterator[str]:
    """What of a page nobody would run."""
    blocks = blocks_of(page)
    if not any(block.kind in ("python", "console") for block in blocks):
        yield "nothing on it runs"
    for before, block in pairwise([Block("", "", 0), *blocks]):
        fault = _fault_of(block, before)
        if fault:
            yield f"line {block.line}: {fault}"


def _fault_of(block: Block, before: Block) -> str:
    match block.kind:
        case "console" if not block.text.startswith(PROMPT):
            return "a console begins with what is typed, behind $"
        case "text" if before.kind != "python" or FILE.match(before.text):
            return "a text is what the program before it prints, and there is none"
        case "python":
            return _fault_of_program(block.text)
        case "console" | "text":
            return ""
    return f"nobody runs a block of kind {block.kind!r}; there are python, console and text"


def _fault_of_program(text: str) -> str:
    try:
        ast.parse(text)
    except SyntaxError as error:
        return f"it does not parse: {error.msg}"
    return ""


def commands_of(console: str) -> list[tuple[str, str]]:
    """What is typed, on one line, and what it says."""
    parts = TYPED.split(console)[1:]
    return [(typed.replace(GOES_ON, " "), told) for typed, told in zip(parts[::2], parts[1::2], strict=True)]


def answer_to(command: str, status: int) -> tuple[str, int]:
    """What a command says and the status that it ends with, typed after one that ended with `status`."""
    if BRIM.fullmatch(command):
        return _answer_of_brim(shlex.split(os.path.expandvars(command))[1:])
    shell = ["bash", "-o", "pipefail", "-c", f"(exit {status})\n{command}"]
    both = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "stdin": subprocess.DEVNULL}
    ran = subprocess.run(shell, **both, encoding="utf-8", timeout=PATIENCE_S, check=False)
    return ran.stdout, ran.returncode


def _answer_of_brim(words: list[str]) -> tuple[str, int]:
    """As in a process of its own, in a tenth of the time."""
    said = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = main(words)
    return said.buffer.getvalue().decode(), status


@dataclass
class Reader:
    """Someone who follows a page in the folder where they are, from its first block to its last."""

    home: Path
    _names: dict[str, Any] = field(default_factory=dict)
    _ids: dict[str, str] = field(default_factory=dict)
    """The ids that the page shows, and those that they are in this run."""

    def follow(self, page: str, name: str) -> None:
        """Do what the page says. Raises AssertionError where it tells something else than what happens."""
        blocks = blocks_of(page)
        for block, after in pairwise([*blocks, Block("", "", 0)]):
            if block.kind == "console":
                self._type(block, name)
            elif block.kind == "python" and (file := FILE.match(block.text)):
                Path(file[1]).write_text(block.text, encoding="utf-8")
            elif block.kind == "python":
                printed = self._run(block, name)
                told = (
                    after.text if after.kind == "text" else "".join(f"{line}\n" for line in PRINTS.findall(block.text))
                )
                self._compare(told, printed, f"{name}:{block.line}")

    def _run(self, block: Block, name: str) -> str:
        if IMPORT.match(block.text):
            self._names = {"__name__": "__main__"}
        code = compile("\n" * (block.line - 1) + block.text, name, "exec")
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, self._names)  # noqa: S102 - it is what a reader would run
        return printed.getvalue()

    def _type(self, block: Block, name: str) -> None:
        commands, status = commands_of(block.text), 0
        following = [command for command, _ in commands[1:]]
        for (command, told), then in zip(commands, [*following, ""], strict=True):
            said, status = answer_to(self._known(command), status)
            self._compare(told, said, f"{name}: {command}")
            assert status == 0 or then == ASKS_STATUS, (
                f"{name}: {command} ends with {status}, and the page says nothing"
            )

    def _compare(self, told: str, said: str, where: str) -> None:
        told, said = _lines(told), _lines(said.replace(str(self.home), HOME))
        pattern, names = self._pattern(told)
        met = pattern.fullmatch(said)
        if met is None:
            lines = difflib.ndiff(told.splitlines(), said.splitlines())
            raise AssertionError("\n".join([f"{where} does not say what the page tells:", *lines]))
        self._ids.update({name: met[f"id{number}"] for number, name in enumerate(names)})

    def _pattern(self, told: str) -> tuple[re.Pattern[str], list[str]]:
        """What matches what a page tells, and the ids in it that are not known yet: the groups id0, id1 and so on."""
        names: list[str] = []

        def id_of(shown: re.Match[str]) -> str:
            if shown[0] in self._ids:
                return self._ids[shown[0]]
            if shown[0] in names:
                return f"(?P=id{names.index(shown[0])})"
            names.append(shown[0])
            return f"(?P<id{len(names) - 1}>{ID.pattern})"

        lines = (ID.sub(id_of, re.escape(line)) + "\n" for line in told.splitlines())
        return re.compile("".join("(?:.*\n)*?" if line == f"{LEFT_OUT}\n" else line for line in lines)), names

    def _known(self, command: str) -> str:
        """A command with the ids of this run for those of the page, whole or shortened."""
        return SHORTENED.sub(lambda word: self._in_this_run(word[0]), command)

    def _in_this_run(self, word: str) -> str:
        for shown, real in self._ids.items():
            if shown.startswith(word):
                return real[: len(word)]
            if shown.endswith(word):
                return real[-len(word) :]
        return word


def _lines(text: str) -> str:
    return "".join(f"{line.rstrip()}\n" for line in text.rstrip().splitlines())
