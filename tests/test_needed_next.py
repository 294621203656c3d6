"""What counts as needed next: what was there, was written again, and was not learned in between."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from brim.transcripts import read_transcript
from tests import needed_next
from tests.needed_next import Item, Presence

PROJECT = "/home/ada/cinder"


def test_what_was_learned_again_or_is_new_was_not_needed(tmp_path: Path) -> None:
    """Of three names written behind a cut the one counts that stood before it and came no more."""
    uses: list[Any] = [
        (f"cat notes_{n}.md", f"drawer_{n} holds 'seven red candles'. " + "wax " * 900) for n in range(9)
    ]
    uses[1] = ("cat lamp_oil.md", "wax " * 900 + "wick_trimmer and oil_measure")
    uses[6] = ("cat notes_6.md", "oil_measure again")
    uses[7] = ("echo wick_trimmer oil_measure brand_new_name", "")
    found = _needed(tmp_path, uses, before=5)
    assert found == {Item("symbol", "wick_trimmer"): True}
    assert _needed(tmp_path, uses, before=2) == {Item("symbol", "wick_trimmer"): False}


def test_a_path_may_stand_behind_a_folder_that_is_written_once() -> None:
    """A summary lists paths below their common folder."""
    text = "Files (paths below /home/ada/cinder/src): wax/pour.py"
    left = [{"role": "user", "content": text}]
    presence = Presence(left, PROJECT)
    assert presence.has(Item("path", "src/wax/pour.py"))
    assert not presence.has(Item("path", "wick/wax/pour.py"))


@pytest.mark.parametrize(
    ("given", "items"),
    [
        ({"command": "cd /home/ada/cinder && make wax 2>&1 | tail -5"}, set()),
        ({"command": "cd src && pytest tests/wax 2>&1 | tail -5"}, {Item("command", "pytest tests/wax")}),
        (
            {
                "file_path": f"{PROJECT}/src/pour.py",
                "old_string": "    wax_level = heat_of(lamp)",
                "new_string": "pass",
            },
            {Item("path", "src/pour.py"), Item("line", "wax_level = heat_of(lamp)")},
        ),
        (
            {"file_path": f"{PROJECT}/README.md", "text": "see TS2345 of `the pouring of wax`"},
            {Item("error", "TS2345"), Item("quoted", "the pouring of wax")},
        ),
    ],
)
def test_what_a_call_writes(given: dict[str, Any], items: set[Item]) -> None:
    """An edit's old text counts as lines alone, a command without its folder and its clip."""
    call = {"type": "tool_use", "id": "a", "name": "any", "input": given}
    assert {*needed_next.written({"role": "assistant", "content": [call]}, PROJECT)} == items


def _needed(place: Path, uses: list[tuple[str, str]], before: int) -> dict[Item, bool]:
    """Return what the session of these commands and outputs needed behind a response."""
    records: list[dict[str, Any]] = [_record("user", "Look after the lamps.", None)]
    for number, (command, output) in enumerate(uses):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": command}}
        records.append(_record("assistant", [call], records[-1]["uuid"]))
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": output}
        records.append(_record("user", [result], records[-1]["uuid"]))
    path = place / "session.jsonl"
    path.write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    transcript = read_transcript(path)
    context = needed_next.context_before(transcript, before)
    found = needed_next.needed_behind(
        transcript, before, transcript.end, context=context, general=set(), seed="the same"
    )
    return {item: old for item, old in found.items() if item.kind == "symbol"}


def _record(role: str, content: Any, parent: str | None) -> dict[str, Any]:
    number = 0 if parent is None else int(parent) + 1
    message: dict[str, Any] = {"role": role, "content": content}
    if role == "assistant":
        message |= {
            "id": f"msg_{number}",
            "model": "claude-opus-4-6",
            "stop_reason": "tool_use",
            "usage": {"input_tokens": 1, "output_tokens": 1},
        }
    return {
        "type": role, "uuid": str(number), "parentUuid": parent, "sessionId": "lamps", "cwd": PROJECT,
        "version": "2.1.0", "timestamp": "2026-03-01T09:00:00.000Z", "isSidechain": False, "message": message,
    }  # fmt: skip
