"""Codex rollouts: JSON lines of a session's items, its turns and its compactions.

The items are those of OpenAI's Responses API. What the window held is in events of their own, and every other event
repeats an item for the screen. Reasoning, and the summary of a compaction, are often encrypted: the file shows that
they were there, and no more. A response is a run of the model's items up to the results of its calls, or up to the
count of its tokens: older versions write the count before the results, newer ones after them. A count that repeats the
running total is none.

A fork, or a thread in which the user went back, is a file that names another as its base: what stands there before an
ordinal comes first. A base is looked for beside the file and where Codex keeps its sessions, and is read once; the
transcript says which were read, and which is not there. Lines of a base are counted in its file.

A compaction names the history that follows it. An item of it that was met before is that very message again, the newest
where it was met twice; a new one, such as the summary, is a message of its own.
"""

from __future__ import annotations

import json
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

from brim.conversation.formats import INSTRUCTIONS as INSTRUCTING
from brim.conversation.formats import SEALED, ResponsesItem
from brim.conversation.harness_text import SEALED_SUMMARY
from brim.conversation.messages import PLAIN, SUMMARY, SYNTHETIC, Marks, Text
from brim.errors import InvalidInput
from brim.transcripts.blocks import (
    Block,
    Given,
    arguments,
    call_block,
    image_of,
    result_block,
    text_block,
    thinking_block,
)
from brim.transcripts.builder import (
    CompactionMark,
    MessageNode,
    TranscriptBuilder,
    TranscriptEntry,
    TranscriptResponse,
    is_notice,
    measured,
    messages_of,
)
from brim.transcripts.source import Json, Source, mapping, moment, objects, read_source, string
from brim.transcripts.values import REWOUND, CompactionKind, Damaged, Transcript

NAME: Final = "codex"
FORM: Final = "Codex rollout (JSON lines)"
KINDS: Final = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
TEXTS: Final = ("input_text", "output_text", "text", "summary_text", "reasoning_text")
INSTRUCTIONS: Final = re.compile(r"\s*<INSTRUCTIONS>.*</INSTRUCTIONS>\s*", re.DOTALL)
"""The rules of the project, as Codex puts them into the user's place."""
SUMMARIZED: Final = "Another language model started to solve this problem and produced a summary"
"""How a summary of Codex begins that is not encrypted."""
FAILED: Final = ("apply_patch verification failed", "exec_command failed", "failed to parse function arguments")
"""How the results of calls begin that Codex itself refused."""
EXIT: Final = re.compile(r"(?:Process exited with code|Exit code:) ([1-9]\d*|-\d+)\b")
HEAD: Final = 400
"""Characters of a result in which its exit code stands, where there is one."""
ROLLOUTS: Final = "rollout-*.jsonl"
KEPT: Final = ("sessions", "archived_sessions")
"""Folders of Codex that hold rollouts."""
USAGE: Final = "token_usage_record"
TOLD: Final = ("last_token_usage", "total_token_usage", "model_context_window")
SEALED_REASONING: Final = "reasoning (encrypted)"
ABORTED: Final = Marks(error="turn aborted", aborted=True)
STARTED: Final = ("task_started", "turn_started")
ENDED: Final = ("task_complete", "turn_complete")


def recognise(source: Source) -> bool:
    """Whether the file holds records of a rollout: one of its kinds around a payload."""
    return any(
        record.get("type") in KINDS and isinstance(record.get("payload"), Mapping) for _, record in source.records
    )


def read(source: Source) -> Transcript:
    """Read a rollout. Damaged records are counted."""
    before = CodexHistory(source)
    rollout = Rollout([*before.damaged, *source.damaged])
    rollout.builder.read_each([*before.records, *source.records], rollout.add)
    rollout.builder.notes += [*before.notes, *([before.lacks] if before.lacks else []), *_hidden(rollout)]
    about = {"version": rollout.version, "system": rollout.system, "folder": rollout.folder, "lacks": before.lacks}
    return rollout.builder.transcript(NAME, **about, window=rollout.window)


class Base(NamedTuple):
    """Where what comes before a rollout stands."""

    id: str
    """The id of another rollout, with which the name of its file ends: a thread's own, or that of a way back in it."""
    end: int
    """The ordinal of the first record there that does not belong to it."""


def base_of(source: Source) -> Base | None:
    """The base that a rollout names; None where it names none."""
    metas = (mapping(record.get("payload")) for _, record in source.records if record.get("type") == "session_meta")
    given = mapping(next((meta["history_base"] for meta in metas if meta.get("history_base")), None))
    name, end = given.get("thread_id"), given.get("end_ordinal_exclusive")
    return Base(name, end) if isinstance(name, str) and type(end) is int else None


class CodexHistory:
    """What comes before a rollout, in the files that it and they name as their bases."""

    def __init__(self, source: Source) -> None:
        self.damaged: list[Damaged] = []
        self.notes: list[str] = []
        self.lacks: str | None = None
        """What could not be read, in a sentence."""
        base, seen = base_of(source), {source.path.resolve()}
        places = places_near(source.path) if base else {}
        files = [path for place, pattern in places.items() for path in place.glob(pattern)]
        parts: list[list[tuple[int, Given]]] = []
        while base is not None:
            of = f"what comes before record {base.end:,} is in the rollout {base.id}"
            ends = (f"-{base.id}.jsonl", f"_{base.id}.jsonl")
            path = next((path for path in files if path.name.endswith(ends) and path.resolve() not in seen), None)
            if path is None:
                looked = " or ".join(str(place) for place in places if place.is_dir())
                self.lacks = f"{of}, which is not in {looked}: put it there, unpacked; only what follows is read"
                break
            try:
                held = read_source(path)
            except InvalidInput as error:
                self.lacks = f"{of}, which could not be read: {error}"
                break
            seen.add(path.resolve())
            self.notes.append(f"{of}, and was read from {path}, where its lines count")
            self.damaged += [Damaged(one.line, f"{one.reason}, in {path.name}") for one in held.damaged]
            parts.append(list(_before(held, base.end)))
            base = base_of(held)
        self.records = [record for part in reversed(parts) for record in part]


def places_near(path: Path) -> dict[Path, str]:
    """The folders where the base of a rollout may be, each with the pattern of the files to look at there."""
    folders = path.resolve().parents
    homes = [folder.parent for folder in folders if folder.name in KEPT]
    homes.append(Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex"))
    return {folders[0]: f"*{ROLLOUTS}"} | {home / name: f"**/{ROLLOUTS}" for home in homes for name in KEPT}


def _before(source: Source, end: int) -> Iterator[tuple[int, Given]]:
    """The records of a base before an ordinal; they are counted from 0 where they have none."""
    number = -1
    for line, record in source.records:
        given = record.get("ordinal")
        number = given if type(given) is int else number + 1
        if number < end and record.get("type") != "session_meta":
            yield line, record


def _hidden(rollout: Rollout) -> list[str]:
    """What the file holds and only the provider can read, in words."""
    counts = {"of reasoning": rollout.builder.left_out[SEALED_REASONING], "of summaries": rollout.sealed}
    told = [f"{count:,} {what}" for what, count in counts.items() if count]
    return [f"encrypted, and so not read: {' and '.join(told)}"] if told else []


class Rollout:
    """The records of a session so far."""

    def __init__(self, damaged: Iterable[Damaged]) -> None:
        self.builder = TranscriptBuilder(damaged)
        self.version: str | None = None
        self.system: str | None = None
        self.folder: str | None = None
        self.window: int | None = None
        """Tokens of the context window, as Codex uses it."""
        self.sealed = 0  # summaries that are encrypted
        self._held: int | None = None
        """Tokens that the last response held."""
        self._total: Json = None
        self._model: str | None = None
        self._answer: TranscriptResponse | None = None
        self._task: list[CompactionMark] | None = None  # the compactions of a task that has no item yet
        self._by: CompactionKind = "compaction"

    def add(self, line: int, record: Given) -> None:
        """Read the next record. Raises InvalidInput."""
        kind, payload = str(record.get("type")), record.get("payload")
        if not isinstance(payload, Mapping):
            raise InvalidInput(f"a record of type {kind} has no payload")
        self.builder.time = moment(record.get("timestamp"))
        if kind == "response_item":
            self._item(line, payload)
        elif kind == "event_msg":
            self._event(payload)
        elif kind == "compacted":
            self._compacted(line, payload)
        else:
            self._about(kind, payload)
            if kind == USAGE:
                self._measure(payload.get("usage"))

    def _about(self, kind: str, payload: Given) -> None:
        """A record about the session or the next turn."""
        self.builder.left_out[kind] += 1
        if kind == "session_meta":
            given = payload.get("base_instructions", payload.get("instructions"))
            told = given.get("text") if isinstance(given, Mapping) else given
            self.folder = self.folder or string(payload.get("cwd"))
            self.version = self.version or string(payload.get("cli_version"))
            self.system = self.system or string(told)
        elif kind == "turn_context":
            self._model = string(payload.get("model")) or self._model

    def _item(self, line: int, item: Given) -> None:
        self._task = None
        result = item_result(item)
        if result is not None:
            failed = result.get("is_error") is True
            self.builder.add_result(line, result["tool_use_id"], result["content"], failed=failed)
        elif item.get("type") == "message" and item.get("role") != "assistant":
            blocks = message_blocks(item)
            self.builder.add_message(line, blocks, marks_of(item.get("role"), blocks), key=own_item(item))
            self._answer = None
        else:
            self._answered(line, item)

    def _answered(self, line: int, item: Given) -> None:
        """An item that the model wrote: a text, reasoning or a call; others are left out."""
        kind, one = str(item.get("type")), reasoning_block(item) or item_call(item)
        blocks = message_blocks(item) if kind == "message" else [one] if one is not None else []
        if not blocks:
            self.builder.left_out[SEALED_REASONING if kind == "reasoning" else kind] += 1
            return
        answer = self._answer
        if answer is None or answer.results.parts or answer.usage is not None:
            answer = self._answer = self.builder.add_response(line, model=self._model)
        self.builder.add_blocks(answer, blocks)

    def _event(self, event: Given) -> None:
        kind = str(event.get("type"))
        self.builder.left_out[kind] += 1
        if kind == "token_count" and isinstance(event.get("info"), Mapping):
            self._count(event["info"])
        elif kind in STARTED:
            self._task, self._by = [], "auto"
        elif kind in ENDED:
            self._end()
        elif kind == "turn_aborted" and self._answer is not None:
            self._answer.marks = ABORTED
        elif kind == "thread_rolled_back":
            self._roll_back(event.get("num_turns"))

    def _end(self) -> None:
        """A task ends: where it held a compaction and no item, the user asked for it."""
        for made in self._task or ():
            made.kind = "manual"
        self._task = None

    def _count(self, info: Given) -> None:
        """The tokens of the response before, unless the same running total was told before."""
        last, total, window = (info.get(name) for name in TOLD)
        self.window = window if type(window) is int and window > 0 else self.window
        if isinstance(last, Mapping) and total != self._total:
            self._total = total
            self._measure(last)

    def _measure(self, usage: Json) -> None:
        """The tokens of the last response, where no record has told them yet."""
        held = mapping(usage).get("total_tokens")
        self._held = held if type(held) is int else None
        nodes = reversed(self.builder.nodes)
        answer = next((node for node in nodes if isinstance(node, TranscriptResponse | CompactionMark)), None)
        if isinstance(answer, TranscriptResponse) and answer.usage is None:
            answer.usage = measured("codex", usage, answer.model)

    def _compacted(self, line: int, payload: Given) -> None:
        """A compaction: the history that it names, or else what is kept without one and the summary."""
        history, summary = payload.get("replacement_history"), string(payload.get("message")) or ""
        made = CompactionMark(line, self._by, self._held, time=self.builder.time)
        before = kept(self.builder)
        self.builder.nodes.append(made)
        if isinstance(history, list):
            made.opening = entered(self.builder, line, history)
            self.sealed += sum(map(is_sealed, history))
        else:
            text = [text_block(summary)] if summary else []
            made.opening = [*before, self.builder.add_message(line, text, SUMMARY)]
        self._answer = None
        if self._task is not None:
            self._task.append(made)

    def _roll_back(self, turns: Json) -> None:
        """The user went back: the last turns are gone, with what was in them."""
        nodes = self.builder.nodes
        starts = [n for n, node in enumerate(nodes) if isinstance(node, TranscriptEntry) and not node.marks.synthetic]
        if type(turns) is int and 0 < turns <= len(starts):
            self.builder.left_out[REWOUND] += messages_of(nodes[starts[-turns] :])
            del nodes[starts[-turns] :]
            self._answer = None


@dataclass(frozen=True, slots=True)
class Named:
    """An item of a history, as a message."""

    role: str
    blocks: list[Block]
    marks: Marks = PLAIN
    sealed: bool = False
    """It is encrypted: no two such can be told to be the same."""
    item: ResponsesItem | None = None
    """The item itself, where it is none of the user's."""


def kept(builder: TranscriptBuilder) -> list[MessageNode]:
    """What stays where no history is named: the messages that no model wrote, older summaries apart."""
    entries = [node for node in builder.messages() if isinstance(node, TranscriptEntry) and not node.marks.summary]
    return [node for node in entries if any(type(part) is Text for part in node.message.parts)]


def entered(builder: TranscriptBuilder, line: int, history: Sequence[Json]) -> list[MessageNode]:
    """The messages that a history names, in its order; the new ones are added to the dialogue."""
    known: dict[str, list[MessageNode]] = defaultdict(list)
    for node in builder.messages():
        blocks = node.message.raw["content"] if isinstance(node, TranscriptEntry) else node.blocks
        known[_key("user" if isinstance(node, TranscriptEntry) else "assistant", blocks)].append(node)
    found: list[MessageNode | Named] = []
    for item in reversed(history):
        try:
            named = _named(item)
        except InvalidInput as error:
            builder.add_damage(line, str(error))
            continue
        if named is not None:
            same = [] if named.sealed else known[_key(named.role, named.blocks)]
            found.append(same.pop() if same else named)
    return [_added(builder, line, one) if isinstance(one, Named) else one for one in reversed(found)]


def _added(builder: TranscriptBuilder, line: int, named: Named) -> MessageNode:
    if named.role == "user":
        return builder.add_message(line, named.blocks, named.marks, key=named.item)
    return builder.add_response(line, named.blocks)


def _key(role: str, blocks: Sequence[Block]) -> str:
    return f"{role} {json.dumps(blocks, sort_keys=True)}"


def is_sealed(item: Json) -> bool:
    """Whether an item of a history is a summary that is encrypted."""
    return isinstance(item, Mapping) and item.get("type") in SEALED


def _named(item: Json) -> Named | None:
    """An item of a history; None for what is no message, such as reasoning. Raises InvalidInput."""
    if not isinstance(item, Mapping):
        raise InvalidInput("a compaction's history holds what is no item")
    if is_sealed(item):
        return Named("user", sealed_summary(item), SUMMARY, sealed=True, item=own_item(item))
    if item.get("type") == "message":
        blocks, role = message_blocks(item), item.get("role")
        if role == "assistant":
            return Named("assistant", blocks)
        return Named("user", blocks, marks_of(role, blocks), item=own_item(item))
    call, result = item_call(item), item_result(item)
    if call is not None:
        return Named("assistant", [call])
    return Named("user", [result]) if result is not None else None


def own_item(item: Given) -> ResponsesItem | None:
    """The item, where only OpenAI's Responses format has one of its kind: instructions, an encrypted summary."""
    held = item.get("role") in INSTRUCTING or isinstance(item.get("encrypted_content"), str)
    return ResponsesItem(item) if held else None


def contents(given: Json) -> Iterator[Block]:
    """The texts and images of a message or a result. What is no visible text is left out."""
    if isinstance(given, str):
        yield text_block(given)
    for item in objects(given):
        if item.get("type") in TEXTS and isinstance(item.get("text"), str):
            yield text_block(item["text"])
        elif item.get("type") == "input_image" and (image := image_of(item.get("image_url"))) is not None:
            yield image


def message_blocks(item: Given) -> list[Block]:
    """The blocks of a message item. Raises InvalidInput where it has no content."""
    if not isinstance(item.get("content"), str | list):
        raise InvalidInput("a message without content")
    return list(contents(item["content"]))


def marks_of(role: Json, blocks: Sequence[Block]) -> Marks:
    """The marks of a message in the user's role: a summary, what Codex put in, or the user's own."""
    texts = [block["text"].lstrip() for block in blocks if block["type"] == "text"]
    if texts and texts[0].startswith(SUMMARIZED):
        return SUMMARY
    injected = len(texts) == len(blocks) and all(INSTRUCTIONS.fullmatch(text) or is_notice(text) for text in texts)
    return SYNTHETIC if role != "user" or injected else PLAIN


def reasoning_block(item: Given) -> Block | None:
    """The reasoning that can be read; None where it is encrypted, and for other items."""
    if item.get("type") != "reasoning":
        return None
    blocks = [block for part in ("summary", "content") for block in contents(item.get(part))]
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    return thinking_block("\n\n".join(texts)) if texts else None


def item_call(item: Given) -> Block | None:
    """A call of a tool that has a result of its own; None for other items, tools that the provider ran among them."""
    kind, call = item.get("type"), item.get("call_id")
    if not isinstance(kind, str) or not kind.endswith("_call") or not isinstance(call, str):
        return None
    name = item.get("name")
    given = next((item[field] for field in ("arguments", "input", "action") if field in item), None)
    return call_block(call, name if isinstance(name, str) else kind.removesuffix("_call"), arguments(given))


def item_result(item: Given) -> Block | None:
    """The result of a call; None for other items."""
    kind, call = item.get("type"), item.get("call_id")
    if not isinstance(kind, str) or not kind.endswith("_output") or not isinstance(call, str):
        return None
    output = item.get("output")
    told = output if isinstance(output, Mapping) else {"content": output}
    blocks = list(contents(told.get("content")))
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    failed = told.get("success") is False or any(map(_says_failed, texts[:1]))
    return result_block(call, "\n".join(texts) if len(texts) == len(blocks) else blocks, failed=failed)


def _says_failed(text: str) -> bool:
    return text.startswith(FAILED) or EXIT.search(text[:HEAD]) is not None


def sealed_summary(item: Given) -> list[Block]:
    """The summary of a compaction that is encrypted: a marker, and a text that says so."""
    return [{**item, "type": "compaction_marker"}, text_block(SEALED_SUMMARY)]
