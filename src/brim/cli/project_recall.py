"""`brim mcp`: recall over the sessions that agents keep of a project, for agents that compact by themselves.

Specified by features/cli/project_recall.feature (REC_05).
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import islice
from pathlib import Path
from threading import Lock
from time import time
from typing import TYPE_CHECKING, Any, Final

from brim import __version__
from brim.cli.latest import fault_of, kept_by_agents
from brim.conversation.messages import speaker
from brim.engine.recall import DATA, HOW_TO_ASK, MAX_PASSAGES, TOOL, Recalled, RecallMemory, answer
from brim.errors import BrimError, Refused, described, lacks_extra
from brim.sessions.full_text import About, Found, FullText, Query, Where
from brim.sessions.search import RECALL, add_message
from brim.transcripts import Transcript, read_transcript, view
from brim.transcripts.window import turn_numbers

if TYPE_CHECKING:
    from mcp import types

MAX_SESSIONS: Final = 100
"""Sessions that are searched at most, the newest."""
ASKING: Final = 600
"""Seconds in which a session was written to that may be the one that asks."""
MAX_NAMED: Final = 3
"""Sessions that could not be read and are named in an answer."""
MAX_REASON: Final = 200
"""Characters of the path and the reason of each."""
CUT_SHORT: Final = "cut short"
"""The reason that a reader gives for a line that is still being written."""
DESCRIPTION: Final = (
    "Search the sessions of Claude Code, Codex, OpenCode and pi in this project, also what a summary replaced in this "
    "one. It returns passages word for word, with session, turn and time. Use it when your context " + HOW_TO_ASK
)
OPENING: Final = DATA.replace("this conversation", "the sessions of agents in this project")


class ProjectMemory(RecallMemory):
    """The sessions that agents keep of a project, read again where they change; damaged ones are named (REC_05).

    Of the newest, which asks where it was written to lately, what it still has in its context is not searched.
    """

    names_sessions = True

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._text = FullText.in_memory()
        self._lock = Lock()
        self._read: dict[Path, tuple[str, tuple[float, int], str]] = {}
        """For each session its name, when it was written to and its size as it was read, and what of it is damaged."""
        self._visible: dict[str, frozenset[int]] = {}
        """For each that is searched, by its name, the numbers of the messages that its agent has in its context."""
        self._newest, self._older = "", 0

    def answer(self, arguments: Any) -> Recalled:
        """Answer a call of recall, one at a time."""
        with self._lock:
            return answer(arguments, self)

    @property
    def opening(self) -> str:
        """The text before the passages."""
        return OPENING + self._left_out

    @property
    def scope(self) -> str:
        """The name of all that is searched, in words."""
        count = len(self._visible)
        return f"searched were {count:,} sessions of agents in {self._folder}.{self._left_out}".removesuffix(".")

    @property
    def turns(self) -> tuple[int, int] | None:
        """The first and the last turn of all sessions, once what is new of them was read; None where there is none."""
        self._refresh()
        found = [turns for name, _, _ in self._read.values() if (turns := self._text.turns(name))]
        return (min(first for first, _ in found), max(last for _, last in found)) if found else None

    def find(self, query: Query, where: Where) -> Iterator[Found]:
        """Yield the passages that match, each once, the best first, at most MAX_PASSAGES."""
        found = (one for one in self._text.find(query, where, for_recall=True) if not self._is_visible(one.about))
        return islice({one.passage: one for one in islice(found, 2 * MAX_PASSAGES)}.values(), MAX_PASSAGES)

    def _is_visible(self, about: About) -> bool:
        return about.session == self._newest and about.number in self._visible.get(about.session, ())

    @property
    def _left_out(self) -> str:
        """The sessions that could not be searched, in sentences with a space in front."""
        failed = [reason for _, _, reason in self._read.values() if reason]
        more = f" and {len(failed) - MAX_NAMED:,} more" if len(failed) > MAX_NAMED else ""
        not_read = f" Could not be read: {'; '.join(failed[:MAX_NAMED])}{more}." if failed else ""
        older = f" Not searched: {self._older:,} older sessions." if self._older else ""
        return not_read + older

    def _refresh(self) -> None:
        """Read what is new or has changed, and forget what is gone."""
        sessions = [one for one in kept_by_agents() if one.may_be_of(self._folder)]
        kept = {one.path: one for one in sessions[:MAX_SESSIONS]}
        self._older = len(sessions) - len(kept)
        for path in [path for path in self._read if path not in kept]:
            self._forget(self._read.pop(path)[0])
        for one in kept.values():
            stamp = (one.changed, _size(one.path))
            if one.path not in self._read or self._read[one.path][1] != stamp:
                name = re.sub(r"\.jsonl?$", "", one.path.name)
                self._read[one.path] = (name, stamp, self._index(name, one.path))
        asking = [one.path for one in kept.values() if one.changed > time() - ASKING]
        self._newest = next((name for path in asking if (name := self._read[path][0]) in self._visible), "")

    def _forget(self, name: str) -> None:
        self._text.remove(name)
        self._visible.pop(name, None)

    def _index(self, name: str, path: Path) -> str:
        """Index a session in place of what was known of it, and return what of it is damaged."""
        self._forget(name)
        try:
            transcript = read_transcript(path)
            if transcript.folder is None or Path(transcript.folder) == self._folder:
                self._add(name, transcript)
        except Exception as error:  # noqa: BLE001  whatever one of them holds, the others are searched
            if fault_of(path) == "":
                return ""  # a title, or a snapshot of files
            self._forget(name)
            return (str(error) if isinstance(error, BrimError) else f"{path}: {described(error)}")[:MAX_REASON]
        lines = [one.line for one in transcript.damaged if one.reason != CUT_SHORT]
        return f"{path}: {transcript.counted} {lines[0]} of {len(lines)} that are damaged"[:MAX_REASON] if lines else ""

    def _add(self, name: str, transcript: Transcript) -> None:
        turns, seen, messages = turn_numbers(transcript), view(transcript), transcript.messages
        for index, message in enumerate(messages):
            time = transcript.times[index] if transcript.times else None
            at = int(time.timestamp() * 1_000) if time is not None else 0
            if not message.marks.summary:
                about = About(name, str(index), turns[index], index + 1, speaker(message), at)
                add_message(self._text, about, message)
        whole = (index for index, one in zip(seen.indices, seen.messages, strict=True) if one is messages[index])
        self._visible[name] = frozenset(index + 1 for index in whole)


def _size(path: Path) -> int:
    with suppress(OSError):
        return path.stat().st_size
    return 0


def run() -> None:
    """Serve recall on standard input and output, until the agent closes them. Raises Refused without the extra."""
    try:
        from mcp import types
        from mcp.server.lowlevel import Server
        from mcp.server.stdio import stdio_server
    except ImportError as error:
        raise Refused(lacks_extra("brim mcp", "mcp", error)) from error
    memory = ProjectMemory(Path.cwd())

    async def tools(_context: Any, _asked: Any) -> types.ListToolsResult:
        tool = types.Tool(name=RECALL, description=DESCRIPTION, input_schema=TOOL["input_schema"])
        return types.ListToolsResult(tools=[tool])

    async def call(_context: Any, asked: types.CallToolRequestParams) -> types.CallToolResult:
        answered = await asyncio.to_thread(memory.answer, asked.arguments)
        text = types.TextContent(type="text", text=answered.text)
        return types.CallToolResult(content=[text], is_error=answered.event.failed)

    async def serve() -> None:
        server = Server("brim", version=__version__, on_list_tools=tools, on_call_tool=call)
        async with stdio_server() as (read, write):
            await server.run(read, write, server.create_initialization_options())

    asyncio.run(serve())
