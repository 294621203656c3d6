"""Whatever raises in a reader of old text gives nothing, with one warning, and the request goes on: everywhere."""

from __future__ import annotations

import io
import json
import warnings
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from anthropic import beta_tool

import brim
from brim.cli import main
from brim.compaction.plan import _Planner
from brim.conversation.messages import SUMMARY_OPENING
from brim.engine.backends import backend
from brim.engine.compaction_control import tool_runner
from brim.evidence.shell import _ScriptReader
from brim.models import ModelLimits
from brim.summary.facts import FactCollector
from brim.testing import MessagesServer, ScriptedSummarizer, tool_call
from steps.prerequisites import sized
from tests.engine.agents import MODEL

pytestmark = pytest.mark.faults

LIMITS = ModelLimits(context_window=8_000, max_output_tokens=800)
SUMMARY = "The parser is mended, and the lexer comes next."
EARLIER = f"{SUMMARY_OPENING}\nConstraints:\n- Never touch the lexer.\n\nMessages of the user:\n- Mend the parser."

READERS: dict[str, tuple[Any, str]] = {
    "a shell command": (_ScriptReader, "sequence"),
    "what a tool use did": ("brim.evidence.reports", "_line_outcome"),
    "anchors": ("brim.selection.anchors", "_findings"),
    "facts": (FactCollector, "_record_run"),
    "constraints and decisions": ("brim.summary.facts", "_sentences"),
    "what a success resolves": ("brim.evidence.failures", "_reruns"),
    "what a turn came to": ("brim.summary.template", "_uncured"),
    "harness text": ("brim.conversation.harness_text", "_without_harness"),
    "the user's words in results of tools": ("brim.conversation.harness_text", "_answers"),
    "identifiers": ("brim.summary.identifiers", "_sort_of"),
    "secrets": ("brim.summary.identifiers", "secrets_in"),
    "an earlier summary": ("brim.summary.previous_summary", "split_listed"),
    "what leaves": (_Planner, "below_threshold"),
    "the template": ("brim.compaction.result", "template_for"),
    "what is summarized": ("brim.compaction.result", "_judge"),
}
"""For each reader a function of it that raises; some are a part of a larger one, which the warning names."""


def used(number: int, name: str, given: dict[str, Any], output: str, *, failed: bool = False) -> list[Any]:
    """A tool call and its result."""
    result = {"type": "tool_result", "tool_use_id": f"call-{number}", "content": output, "is_error": failed}
    call = {"type": "tool_use", "id": f"call-{number}", "name": name, "input": given}
    return [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]


def talk(unique: str) -> list[Any]:
    """A conversation in which every reader finds something, in words and commands of its own: some are remembered."""
    notes = "a line of notes\n" * 120
    mended = "12 passed in 0.4s, and so did build/" + unique
    todos = {"todos": [{"content": f"Mend {unique}", "status": "pending"}]}
    answers = f'Your questions have been answered: "Which one?"="The parser {unique}". You can now continue with it.'
    asked = {"questions": [{"question": "Which one?"}]}
    return [
        {"role": "user", "content": f"{EARLIER} {unique}"},
        {
            "role": "user",
            "content": f"Never touch src/lexer.py. The password is hunter-{unique}; we decided on {unique}.",
        },
        *used(1, "Bash", {"command": f"pytest tests/{unique}"}, f"2 failed, 1 passed: {unique}", failed=True),
        *used(2, "Bash", {"command": f"cd a && cat > {unique}.txt <<'EOF'\nhello\nEOF"}, "done"),
        *used(3, "Edit", {"file_path": f"src/{unique}.py"}, "The file has been updated."),
        *used(4, "Bash", {"command": f"cd {unique} && pytest"}, mended),
        *used(5, "TodoWrite", todos, "Written."),
        *used(6, "AskUserQuestion", asked, answers),
        {"role": "assistant", "content": f"I mended {unique}."},
        {"role": "user", "content": f"<system-reminder>Be brief.</system-reminder>\nGo on with {unique} and SEL-4711."},
        *(part for n in range(7, 30) for part in used(n, "Bash", {"command": f"ls {unique}/{n}"}, notes)),
        {"role": "user", "content": [{"type": "text", "text": f"<system-reminder>{unique}</system-reminder>"}]},
    ]


def asked_of_server(request: Callable[[Any], Any], *answers: Any) -> None:
    """Let requests be made of the strict server through brim, and see them arrive."""
    with MessagesServer(answers, default=SUMMARY) as server, server.client() as client:
        request(client)
        assert server.requests


def compacting(messages: list[Any]) -> None:
    """`brim.compacting` of a client that waits, twice."""

    def request(client: Any) -> None:
        own = brim.compacting(client, limits=LIMITS)
        for _ in range(2):
            own.messages.create(model=MODEL, max_tokens=100, messages=messages)

    asked_of_server(request)


def compactor(messages: list[Any]) -> None:
    """Compactor, with the template and with a model."""
    for written in ({}, {"summarizer": ScriptedSummarizer([SUMMARY] * 3), "model": MODEL}):
        made = brim.Compactor(limits=LIMITS, **written)
        made.should_compact(messages)
        assert made.compact(messages).messages


def conversation(messages: list[Any]) -> None:
    """Conversation: a request, and one more after new messages."""
    own = brim.Conversation(brim.Compactor(limits=LIMITS))
    own.extend(messages)
    assert own.prepare().messages
    own.append({"role": "assistant", "content": "Done."})
    own.append({"role": "user", "content": "Go on."})
    assert own.prepare().messages


def back_end(messages: list[Any]) -> None:
    """The back end `brim`."""
    with MessagesServer([], default=SUMMARY) as server, server.client() as client:
        keeper = backend(client, MODEL, limits=LIMITS)
        assert keeper.prepare({"model": MODEL, "max_tokens": 100, "messages": messages})["messages"]


@beta_tool
def look() -> str:
    """Look."""
    return "Nothing new."


def runner(messages: list[Any]) -> None:
    """The tool runner that summarizes its own history."""

    def request(client: Any) -> None:
        control = {"enabled": True, "context_token_threshold": 1_000}
        arguments = {"model": MODEL, "max_tokens": 100, "messages": messages, "tools": [look]}
        list(tool_runner(client, compaction_control=control, limits=LIMITS, **arguments))

    asked_of_server(request, [tool_call("look", {})])


def command(*arguments: str) -> Callable[[list[Any]], None]:
    """A command on a file of the conversation, which ends with 0."""

    def run(messages: list[Any]) -> None:
        Path("talk.json").write_text(json.dumps(messages), encoding="utf-8")
        assert main([*arguments]) == 0

    return run


def replay(messages: list[Any]) -> None:
    """`brim replay`: of a transcript of Claude Code, which tells what was used."""
    write_transcript(messages)
    assert main(["replay", "session.jsonl", "--window", "8000", "--max-output", "800"]) == 0


def hook(messages: list[Any]) -> None:
    """The hook that gives back what a compaction of the agent's own lost."""
    write_transcript(messages, {"type": "system", "subtype": "compact_boundary", "content": "", "uuid": "boundary"})
    given = {"hook_event_name": "SessionStart", "source": "compact", "session_id": "s", "cwd": "."}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "sys.stdin",
            io.TextIOWrapper(io.BytesIO(json.dumps({**given, "transcript_path": "session.jsonl"}).encode())),
        )
        assert main(["hook", "session-start"]) == 0


def write_transcript(messages: list[Any], *more: dict[str, Any]) -> None:
    """Write the messages as a session of Claude Code, whose answers report what they read."""
    records: list[Any] = []
    for n, message in enumerate(messages):
        shared = {"uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None, "sessionId": "s", "cwd": "/p"}
        shared |= {
            "timestamp": f"2026-11-01T10:{n // 60:02}:{n % 60:02}.000Z",
            "version": "2.1.0",
            "isSidechain": False,
        }
        told: dict[str, Any] = {**message}
        if message["role"] == "assistant":
            usage = {"input_tokens": 200 + 100 * n, "output_tokens": 50}
            content = told["content"]
            blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
            told |= {"id": f"m{n}", "type": "message", "model": MODEL, "content": blocks, "usage": usage}
        records.append({**shared, "type": message["role"], "message": told})
    Path("session.jsonl").write_text(
        "".join(json.dumps(record) + "\n" for record in [*records, *more]), encoding="utf-8"
    )


LIMITED = ("--window", "8000", "--max-output", "800")
ENTRIES: dict[str, Callable[[list[Any]], None]] = {
    "brim.compacting": compacting,
    "Compactor": compactor,
    "Conversation": conversation,
    "back end": back_end,
    "tool runner": runner,
    "inspect": command("inspect", "talk.json", *LIMITED),
    "compact": command("compact", "talk.json", *LIMITED, "-o", "out.json"),
    "import": command("sessions", "import", "talk.json"),
    "replay": replay,
    "hook": hook,
}


OF_TEMPLATE = {"what a turn came to", "what a response did", "the template"}
OF_MODEL = {"what is summarized"}
WITHOUT = dict.fromkeys(["brim.compacting", "back end"], OF_TEMPLATE) | dict.fromkeys(
    ["Conversation", "compact"], OF_MODEL
)
"""What these entry points do not read; each of the others reads some."""


class BrokenReaderError(Exception):
    """What the reader raises."""


@pytest.fixture
def place(tmp_path, monkeypatch):
    """A folder and a HOME of its own, with no settings."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("BRIM_SESSIONS_STORE", str(tmp_path / "store"))
    return tmp_path


@pytest.fixture
def broken(monkeypatch):
    """Breaks a reader; the calls of what raises."""

    def break_reader(reader: str) -> list[str]:
        home, name = READERS[reader]
        calls: list[str] = []

        def fail(*_: Any, **__: Any) -> Any:
            calls.append(name)
            raise BrokenReaderError("it broke")

        monkeypatch.setattr(
            home if not isinstance(home, str) else f"{home}.{name}", *([name] * (not isinstance(home, str))), fail
        )
        return calls

    return break_reader


EACH_ONCE = [
    *((reader, "Compactor") for reader in READERS),
    *(("facts", entry) for entry in ENTRIES if entry != "Compactor"),
]


@pytest.mark.parametrize(("reader", "entry"), sized(EACH_ONCE, nightly=[*product(READERS, ENTRIES)]))
def test_a_reader_that_raises_gives_nothing_and_the_request_goes_on(reader, entry, broken, place, capfd):
    """Whichever of them is met, a warning names it, and no other reader; each is said once."""
    messages = talk(f"n{list(READERS).index(reader)}x{list(ENTRIES).index(entry)}")
    calls = broken(reader)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        ENTRIES[entry](messages)
    told = [str(one.message) for one in caught if "cannot read" in str(one.message)]
    assert bool(told) == bool(calls)
    if entry == "Compactor" or reader not in WITHOUT.get(entry, READERS):
        assert calls
    named = {"secrets": "identifiers", "the template": "what leaves"}.get(reader, reader)
    assert all(text.startswith(f"brim cannot read {named}") and "BrokenReaderError: it broke" in text for text in told)
    assert len(told) == len({*told}) or entry == "compact"  # which sets filters, so that Python tells again


def test_what_raises_outside_of_a_reader_sends_the_request_as_it_is(monkeypatch):
    """The warning says what it met."""

    def fail(*_: Any, **__: Any) -> Any:
        raise BrokenReaderError("it broke")

    monkeypatch.setattr("brim.engine.middleware._own_copy", fail)
    with pytest.warns(UserWarning, match="brim cannot read a conversation.*BrokenReaderError: it broke"):
        compacting(talk("untouched"))
