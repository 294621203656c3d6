"""`brim inspect --list`: the newest sessions of the agents on this machine, and how full each is.

Specified by features/cli/listing.feature (CMD_21).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from pathlib import Path
from typing import ClassVar, Final

from brim.cli import complain
from brim.cli.inspecting import DECIDES
from brim.cli.latest import Found, fault_of, kept_by_agents, none_found
from brim.cli.limits import check_flags, limits_for
from brim.cli.output import tokens, working
from brim.cli.reading import read_file
from brim.cli.report import Element, Line, Report, Table
from brim.cli.sessions.pages import ago
from brim.cli.settings import is_set
from brim.conversation.turns import find_turns
from brim.errors import InvalidInput
from brim.models import ModelLimits
from brim.replay.check import profile_of_tool
from brim.sessions.paths import system_clock
from brim.settings import Settings
from brim.summary.facts import shortened
from brim.transcripts.inspection import inspect_transcript
from brim.transcripts.values import Transcript
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
    """The threshold in tokens: that of the user's settings, else the agent's, else brim's; null where unknown."""
    whose: str
    """Whose threshold that is: yours, the agent's, or brim's."""

    @property
    def filled(self) -> str:
        """Return how full the window is, and whose threshold it is compared with."""
        return f"{window_filled(self.window_now, self.threshold)}% of {self.whose}" if self.threshold else "–"


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
        unknown = "; – where the window is unknown" if any(one.threshold is None for one in self.sessions) else ""
        yield Line(f"full: of the threshold that you set, else the agent's, else brim's{unknown}", style="dim")
        if self.older:
            yield Line(f"{self.older:,} older: name a project", style="dim")


def listed(
    project: Path | None, model: str | None, window: int | None, max_output: int | None, settings: Settings
) -> KeptSessions:
    """Return the newest sessions, of all or of the nearest folder from a project's upwards that has one (CMD_21).

    A session that cannot be read is named on standard error. Raises InvalidInput where there is none.
    """
    check_flags(window, max_output)
    kept, folders = kept_by_agents(), [project, *project.parents] if project else []
    of_folders = ([one for one in kept if one.may_be_of(each)] for each in folders)
    found = deque(next(filter(None, of_folders), []) if project else kept)
    shown = list[KeptSession]()
    with working("reading the newest sessions"):
        while found and len(shown) < SHOWN:
            one = found.popleft()
            fault = one.fault or fault_of(one.path)
            try:
                if fault is None:
                    transcript = read_file(one.path, default_model=settings.preferences.default_model)
                    shown.append(_kept(one, transcript, limits_for(transcript, model, window, max_output), settings))
            except InvalidInput as error:
                fault = str(error)
            if fault:
                complain(f"{one.path} is passed over: {fault}")
    if not shown:
        raise none_found(project)
    return KeptSessions(sessions=tuple(shown), older=len(found))


def _kept(one: Found, transcript: Transcript, limits: ModelLimits | None, settings: Settings) -> KeptSession:
    """Return how full a session is, as `inspect` judges it (CMD_18)."""
    is_mine = is_set(settings, *DECIDES)
    own = None if is_mine else profile_of_tool(transcript)
    found = inspect_transcript(transcript, limits, settings.policy, own=own)
    requests = (turn.request.strip() for turn in find_turns(transcript.messages))
    return KeptSession(
        file=str(one.path),
        format=transcript.format,
        changed=int(one.changed * 1_000),
        began=next(filter(None, requests), ""),
        window_now=found.window_now,
        threshold=(found.profiles[own.name] if own else found.settings).threshold,
        whose="yours" if is_mine else "the agent's" if own else "brim's",
    )
