"""What brim reads of a text costs in proportion to its length, whoever wrote it: a tool, a model, a page (CMP_12).

Four times the text may take four times as long. A search that begins again at every opening would take sixteen times.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from brim import Compactor, Conversation, ModelLimits
from brim.engine.recall import FORGED
from brim.evidence.failures import _steps
from brim.sessions.paths import BROKEN
from brim.testing import ScriptedSummarizer
from brim.transcripts import read_transcript

pytestmark = pytest.mark.nightly

SIZES = (20_000, 80_000)
"""Characters of the text, small and large."""
LIMIT = 8
"""How many times as long the large text may take as the small one: twice what is due, half of what a square takes."""
NOISE = 0.1
"""Seconds that a busy machine may add to a few hundredths."""

TEXTS = {
    "spaces": ("", " ", "x"),
    "file of a patch": ("*** Begin Patch\n*** Add File: a", " ", "b\n"),
    "files of a patch": ("", "*** Add File: \n", ""),
    "options of git": ("git", " -c git", " commits"),
    "options of git, two ways": ("git", " --a=b", " commits"),
    "dry runs": ("", "git commit ", "--dry-run"),
    "deliberation": ("", "<analysis>", "<summary>Done.</summary>"),
    "both deliberations": ("</thinking>", "<analysis><thinking>", "</thinking><summary>Done.</summary>"),
    "summaries": ("", "<summary ", ""),
    "folders": ("", "(paths below ", ""),
    "reminders": ("", "<system-reminder>", ""),
    "reminders that are closed": ("", "<system-reminder></system-reminder>", "x"),
    "notes of a harness": ("", "<local-command-a a", ""),
    "a path": ("", "/a", ""),
    "a path with spaces": ("", "/a b", ""),
    "a path without a name": ("", "/.", ""),
    "hyphens": ("a", "-", "a"),
    "sentences": ("", "You must. ", ""),
    "fences": ("", "```\n~~~\n", ""),
    "errors": ("Error: x", "\n at x", "\n\n\n"),
    "words of errors": ("", "Error", ""),
    "tests": ("", "1 passed, ", "x"),
    "lines of ok": ("ok (", ") ", "x"),
    "a build": ("", "was built ", "failed"),
    "names of code": ("", "a_b.", "!"),
    "identifiers": ("", "a/b_c.py:1 ", "x"),
    "hexadecimal digits": ("", "a1", "x"),
    "keys": ("", "Zx8kQ2mV7tR4 ", "x"),
    "what may be called a secret": ("", "token", " "),
    "links": ("", "https://a.b/c?", "x"),
    "redirections": ("make ", ">> ", "x"),
    "folders of a command": ("", "cd a && ", "|"),
    "options of a test runner": ("pytest ", "-", "x"),
}
"""What the text begins with, what it repeats, and what it ends with."""


def conversation(text: str) -> list[dict[str, Any]]:
    """Turns that hold the text as a command, a patch, a path, an output, an answer and words of the user."""
    uses = [
        ("Bash", {"command": text}, False),
        ("Bash", {"command": text}, True),
        ("apply_patch", {"input": text}, True),
        *(("Edit", {"file_path": f"{text}{number}"}, True) for number in range(8)),
    ]
    messages: list[dict[str, Any]] = []
    for number, (name, given, succeeded) in enumerate(uses):
        call = {"type": "tool_use", "id": f"call-{number}", "name": name, "input": given}
        result = {"type": "tool_result", "tool_use_id": call["id"], "content": "No.", "is_error": not succeeded}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    call = {"type": "tool_use", "id": "make", "name": "Bash", "input": {"command": "make"}}
    result = {"type": "tool_result", "tool_use_id": "make", "content": text}
    messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    said = [{"role": "user", "content": text}, {"role": "assistant", "content": text}]
    return [*said, *messages, *said, {"role": "user", "content": "Go on."}]


def seconds(text: str) -> float:
    """How long it takes to prepare a request with the text, and to compact it with a summary that is the text."""
    limits = ModelLimits(context_window=4_000_000, max_output_tokens=200_000)
    start = process_time()
    prepared = Conversation(Compactor(limits=limits))
    prepared.extend(conversation(text))
    prepared.prepare()
    for summarizer in (ScriptedSummarizer(text), None):
        compactor = Compactor(limits=limits, summarizer=summarizer, sleep=lambda _: None)
        compaction = compactor.compact(conversation(text))
        assert compaction.summary
        assert compaction.fidelity.facts
    return process_time() - start


def in_proportion(seconds: Callable[[str], float], opening: str, repeated: str, closing: str) -> bool:
    """Whether a text four times as long takes less than eight times as long."""
    small, large = (opening + repeated * (size // len(repeated)) + closing for size in SIZES)
    limit = LIMIT * min(seconds(small) for _ in range(2)) + NOISE
    return any(seconds(large) < limit for _ in range(3))


@pytest.mark.parametrize(("opening", "repeated", "closing"), TEXTS.values(), ids=TEXTS)
def test_the_time_grows_with_the_length_of_the_text(opening: str, repeated: str, closing: str) -> None:
    """In a conversation and in its summary."""
    assert in_proportion(seconds, opening, repeated, closing)


ANSWERS = {
    "thoughts without an end": ("", "<thinking-content-a>", "x"),
    "thoughts without an answer": ("", "► **THINKING**", "x"),
    "thoughts with the end of another": ("", "<thinking-content-a>x</thinking-content-b>", "x"),
    "commands without an end": ("```bash\n", "`` ", "x"),
    "commands without a line": ("", "```bash ", "x"),
    "spaces": ("```bash", " ", "x"),
}
"""What an answer in a transcript begins with, what it repeats, and what it ends with."""


def aider(answer: str) -> str:
    """A chat history of aider with the answer."""
    tokens = "> Tokens: 1k sent, 10 received. Cost: $0.01 message, $0.01 session.  "
    return f"# aider chat started at 2025-01-01 10:00:00\n\n#### Go on.  \n\n{answer}\n\n{tokens}\n"


def mini_swe_agent(answer: str) -> str:
    """A trajectory of mini-swe-agent with the answer."""
    said = [{"role": "user", "content": "Go on."}, {"role": "assistant", "content": answer}]
    return json.dumps({"info": {"mini_version": "1.0"}, "messages": said})


@pytest.mark.parametrize("transcript", [aider, mini_swe_agent])
@pytest.mark.parametrize(("opening", "repeated", "closing"), ANSWERS.values(), ids=ANSWERS)
def test_the_time_to_read_a_transcript_grows_with_its_length(
    tmp_path: Path, transcript: Any, opening: str, repeated: str, closing: str
) -> None:
    """With that of an answer in it."""

    def reading(answer: str) -> float:
        path = tmp_path / "transcript.md"
        path.write_text(transcript(answer), encoding="utf-8")
        start = process_time()
        assert len(read_transcript(path).messages) == 2
        return process_time() - start

    assert in_proportion(reading, opening, repeated, closing)


@pytest.mark.parametrize(
    ("read", "opening"),
    [(FORGED.search, "<"), (_steps.__wrapped__, ""), (BROKEN.match, "")],
    ids=["mark", "steps", "URL"],
)
def test_a_long_run_of_spaces_takes_time_in_proportion(read: Any, opening: str) -> None:
    """In what recall finds, in what a test was run by, and in the name of a place."""

    def reading(text: str) -> float:
        start = process_time()
        read(text)
        return process_time() - start

    assert in_proportion(reading, opening, " ", "x")
