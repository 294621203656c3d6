"""Claude Code sessions: JSON lines, one record a block of a message, from version 1.0 on.

What is read as the main chain is the file's order without sub-agents (`isSidechain`), without the records that only
the terminal shows, and without what was taken back. `parentUuid` makes a tree that parallel results, progress and the
records of one response fork all the time, and in which parents may be missing. So it decides one thing: of prompts with
the same parent, those beside the way from the newest record to the beginning were rewound, with all that hangs on them.
A record whose parent is not in the file follows the one before it. Records that another one retracts or supersedes by
name do not count either.

The records of one response are joined by its id, and whatever stands between them goes behind it. Each result goes to
the response that called for it. A record met again (a fork copies its parent's history) is left out. From version
2.1.92 on, what Claude Code put before the model beside the conversation (files, memory, hooks, notices) are records of
their own; their text is carried where the record holds it, the wording around it is not recorded.

After a `compact_boundary` the model sees the summary, then the messages kept word for word (which stand before the
boundary in the file), then what follows. A `microcompact_boundary` names the calls whose results it cleared; its
`preTokens` is the size of the results it looked at, not of the context, and is not taken for one.

brim writes such a session too, which `claude --resume` loads: a compaction, its summary, what was kept. Each record has
one message, or one result of a tool, and names the one before it. What the model saw before the compaction is left out.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, TypeAlias
from uuid import UUID, uuid5

from brim.conversation.messages import (
    PLAIN,
    SUMMARY,
    SUMMARY_QUESTION,
    SYNTHETIC,
    Marks,
    Message,
    Part,
    ToolCall,
    ToolResult,
    read_message,
)
from brim.errors import InvalidInput
from brim.tokens.usage import SYNTHETIC_MODEL, TokenUsage
from brim.transcripts.reader import Compaction, Entry, Reader, expand, is_notice, measured, remind, user_marks
from brim.transcripts.source import Json, Source, drain, mapping, moment, objects, string
from brim.transcripts.values import RETRACTED, REWOUND

Record: TypeAlias = Mapping[str, Json]
NAME: Final = "claude-code"
ROLES: Final = ("user", "assistant")


class Tree:
    """The records of the main chain by their ids, and what each of them follows."""

    def __init__(self, records: Iterable[tuple[int, Record]]) -> None:
        self._parents: dict[str, str | None] = {}
        """For each id, in the order of the file: the record that it names as the one before."""
        self._leaf: str | None = None
        """The newest record of the conversation, or the one that the session says it ends with."""
        self._withdrawn: set[str] = set()
        self._typed: dict[str, list[tuple[str, Record]]] = defaultdict(list)
        """For each record: what the user's role wrote that follows it, results apart."""
        for _, record in records:
            self._add(record)

    def _add(self, record: Record) -> None:
        uuid, kind = record.get("uuid"), record.get("type")
        if kind == "last-prompt" and string(record.get("leafUuid")) in self._parents:
            self._leaf = record["leafUuid"]
        if not isinstance(uuid, str) or uuid in self._parents or record.get("isSidechain") is True:
            return
        parent = self._parents[uuid] = string(record.get("parentUuid")) or string(record.get("logicalParentUuid"))
        for field in ("retractedMessageUuids", "supersedesUuids"):
            self._withdrawn.update(_strings(record.get(field)))
        if kind in ROLES:
            self._leaf = uuid
        if kind == "user" and parent is not None:
            self._typed[parent].append((uuid, record))

    def taken_back(self) -> dict[str | None, str]:
        """Return the ids of the records that no longer count, each with the kind of what it is among those left out."""
        current = self._current()
        following: dict[str | None, list[str]] = defaultdict(list)
        for uuid, parent in self._parents.items():
            following[parent].append(uuid)
        ends = [uuid for parent in self._typed for uuid in self._left(parent, current)]
        gone: dict[str | None, str] = dict.fromkeys(self._withdrawn, RETRACTED)
        while ends:
            uuid = ends.pop()
            if gone.get(uuid) != REWOUND:
                gone[uuid] = REWOUND
                ends += following[uuid]
        return gone

    def _current(self) -> set[str]:
        """The ids from the newest record back to the first; one whose parent is missing follows the record before."""
        before = dict(zip(self._parents, [None, *self._parents], strict=False))
        current: set[str] = set()
        at = self._leaf
        while at is not None and at not in current:
            current.add(at)
            parent = self._parents[at]
            at = parent if parent in self._parents else before[at]
        return current

    def _left(self, parent: str, current: set[str]) -> list[str]:
        """Return the prompts after this record that the user went back from, to write the one that holds."""
        typed = self._typed[parent]
        if len(typed) < 2 or parent not in current:  # noqa: PLR2004  a fork has two ends
            return []
        prompts = [uuid for uuid, record in typed if _is_prompt(record)]
        return [uuid for uuid in prompts if uuid not in current] if not current.isdisjoint(prompts) else []


def _is_prompt(record: Record) -> bool:
    """Return whether the user wrote this, a prompt or a command."""
    try:
        message = message_of(record, "user")
    except InvalidInput:
        return False
    if any(type(part) is ToolResult for part in message.parts) or record.get("isMeta") is True:
        return False
    return marks_of(record, message) == PLAIN or message.text.lstrip().startswith(
        ("<command-name>", "<command-message>")
    )


class ClaudeCode(Reader):
    """The main chain of a session, in the order the API gets it."""

    name = NAME
    form = "Claude Code session (JSON lines)"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._versions: Counter[str] = Counter()
        self._aside: dict[str | int, tuple[TokenUsage | None, str | None]] = {}
        """The usage and the model of each response of sub-agents, by its id, or its line where it has none."""
        self._holders: dict[str, Entry | None] = {}
        """For the id of each record of the main chain, in order: what it became part of."""
        self._responses: dict[str, Entry] = {}
        self._callers: dict[str, Entry] = {}
        self._answered: set[str] = set()
        self._open: Compaction | None = None
        """The last compaction that waits for its summary."""
        self._metadata: Record = {}
        """What its record says of it."""

    @classmethod
    def recognise(cls, source: Source) -> bool:
        """Return whether the records are those of Claude Code."""
        return any(_is_ours(record) for _, record in source.records)

    def records(self) -> Iterator[tuple[int, Record]]:
        """Return the records that count; the messages of what was taken back are counted."""
        gone = Tree(self.source.records).taken_back()
        parted: dict[str | None, list[tuple[int, dict[str, Json]]]] = defaultdict(list)
        for line, record in self.source.records:
            parted[gone.get(string(record.get("uuid")))].append((line, record))
        for kind in filter(parted.get, (REWOUND, RETRACTED)):
            beside = ClaudeCode(Source(self.source.path))
            beside.read_each(parted[kind])
            self.left_out[kind] = len(expand(beside.entries()))
            self.damaged += beside.damaged
        self.source.records.clear()
        return drain(parted.pop(None, []))

    def add(self, line: int, record: Record) -> None:
        """Read the next record. Raises InvalidInput."""
        uuid = record.get("uuid")
        if isinstance(uuid, str) and uuid in self._holders:
            self.left_out["repeated"] += 1
            return
        if isinstance(record.get("version"), str):
            self._versions[record["version"]] += 1
        self.tell(folder=string(record.get("cwd")))
        if record.get("type") == "custom-title":
            self.about["title"] = string(record.get("customTitle")) or self.about.get("title")
        self.time = moment(record.get("timestamp"))
        holder = self._hold(line, record)
        if isinstance(uuid, str):
            self._holders[uuid] = holder

    def _hold(self, line: int, record: Record) -> Entry | None:
        """Put a record where it belongs; None where it is no part of what is sent."""
        kind = record.get("type")
        if record.get("isSidechain") is True:
            self.left_out["sidechain"] += 1
            if kind == "assistant" and isinstance(record.get("message"), Mapping):
                model = string(record["message"].get("model"))
                usage = measured("anthropic", record["message"].get("usage"), model)
                self._aside[response_id(record) or line] = usage, model
        elif kind == "assistant":
            return self._assistant(line, record)
        elif kind == "user":
            return self._user(line, record)
        elif kind == "system" and record.get("subtype") == "microcompact_boundary":
            cleared = frozenset(_strings(mapping(record.get("microcompactMetadata")).get("compactedToolIds")))
            self.nodes.append(Compaction(line, "micro", cleared=cleared, time=self.time))
        elif kind == "system" and record.get("subtype") == "compact_boundary":
            self._cross(line, record)
        elif (content := injected(record)) is not None:
            message = read_message({"role": "user", "content": content[0]})
            return self.add_entry(line, replace(message, marks=content[1]))
        else:
            self.left_out[f"{kind} {mapping(record.get('attachment')).get('type') or ''}".strip()] += 1
        return None

    def finish(self) -> None:
        """End the wait for a summary, and note what was counted."""
        self._complete()
        self.tell(version=self._versions.most_common(1)[0][0] if self._versions else None)
        self.about["aside"] = tuple((usage, model) for usage, model in self._aside.values() if usage is not None)

    def _assistant(self, line: int, record: Record) -> Entry:
        message = message_of(record, "assistant")
        given = mapping(record["message"])
        self.left_out.update(f"{block['type']} block" for block in own_blocks(given))
        if record.get("isApiErrorMessage") is True or given.get("model") == SYNTHETIC_MODEL:
            return self.add_entry(line, replace(message, marks=Marks(error=message.text or "API error")), sent=False)
        response = self._response(line, response_id(record))
        response.time = response.time or self.time
        response.parts += [part for part in message.parts if self._is_new(response, part)]
        self._callers.update((part.id, response) for part in message.parts if type(part) is ToolCall)
        response.model = string(given.get("model")) or response.model
        if given.get("usage"):
            response.usage = measured("anthropic", _last_request(given["usage"]), response.model)
        response.finished = response.finished or bool(given.get("stop_reason"))
        return response

    def _response(self, line: int, name: str | None) -> Entry:
        """Return the response of this id: the one begun before, or a new one."""
        if name is not None and name in self._responses:
            return self._responses[name]
        response = self.add_response(line, finished=False, marks=Marks(response=name))
        self._complete()
        if name is not None:
            self._responses[name] = response
        return response

    def _is_new(self, response: Entry, part: Part) -> bool:
        """Return whether a part is no copy of history: only its results came since, or the response lacks it."""
        if type(part) is ToolCall:
            return part.id not in self._callers
        return self.nodes[-1] is response or part not in response.parts

    def _user(self, line: int, record: Record) -> Entry | None:
        message = message_of(record, "user")
        results = [part for part in message.parts if type(part) is ToolResult]
        again = [part for part in results if part.call_id in self._answered]
        self._answered.update(part.call_id for part in results)
        if results and len(again) == len(message.parts):
            self.left_out["repeated"] += 1
            return None
        caller = next((self._callers[part.call_id] for part in results if part.call_id in self._callers), None)
        message = message.without(again) if again else message
        if caller is not None:
            return self._bring(caller, line, message)
        marks = marks_of(record, message)
        is_first = not self.nodes
        entry = self.add_entry(line, replace(message, marks=marks))
        if marks.summary and self._open is not None:
            self._complete(entry)
        elif marks.summary and not is_first:
            self.nodes.insert(-1, Compaction(line, "auto", opening=[entry], time=self.time))
        return entry

    def _bring(self, caller: Entry, line: int, message: Message) -> Entry:
        """Add a record's parts to the results of the response that called for them."""
        is_whole = caller.results is None and all(type(part) is ToolResult for part in message.parts)
        results = self.results_of(caller, line)
        for part in message.parts:
            results.add(part)
        results.raw = message.raw if is_whole else None
        return results

    def _cross(self, line: int, record: Record) -> None:
        """Pass the boundary of a compaction, which waits for its summary."""
        self._complete()
        self._metadata = mapping(record.get("compactMetadata"))
        tokens = self._metadata.get("preTokens")
        self._open = Compaction(
            line,
            "manual" if self._metadata.get("trigger") == "manual" else "auto",
            tokens if type(tokens) is int else None,
            time=self.time,
        )
        self.nodes.append(self._open)

    def _complete(self, summary: Entry | None = None) -> None:
        """End the wait for a summary. Without one, a boundary that ends the file replaces nothing."""
        made, self._open = self._open, None
        if made is None:
            return
        after = self.nodes[self.nodes.index(made) :]
        if summary is None and not any(isinstance(node, Entry) for node in after):
            return
        made.opening = [] if summary is None else [summary]
        made.kept = [holder for uuid in self._preserved() if (holder := self._holders.get(uuid)) is not None]

    def _preserved(self) -> list[str]:
        """Return the ids of the records kept word for word: those named, or those of a segment."""
        named = self._metadata.get("preservedMessages")
        if isinstance(named, Mapping):
            return _strings(named.get("uuids"))
        segment, order = mapping(self._metadata.get("preservedSegment")), list(self._holders)
        ends = [
            order.index(uuid) for end in ("headUuid", "tailUuid") if (uuid := string(segment.get(end))) in self._holders
        ]
        return order[ends[0] : ends[1] + 1] if len(ends) == 2 else []  # noqa: PLR2004  a segment has two ends


def _is_ours(record: Record) -> bool:
    if record.get("type") in ROLES:
        return isinstance(record.get("message"), dict) and any(
            name in record for name in ("sessionId", "parentUuid", "uuid")
        )
    return record.get("type") == "system" and "subtype" in record and "uuid" in record


def _strings(given: Json) -> list[str]:
    return [item for item in given if isinstance(item, str)] if isinstance(given, list) else []


def _last_request(usage: Json) -> Json:
    """Return the usage of the last request where one response took several: the sum of them measures no window."""
    steps = usage.get("iterations") if isinstance(usage, Mapping) else None
    if isinstance(steps, list) and len(steps) > 1 and isinstance(steps[-1], Mapping) and "input_tokens" in steps[-1]:
        return steps[-1]
    return usage


def response_id(record: Record) -> str | None:
    """Return the id of the response that a record is part of, or else of its request; a masked id is none."""
    names = (record["message"].get("id"), record.get("requestId"))
    return next((name for name in names if isinstance(name, str) and name != "REDACTED"), None)


def own_blocks(message: Mapping[str, Json]) -> list[Record]:
    """Return the blocks that Claude Code writes for itself and no API takes: a change of the model (CNV_09)."""
    return [block for block in objects(message.get("content")) if block.get("type") == "fallback"]


def message_of(record: Record, role: str) -> Message:
    """Return the message of a record, reduced to what the API takes. Raises InvalidInput."""
    given = record.get("message")
    if not isinstance(given, Mapping):
        raise InvalidInput(f"a record of type {record.get('type')} has no message")
    own = own_blocks(given)
    if own:
        given = {**given, "content": [block for block in given["content"] if block not in own]}
    role = "system" if given.get("role") == "system" else role
    plain = given.keys() == {"role", "content"} and given["role"] == role
    return read_message(given if plain else {"role": role, "content": given.get("content")}, source="it")


def marks_of(record: Record, message: Message) -> Marks:
    """Return the marks of a user's record: a summary, what the harness or the system put in, or the user's own."""
    if record.get("isCompactSummary") is True:
        return SUMMARY
    if message.role == "system":
        return message.marks
    origin = record.get("origin")
    foreign = isinstance(origin, Mapping) and origin.get("kind") not in ("human", None)
    return SYNTHETIC if record.get("isMeta") is True or foreign else user_marks(message.parts)


def injected(record: Record) -> tuple[Json, Marks] | None:
    """The content and the marks of what the harness put in: an attachment, or a command's output; None for others."""
    attachment = record.get("attachment")
    if record.get("type") == "attachment" and isinstance(attachment, Mapping):
        return attached(attachment)
    if record.get("subtype") == "local_command" and isinstance(record.get("content"), str):
        return record["content"], SYNTHETIC
    return None


def attached(attachment: Record) -> tuple[str | list[Json], Marks] | None:
    """Return the content of the user message that an attachment became, and its marks; None without a known text.

    A prompt typed ahead is the user's own; a notice that queued like one is not.
    """
    prompt, origin = attachment.get("prompt"), attachment.get("origin")
    if attachment.get("type") == "queued_command":
        if not isinstance(prompt, str | list) or not prompt:
            return None
        is_own = attachment.get("commandMode") == "prompt" and not attachment.get("isMeta")
        if isinstance(origin, Mapping):
            is_own = origin.get("kind") == "human"
        return prompt, PLAIN if is_own and not (isinstance(prompt, str) and is_notice(prompt)) else SYNTHETIC
    value: Json = attachment
    for name in TEXTS.get(str(attachment.get("type")), ("",)):
        value = [one.get(name) for one in objects(value)] if isinstance(value, list) else mapping(value).get(name)
    text = value if isinstance(value, str) else "\n".join(_strings(value))
    return (remind(text), SYNTHETIC) if text.strip() else None


TEXTS: Final = {
    "file": ("content", "file", "content"),
    "compact_file_reference": ("filename",),
    "nested_memory": ("content", "content"),
    "edited_text_file": ("snippet",),
    "hook_additional_context": ("content",),
    "hook_success": ("content",),
    "skill_listing": ("content",),
    "invoked_skills": ("skills", "content"),
    "deferred_tools_delta": ("addedLines",),
    "agent_listing_delta": ("addedLines",),
    "mcp_instructions_delta": ("addedBlocks",),
}
"""Where which kind of attachment holds the text that was sent."""


USAGE: Final = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens", "output_tokens")
VERSION: Final = "2.1.38"
"""The version of Claude Code that a session names which no Claude Code wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewSession:
    """What a session's records tell of it."""

    id: UUID
    time: datetime
    """When it was written."""
    folder: str
    """The project."""
    version: str | None = None
    """The version of Claude Code that it continues, where it continues one."""
    model: str | None = None
    tokens_before: int | None = None
    """What the window held before the compaction; None where the summary is older."""


def session_records(messages: Sequence[Message], session: NewSession) -> Iterator[dict[str, Any]]:
    """Yield the records of a session, in the order of its file. Messages are in Anthropic's form.

    A compaction begins the file, and its summary follows: what stood ahead of the summary comes behind it.
    """
    told = [message for message in messages if message.text != SUMMARY_QUESTION]
    summary = next((message for message in told if message.marks.summary), None)
    told.sort(key=lambda message: message is not summary)
    before: str | None = None
    bodies = [*([] if summary is None else [_boundary(session)]), *_bodies(told, session.model)]
    for number, body in enumerate(bodies):
        uuid, time = str(uuid5(session.id, str(number))), session.time + timedelta(milliseconds=number)
        yield {
            "parentUuid": before,
            "isSidechain": False,
            "userType": "external",
            "cwd": session.folder,
            "sessionId": str(session.id),
            "version": session.version or VERSION,
            "gitBranch": "",
            **body,
            "uuid": uuid,
            "timestamp": f"{time.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}"[:-3] + "Z",
        }
        before = uuid


def _boundary(session: NewSession) -> dict[str, Any]:
    held = {} if session.tokens_before is None else {"preTokens": session.tokens_before}
    return {
        "type": "system",
        "subtype": "compact_boundary",
        "content": "Conversation compacted",
        "isMeta": False,
        "level": "info",
        "compactMetadata": {"trigger": "manual", **held},
    }


def _bodies(messages: Sequence[Message], model: str | None) -> Iterator[dict[str, Any]]:
    for number, message in enumerate(messages):
        if message.marks.summary and number == 0:
            content = message.raw["content"]
            summary = {"isVisibleInTranscriptOnly": True, "isCompactSummary": True}
            yield {"type": "user", "message": {"role": "user", "content": content}, **summary}
        elif message.role == "assistant":
            yield _answer(message, number, model)
        else:
            yield from _user(message)


def _answer(message: Message, number: int, model: str | None) -> dict[str, Any]:
    content = message.raw["content"]
    calls = any(type(part) is ToolCall for part in message.parts)
    told = {
        "id": f"msg_{number:024}",
        "type": "message",
        "role": "assistant",
        "model": model or "unknown",
        "content": [{"type": "text", "text": content}] if isinstance(content, str) else content,
        "stop_reason": "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        # what it measured was another conversation
        "usage": dict.fromkeys(USAGE, 0),
    }
    return {"type": "assistant", "message": told, "requestId": f"req_{number:024}"}


def _user(message: Message) -> Iterator[dict[str, Any]]:
    """Yield a record for each result, and one for all else; what a harness wrote is marked.

    Of a message of the system the texts are, which Claude Code puts in itself.
    """
    content = message.text if message.role == "system" else message.raw["content"]
    blocks = [] if isinstance(content, str) else content
    results = [block for block in blocks if block.get("type") == "tool_result"]
    others = content if isinstance(content, str) else [block for block in blocks if block.get("type") != "tool_result"]
    contents = [*([result] for result in results), *([others] if others else [])]
    meta = {"isMeta": True} if message.marks.synthetic and not results else {}
    yield from ({"type": "user", "message": {"role": "user", "content": one}, **meta} for one in contents)
