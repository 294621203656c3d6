"""What the pages of sessions share: times, titles, messages on a line, notes, and how full a window is."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Final

from brim.cli.limits import stated_limits
from brim.cli.output import cropped
from brim.cli.report import Element, Line, Table
from brim.compaction.context_window import ContextWindow
from brim.compaction.policy import DEFAULT_POLICY, CompactionPolicy
from brim.conversation.harness_text import words_of_user
from brim.conversation.messages import Media, Message, Part, Text, Thinking, ToolCall, ToolResult, speaker
from brim.models import NO_LIMIT, ModelLimits
from brim.sessions.paths import moment
from brim.sessions.registry import SessionInfo
from brim.sessions.session import Session
from brim.sessions.store import SessionStore
from brim.sessions.view import View
from brim.trigger.overflow import window_filled

UNTITLED: Final = "(no title)"
DAY: Final = 24 * 60
"""Minutes."""
AGO: Final = 10
"""Columns of a day."""
LONGEST: Final = 60
"""Characters of a title, and of an argument of a tool call, that are shown."""
READ: Final = 400
"""Characters of a part that are looked at for a line."""

WRAPPER: Final = re.compile(r"\A\s*<(?P<tag>[a-z]+(?:_[a-z]+)+)>(?P<words>.*?)</(?P=tag)>", re.DOTALL)
"""An element that a tool put around the beginning of a request, such as pr_description or uploaded_files."""


def ago(time: int, now: int) -> str:
    """How long ago a time was, in ten columns at most; the day where that was a month ago or more."""
    minutes = max(now - time, 0) // 60_000
    for least, unit, length in ((2 * DAY, "days", DAY), (60, "h", 60), (1, "min", 1)):
        if least <= minutes < 30 * DAY:
            return f"{minutes // length} {unit} ago"
    return moment(time)[:AGO] if minutes else "just now"


def title_of(info: SessionInfo) -> str:
    """What a session is called, on one line."""
    return one_line(info.title) or UNTITLED


def project_of(info: SessionInfo) -> str:
    """The last part of a project's directory, on one line."""
    return one_line(PurePath(info.project).name or info.project)


def head(info: SessionInfo) -> Iterator[Element]:
    """Yield what a session is: its title, id, project and model."""
    yield Line(lead=title_of(info), fit="crop")
    yield Line(info.id, fit="whole")
    if about := " · ".join(one_line(text) for text in (info.project, info.model) if text):
        yield Line(about, fit="whole")


def lines(messages: Iterable[Message], ids: Iterable[str | None] | None = None) -> Table:
    """A row for each message, with its record where that is named (CMD_12)."""
    if ids is None:
        return Table([(f"  {speaker(one)}", gist(one)) for one in messages])
    return Table([(f"  {name or ''}", speaker(one), gist(one)) for name, one in zip(ids, messages, strict=True)])


def notes_of(store: SessionStore, session: Session) -> tuple[str, ...]:
    """What was repaired or set aside of a store and of a session, in sentences."""
    return (*store.warnings(), *session.warnings)


def gist(message: Message) -> str:
    """What a message says and does, on one line."""
    return one_line(" · ".join(filter(None, map(_gist, message.parts))))


def _gist(part: Part) -> str:
    if type(part) is Text:
        return part.text[:READ]
    if type(part) is ToolCall:
        return f"{part.name}({_arguments(part)})"
    if type(part) is ToolResult:
        return part.text[:READ] or ("(an image)" if part.media else "(nothing)")
    if type(part) is Thinking:
        return "(thinking)"
    return "(an image or a document)" if type(part) is Media else ""


def _arguments(call: ToolCall) -> str:
    return ", ".join(f"{name}={str(value)[:LONGEST]}" for name, value in call.input.items())[:READ]


def one_line(text: str) -> str:
    """A text on one line."""
    return " ".join(text.split())


def first_words(messages: Iterable[Message]) -> str:
    """The beginning of what the user said first, as the title of what has none (CMD_13)."""
    asked = (_asked(one) for one in messages if speaker(one) == "user")
    return cropped(next(filter(None, asked), ""), LONGEST)


def _asked(message: Message) -> str:
    """What a person wrote in a message, on one line; without the tag that a tool put around it."""
    texts = (words_of_user(part.text) for part in message.parts if type(part) is Text)
    return one_line(WRAPPER.sub(r"\g<words> ", " ".join(texts))[:READ])


@dataclass(frozen=True)
class SessionState:
    """A session as the model sees it now."""

    info: SessionInfo
    view: View
    limits: ModelLimits | None = None
    """The limits of its model; None where they are unknown."""
    policy: CompactionPolicy = DEFAULT_POLICY
    """The settings by which it is judged."""
    model: str = ""
    """The model that was asked for, or else the session's."""

    @cached_property
    def window(self) -> ContextWindow:
        """What it holds, as a running account."""
        return self.view.window(self.limits or NO_LIMIT, self.policy)

    @property
    def held(self) -> int:
        """Tokens in the window now."""
        return self.window.held

    @property
    def filled(self) -> int:
        """How full the window is, in whole percent of the threshold (TRG_20)."""
        return window_filled(self.held, self.window.trigger.threshold)

    @property
    def threshold(self) -> int | None:
        """Tokens from which a compaction is due; None where the window is unknown."""
        return self.window.trigger.threshold if self.limits else None

    @property
    def room(self) -> int | None:
        """Tokens that the window can hold; None where that is unknown."""
        return self.limits.context_window if self.limits else None


def state_of(
    session: Session,
    *,
    model: str | None = None,
    window: int | None = None,
    max_output: int | None = None,
    policy: CompactionPolicy = DEFAULT_POLICY,
    default_model: str = "",
) -> SessionState:
    """Where a session stands, by the model that is asked for, its own, or the default one.

    Raises WrongUsage or Refused for limits that no model has.
    """
    name = model or session.info.model or default_model
    if window is None and model is None:
        window = session.info.window
    return SessionState(session.info, session.view(), stated_limits(name, window, max_output), policy, name)
