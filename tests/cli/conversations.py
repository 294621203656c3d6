"""Conversations to call the command on."""

from pathlib import Path

from brim.models import ModelLimits

RECORDING = Path(__file__).parents[2] / "docs" / "examples" / "recorded-session.jsonl"
LIMITS = ModelLimits(context_window=6_000, max_output_tokens=1_000)


def turn(number, *, lines=400, ending="Done."):
    """A turn of four messages: the user asks, the model reads a file, and says something of it."""
    use = {"type": "tool_use", "id": f"call-{number}", "name": "Read", "input": {"path": f"{number}.py"}}
    result = {"type": "tool_result", "tool_use_id": f"call-{number}", "content": "value = 1\n" * lines}
    return [
        {"role": "user", "content": f"Please look at module {number}."},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result]},
        {"role": "assistant", "content": [{"type": "text", "text": ending}]},
    ]


def conversation(turns=12, **kinds):
    """A conversation of so many turns."""
    return [message for number in range(turns) for message in turn(number, **kinds)]
