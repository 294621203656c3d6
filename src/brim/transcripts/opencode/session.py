"""A session of OpenCode: its messages, its compactions and prunings.

Every assistant message is one answer of the API, or one a step where it holds several. A finished summary without error
closes the compaction that its user marker opened; an unfinished or failed one was never sent, nor was its marker.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from brim.conversation.messages import PLAIN, SYNTHETIC, Marks, read_message
from brim.errors import InvalidInput
from brim.transcripts.accumulator import Collected, Told, measured
from brim.transcripts.decoding import Json, moment, string
from brim.transcripts.opencode.compactions import Compactions, created
from brim.transcripts.opencode.parts import Given, assistant_blocks, result_block, user_blocks
from brim.transcripts.values import Damaged, Transcript

ABORTED: Final = "MessageAbortedError"
OWN: Final = ("text", "file")
"""What a user puts into a prompt."""
EMPTY: Final = ("step-start", "reasoning")
"""What an aborted answer may hold and still be nothing that was sent."""
NO_MARKS: Final = Marks()


def read_session(name: str, export: Mapping[str, Json], damaged: Sequence[Damaged]) -> Transcript:
    """Read an export; messages that are none are skipped and counted."""
    session = Session(list(damaged))
    for line, given in enumerate(export["messages"], 1):
        session.add(line, given)
    collected = session.collected
    session.compactions.close(collected)
    info = export.get("info") if isinstance(export.get("info"), Mapping) else {}
    return Transcript(
        format=name,
        messages=tuple(collected.messages),
        lines=tuple(collected.lines),
        times=tuple(collected.times),
        version=string(info.get("version")),
        folder=string(info.get("directory")) or session.folder,
        model=collected.model,
        system=session.system,
        responses=tuple(collected.responses),
        compactions=tuple(collected.compactions),
        unsent=frozenset(collected.unsent),
        damaged=tuple(sorted(session.damaged, key=lambda one: one.line)),
    )


class Session:
    """The messages of a session so far."""

    def __init__(self, damaged: list[Damaged]) -> None:
        self.collected = Collected()
        self.compactions = Compactions()
        self.damaged = damaged
        self.system: str | None = None
        self.folder: str | None = None
        self._ids: set[str] = set()

    def add(self, line: int, given: Json) -> None:
        """Take in the next message."""
        info = given.get("info") if isinstance(given, Mapping) else None
        parts = given.get("parts") if isinstance(given, Mapping) else None
        if not isinstance(info, Mapping) or not isinstance(parts, list):
            self.damaged.append(Damaged(line, "no message with info and parts"))
            return
        held = [self._with_own_id(line, part) for part in parts if isinstance(part, Mapping)]
        try:
            self._add(line, info, held)
        except InvalidInput as error:
            self.damaged.append(Damaged(line, str(error)))

    def _with_own_id(self, line: int, part: Given) -> Given:
        """A tool part whose id no other has: some files have ids masked alike, and the API takes each once."""
        if part.get("type") != "tool":
            return part
        given = string(part.get("callID"))
        name, number = given or f"call-{line}", len(self._ids)
        while name in self._ids:
            name, number = f"{given or 'call'}-{line}-{number}", number + 1
        self._ids.add(name)
        return {**part, "callID": name}

    def _add(self, line: int, info: Given, parts: list[Given]) -> None:
        start = len(self.collected.messages)
        if info.get("role") == "user":
            self._user(line, info, parts)
        elif info.get("role") == "assistant":
            self._assistant(line, info, parts)
        else:
            raise InvalidInput(f"the message has the role {info.get('role')!r}; it is the user's or the assistant's")
        self.compactions.met(line, info, parts, range(start, len(self.collected.messages)))

    def _user(self, line: int, info: Given, parts: list[Given]) -> None:
        blocks = [block for part in parts for block in user_blocks(part)]
        own = [part for part in parts if part.get("type") in OWN and part.get("synthetic") is not True]
        if isinstance(info.get("system"), str):
            self.system = info["system"]
        if blocks:
            self.collected.append(
                line,
                read_message({"role": "user", "content": blocks}, PLAIN if own else SYNTHETIC),
                time=moment(created(info) or None),
            )

    def _assistant(self, line: int, info: Given, parts: list[Given]) -> None:
        path = info.get("path")
        self.folder = self.folder or (
            string(path.get("root") or path.get("cwd")) if isinstance(path, Mapping) else None
        )
        summary = info.get("summary") is True
        marks = Marks(
            summary=summary, error=_error(info), aborted=_error(info) == ABORTED, response=string(info.get("id"))
        )
        model = string(info.get("modelID"))
        of_provider = "/".join(filter(None, (string(info.get("providerID")), model))) if model else None
        sent = marks.error is None or (marks.aborted and any(part.get("type") not in EMPTY for part in parts))
        for tokens, step in _steps(info, parts):
            blocks = [block for part in step for block in assistant_blocks(part)]
            if not blocks:
                continue
            message = read_message({"role": "assistant", "content": blocks}, marks)
            told = Told(measured("opencode", tokens, model), of_provider, time=moment(created(info) or None))
            self.collected.respond(line, message, told, sent=sent)
            results = [block for block in map(result_block, step) if block is not None]
            if results:
                answer = read_message({"role": "user", "content": results}, NO_MARKS)
                self.collected.append(line, answer, sent=sent, time=told.time)


def _steps(info: Given, parts: list[Given]) -> Iterator[tuple[Json, list[Given]]]:
    """The steps of an assistant message with their tokens: nearly always one, whose tokens are the message's."""
    steps: list[list[Given]] = [[]]
    for part in parts:
        if part.get("type") == "step-start" and steps[-1]:
            steps.append([])
        steps[-1].append(part)
    if len(steps) == 1:
        yield info.get("tokens"), parts
        return
    for step in steps:
        yield next((part.get("tokens") for part in step if part.get("type") == "step-finish"), None), step


def _error(info: Given) -> str | None:
    error = info.get("error")
    return str(error.get("name") or "error") if isinstance(error, Mapping) else None
