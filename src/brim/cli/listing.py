"""`brim inspect --list`: the newest sessions of the agents on this machine, and how full each is.

Specified by features/cli/listing.feature (CMD_21).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Final

from brim.cli import complain
from brim.cli.inspecting import DEFAULT_PROFILE
from brim.cli.latest import Found, fault_of, kept_by_agents, none_found
from brim.cli.limits import limits_for, threshold_of
from brim.cli.output import tokens, working
from brim.cli.report import Element, Line, Report, Table
from brim.cli.sessions.pages import ago
from brim.conversation.turns import find_turns
from brim.errors import InvalidInput
from brim.replay.check import profile_of_tool
from brim.sessions.paths import system_clock
from brim.summary.facts import shortened
from brim.transcripts import read_transcript
from brim.transcripts.window import Walk
from brim.trigger.overflow import window_filled

SHOWN: Final = 10
"""Sessions that are shown at most."""
BEGAN: Final = 40
"""Characters that are shown of what the user wrote first."""


class KeptSession(Report):
    """A session that an agent keeps."""

    file: str
    """Where it is kept."""
    format: str
    """The format of the agent."""
    changed: int
    """When it was last written to, in milliseconds since 1970."""
    began: str
    """What the user wrote first, on one line."""
    window_now: int
    """Tokens that the window holds at the end."""
    threshold: int | None
    """Tokens at which the agent compacts, or else brim; null where that is not known."""

    @property
    def opening(self) -> str:
        """How it began, shortened."""
        return shortened(self.began, BEGAN)

    @property
    def filled(self) -> str:
        """How full it is, of the threshold."""
        return f"{window_filled(self.window_now, self.threshold)}%" if self.threshold else "–"


class KeptSessions(Report):
    """The newest sessions of the agents, and how full each is."""

    commands: ClassVar = ("inspect",)
    sessions: tuple[KeptSession, ...]
    """The newest, each a session that could be read."""
    older: int
    """How many others there are."""

    def page(self) -> Iterator[Element]:
        """Yield a row for each, and what more there is."""
        now = system_clock()
        rows = [
            (
                ago(one.changed, now),
                one.format,
                tokens(one.window_now),
                one.filled,
                shortened(one.began, BEGAN),
                one.file,
            )
            for one in self.sessions
        ]
        yield Table(rows, ("changed", "agent", "tokens", "full", "began with", "file"), whole=True)
        older = f"; {self.older:,} older: name a project" if self.older else ""
        yield Line(f"full: of the tokens at which the agent compacts, or else brim{older}", style="dim")


def listed(project: Path | None) -> KeptSessions:
    """Return the newest sessions, of a project or of all; what cannot be read is named on standard error (CMD_21)."""
    found = deque(one for one in kept_by_agents() if project is None or one.may_be_of(project))
    shown = list[KeptSession]()
    with working("reading the newest sessions"):
        while found and len(shown) < SHOWN:
            one = found.popleft()
            fault = one.fault or fault_of(one.path)
            try:
                if fault is None:
                    shown.append(_kept(one))
            except InvalidInput as error:
                fault = str(error)
            if fault:
                complain(f"{one.path} is passed over: {fault}")
    if not shown:
        raise none_found(project)
    return KeptSessions(sessions=tuple(shown), older=len(found))


def _kept(one: Found) -> KeptSession:
    """Read a session, and how full it is."""
    transcript = read_transcript(one.path)
    profile, limits = profile_of_tool(transcript), limits_for(transcript, None, None, None)
    walk = Walk(transcript)
    deque(walk.held(), 0)
    requests = (turn.request.strip() for turn in find_turns(transcript.messages))
    return KeptSession(
        file=str(one.path),
        format=transcript.format,
        changed=int(one.changed * 1_000),
        began=next(filter(None, requests), ""),
        window_now=walk.account.held,
        threshold=threshold_of(profile or DEFAULT_PROFILE, limits),
    )
