"""For tests of agents: a summarizer that answers from a script, and a Messages API server that is strict.

What is public is listed here and loaded when it is first asked for; nothing of it imports the SDK.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from brim.testing.answers import (
        Answer,
        cut_off,
        empty,
        error_text,
        only_a_tool_call,
        refused,
        text_block,
        thinking_block,
        tool_call,
    )
    from brim.testing.failures import (
        Failure,
        dropped,
        dropped_midstream,
        failed,
        failed_midstream,
        hang,
        hang_midstream,
        overloaded,
        rate_limited,
        rejected,
        too_long,
    )
    from brim.testing.messages_api.received import Received
    from brim.testing.messages_api.served_models import ServedModel
    from brim.testing.messages_server import MessagesServer
    from brim.testing.openai_strictness import openai_chat_complaints, openai_responses_complaints
    from brim.testing.scripted_summarizer import AsyncScriptedSummarizer, ScriptedSummarizer
    from brim.testing.strictness import complaints

__all__ = [
    "Answer",
    "AsyncScriptedSummarizer",
    "Failure",
    "MessagesServer",
    "Received",
    "ScriptedSummarizer",
    "ServedModel",
    "complaints",
    "cut_off",
    "dropped",
    "dropped_midstream",
    "empty",
    "error_text",
    "failed",
    "failed_midstream",
    "hang",
    "hang_midstream",
    "only_a_tool_call",
    "openai_chat_complaints",
    "openai_responses_complaints",
    "overloaded",
    "rate_limited",
    "refused",
    "rejected",
    "text_block",
    "thinking_block",
    "too_long",
    "tool_call",
]

HOMES: Final = {
    "brim.testing.answers": (
        "Answer",
        "cut_off",
        "empty",
        "error_text",
        "only_a_tool_call",
        "refused",
        "text_block",
        "thinking_block",
        "tool_call",
    ),
    "brim.testing.failures": (
        "Failure",
        "dropped",
        "dropped_midstream",
        "failed",
        "failed_midstream",
        "hang",
        "hang_midstream",
        "overloaded",
        "rate_limited",
        "rejected",
        "too_long",
    ),
    "brim.testing.messages_api.received": ("Received",),
    "brim.testing.messages_api.served_models": ("ServedModel",),
    "brim.testing.messages_server": ("MessagesServer",),
    "brim.testing.openai_strictness": ("openai_chat_complaints", "openai_responses_complaints"),
    "brim.testing.scripted_summarizer": ("AsyncScriptedSummarizer", "ScriptedSummarizer"),
    "brim.testing.strictness": ("complaints",),
}
"""Where the public names are defined."""


def __getattr__(name: str) -> Any:
    """Load a public name from its home. Raises AttributeError for a name that is not public."""
    for home, names in HOMES.items():
        if name in names:
            value = getattr(import_module(home), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'brim.testing' has no attribute {name!r}; its public names are: {', '.join(__all__)}")


def __dir__() -> list[str]:
    """The public names."""
    return list(__all__)
