"""Operations of the sessions room."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field

from brim.portable.operation import Input, operation
from brim.sessions import view


class SessionMessage(Input):
    """A message of a history, by what decides whether it is sent."""

    id: str = Field(description="How the answer names this message.")
    role: str = Field(description="Who speaks: `user`, `assistant`, or a role of the program's own.")
    parent: str | None = Field(default=None, description="The message it answers; for a summary its marker.")
    summary: bool = Field(default=False, description="Whether it is a summary of earlier messages.")
    finished: bool = Field(default=False, description="Whether it was written to its end.")
    error: str | None = Field(default=None, description="The error it ended in; null where it ended well.")
    compaction: bool = Field(default=False, description="Whether it is a marker: it asks for a compaction.")
    tail_start: str | None = Field(default=None, description="For a marker: the first message kept word for word.")


def _named_once(messages: list[SessionMessage]) -> list[SessionMessage]:
    names = [message.id for message in messages]
    twice = next((name for name in names if names.count(name) > 1), None) if len({*names}) < len(names) else None
    if twice is not None:
        raise ValueError(f"two messages have the id {twice!r}")
    return messages


class VisibleMessagesInput(Input):
    """A history that holds its own compactions."""

    messages: Annotated[list[SessionMessage], AfterValidator(_named_once)] = Field(
        description="The history, in the order of time."
    )


@operation("visible_messages", rules=("SES_04",))
def visible_messages(given: VisibleMessagesInput) -> list[str]:
    """Which messages are sent, in the order sent: the newest finished summary, the kept tail, and what came since."""
    return view.visible_messages(given.messages)
