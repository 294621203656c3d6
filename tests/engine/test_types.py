"""A type checker refuses the form of a method that its client cannot use (CMP_08)."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from steps.prerequisites import sized

CALLS = """
from __future__ import annotations

from typing import Any

from anthropic import Anthropic, AnthropicBedrock, AsyncAnthropic, AsyncAnthropicBedrock

import brim
from brim import Compactor, Conversation
from brim.agents.sub_agents import SubAgents
from brim.engine.backends import backend

MODEL = "claude-opus-5-5"
messages: list[Any] = []
waits, awaited = Anthropic(), AsyncAnthropic()


async def right() -> None:
    Compactor(waits, MODEL).compact(messages)
    await Compactor(awaited, MODEL).acompact(messages)
    Compactor().compact(messages)
    await Compactor(model=MODEL).acompact(messages)
    Compactor(AnthropicBedrock(), MODEL).compact(messages)
    await Compactor(AsyncAnthropicBedrock(), MODEL).acompact(messages)
    Conversation(Compactor()).prepare()
    await Conversation(Compactor(awaited, MODEL)).aprepare()
    brim.compacting(waits).messages.create(model=MODEL, max_tokens=9, messages=[])
    await brim.compacting(awaited).messages.create(model=MODEL, max_tokens=9, messages=[])


def bare(compactor: Compactor) -> None:
    compactor.compact(messages)


bare(Compactor(waits, MODEL))


async def wrong() -> None:
    Compactor(awaited, MODEL).compact(messages)  # wrong
    await Compactor(waits, MODEL).acompact(messages)  # wrong
    Conversation(Compactor(awaited, MODEL)).prepare()  # wrong
    await Conversation(Compactor(waits, MODEL)).asend(print)  # wrong
    backend(awaited, MODEL).prepare({})  # wrong
    await SubAgents(waits, MODEL).arun("explore", "Look.")  # wrong
"""
WRONG = [n for n, line in enumerate(CALLS.split("\n"), 1) if line.endswith("# wrong")]
CHECKERS = {
    "mypy": ["mypy", "--strict", "--no-error-summary"],
    "pyright": ["basedpyright", "--level", "error", "--pythonpath", sys.executable],
}


@pytest.mark.parametrize("checker", sized(["pyright"], nightly=CHECKERS))
def test_a_type_checker_refuses_the_wrong_form(checker: str, tmp_path: Path) -> None:
    """Each wrong call, and no right one; also for the clients of other platforms, and where an annotation is bare."""
    file = tmp_path / "calls.py"
    file.write_text(CALLS, encoding="utf-8")
    command = [sys.executable, "-m", *CHECKERS[checker], str(file)]
    output = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path).stdout
    assert sorted({int(line) for line in re.findall(r"calls\.py:(\d+):(?:\d+ -)? error", output)}) == WRONG, output
