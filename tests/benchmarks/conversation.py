"""A conversation of any length, shaped like real ones: a prompt, some ten calls with their results, an answer."""

from __future__ import annotations

import random
from typing import Any

MESSAGES_A_TURN = 20
WORDS = ("window", "compaction", "return", "value", "the", "of", "import", "self", "line", "token", "def", "test", "a")
RESULT_LENGTHS = (
    *(40, 60, 90, 120, 150, 180, 200, 230, 260, 286),
    *(350, 450, 700, 1_100, 1_600, 2_200, 3_200, 4_800, 9_000, 22_000),
)
"""Characters of tool results, equally often; median, quartile and tenth are those of 34,000 real results."""
EDIT_LENGTH = 1_300
"""Characters of each of the two texts of an edit: with it tool input is about a fifth of all, as measured there."""
THINKING_LENGTH = 700
"""Characters of thinking in every third response, a sixteenth of all."""


def conversation(length: int, seed: int = 1) -> list[dict[str, Any]]:
    """So many message dictionaries in the Anthropic form; the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311 - a conversation, not a secret
    return [_message(number, chance) for number in range(length)]


def _message(number: int, chance: random.Random) -> dict[str, Any]:
    place = number % MESSAGES_A_TURN
    if place == 0:
        return {
            "role": "user",
            "content": f"Please change part {number} and never touch the other one. {_text(120, chance)}",
        }
    if place == MESSAGES_A_TURN - 1:
        return {
            "role": "assistant",
            "content": [{"type": "text", "text": f"Done with part {number}. {_text(200, chance)}"}],
        }
    if place % 2:
        said = [{"type": "text", "text": _text(150, chance)}]
        if place % 3 == 0:
            said.insert(0, {"type": "thinking", "thinking": _text(THINKING_LENGTH, chance), "signature": "signed"})
        call = {
            "type": "tool_use",
            "id": f"call_{number}",
            "name": _tool(place),
            "input": _input(place, number, chance),
        }
        return {"role": "assistant", "content": [*said, call]}
    output = "12 passed in 0.31s" if place == MESSAGES_A_TURN - 2 else _text(chance.choice(RESULT_LENGTHS), chance)
    result = {"type": "tool_result", "tool_use_id": f"call_{number - 1}", "content": output}
    return {"role": "user", "content": [result]}


def _tool(place: int) -> str:
    return {13: "Edit", 15: "Edit", 17: "Bash"}.get(place, "Read")


def _input(place: int, number: int, chance: random.Random) -> dict[str, Any]:
    path = f"/home/dev/project/src/module_{number % 97}.py"
    if _tool(place) == "Edit":
        return {"file_path": path, "old_string": _text(EDIT_LENGTH, chance), "new_string": _text(EDIT_LENGTH, chance)}
    return {"command": "python -m pytest -q"} if _tool(place) == "Bash" else {"file_path": path}


def _text(length: int, chance: random.Random) -> str:
    words = chance.choices(WORDS, k=length // 5 + 1)
    return " ".join(words)[:length]
