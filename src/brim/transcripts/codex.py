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
from collections.abc import Iterator, Sequence
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
from brim.transcripts.reader import Compaction, Entry, Reader, expand, is_notice, measured
from brim.transcripts.source import Json, Source, drain, mapping, moment, objects, read_source, string
from brim.transcripts.values import REWOUND, CompactionKind, Damaged

NAME: Final = "codex"
INSTRUCTIONS: Final = re.compile(r"\s*<INSTRUCTIONS>.*</INSTRUCTIONS>\s*", re.DOTALL)
"""The rules of the project, as Codex puts them into the user's place."""
FAILED: Final = ("apply_patch verification failed", "exec_command failed", "failed to parse function arguments")
"""How the results of calls begin that Codex itself refused."""
EXIT: Final = re.compile(r"(?:Process exited with code|Exit code:) ([1-9]\d*|-\d+)\b")
SEALED_REASONING: Final = "reasoning (encrypted)"


class Codex(Reader):
    """The records of a session."""

    name = NAME
    form = "Codex rollout (JSON lines)"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._sealed = 0
        """How many summaries are encrypted."""
        self._held: int | None = None
        """Tokens that the last response held."""
        self._total: Json = None
        self._model: str | None = None
        self._answer: Entry | None = None
        self._task: list[Compaction] | None = None
        """The compactions of a task that has no item yet."""
        self._by: CompactionKind = "compaction"

    @classmethod
    def recognise(cls, source: Source) -> bool:
        """Return whether the file holds records of a rollout: one of its kinds around a payload."""
        kinds = ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
        return any(one.get("type") in kinds and isinstance(one.get("payload"), dict) for _, one in source.records)

    def records(self) -> Iterator[tuple[int, Given]]:
        """Return the records of the bases, the oldest first, and those of the file."""
        base, seen = base_of(self.source), {os.path.realpath(self.source.path)}
        places = places_near(self.source.path) if base else {}
        files = [path for place, pattern in places.items() for path in place.glob(pattern)]
        records = [*self.source.records]
        while base is not None:
            of = f"what comes before record {base.end:,} is in the rollout {base.id}"
            ends = (f"-{base.id}.jsonl", f"_{base.id}.jsonl")
            path = next(
                (path for path in files if path.name.endswith(ends) and os.path.realpath(path) not in seen), None
            )
            if path is None:
                looked = " or ".join(str(place) for place in places if place.is_dir())
                self.tell(lacks=f"{of}, which is not in {looked}: put it there, unpacked; only what follows is read")
                break
            try:
                source = read_source(path)
            except InvalidInput as error:
                self.tell(lacks=f"{of}, which could not be read: {error}")
                break
            seen.add(os.path.realpath(path))
            self.notes.append(f"{of}, and was read from {path}, where its lines count")
            self.damaged += [Damaged(one.line, f"{one.reason}, in {path.name}") for one in source.damaged]
            records = [*_before(source, base.end), *records]
            base = base_of(source)
        self.source.records.clear()
        return drain(records)

    def add(self, line: int, record: Given) -> None:
        """Read the next record. Raises InvalidInput."""
        kind, payload = str(record.get("type")), record.get("payload")
        if not isinstance(payload, dict):
            raise InvalidInput(f"a record of type {kind} has no payload")
        self.time = moment(record.get("timestamp"))
        if kind == "response_item":
            self._item(line, payload)
            return
        if kind == "compacted":
            self._compacted(line, payload)
            return
        self.left_out[str(payload.get("type")) if kind == "event_msg" else kind] += 1
        if kind == "event_msg":
            self._event(payload)
        elif kind == "token_usage_record":
            self._measure(payload.get("usage"))
        elif kind == "session_meta":
            given = payload.get("base_instructions", payload.get("instructions"))
            self.tell(folder=string(payload.get("cwd")), version=string(payload.get("cli_version")))
            self.tell(system=string(given.get("text") if isinstance(given, dict) else given))
        elif kind == "turn_context":
            self._model = string(payload.get("model")) or self._model

    def finish(self) -> None:
        """Note what the file holds and only the provider can read, and what it lacks."""
        counts = {"of reasoning": self.left_out[SEALED_REASONING], "of summaries": self._sealed}
        hidden = " and ".join(f"{count:,} {what}" for what, count in counts.items() if count)
        self.notes += [self.about["lacks"]] if "lacks" in self.about else []
        self.notes += [f"encrypted, and so not read: {hidden}"] if hidden else []

    def _item(self, line: int, item: Given) -> None:
        self._task = None
        result = item_result(item)
        if result is not None:
            failed = result.get("is_error") is True
            self.add_result(line, result["tool_use_id"], result["content"], failed=failed)
        elif item.get("type") == "message" and item.get("role") != "assistant":
            blocks = message_blocks(item)
            self.add_message(line, blocks, marks_of(item.get("role"), blocks), key=own_item(item))
            self._answer = None
        else:
            self._answered(line, item)

    def _answered(self, line: int, item: Given) -> None:
        """Read an item that the model wrote: a text, reasoning or a call; others are left out."""
        kind, one = str(item.get("type")), reasoning_block(item) or item_call(item)
        blocks = message_blocks(item) if kind == "message" else [one] if one is not None else []
        if not blocks:
            self.left_out[SEALED_REASONING if kind == "reasoning" else kind] += 1
            return
        answer = self._answer
        if answer is None or answer.results is not None or answer.usage is not None:
            answer = self._answer = self.add_response(line, model=self._model)
        self.add_blocks(answer, blocks)

    def _event(self, event: Given) -> None:
        kind = event.get("type")
        if kind == "token_count" and isinstance(event.get("info"), dict):
            self._count(event["info"])
        elif kind in ("task_started", "turn_started"):
            self._task, self._by = [], "auto"
        elif kind in ("task_complete", "turn_complete"):
            for made in self._task or ():  # a task of a compaction and no item is one that the user asked for
                made.kind = "manual"
            self._task = None
        elif kind == "turn_aborted" and self._answer is not None:
            self._answer.marks = Marks(error="turn aborted", aborted=True)
        elif kind == "thread_rolled_back":
            self._roll_back(event.get("num_turns"))

    def _count(self, info: Given) -> None:
        """Take the tokens of the response before, unless the same running total was told before."""
        last, total, window = (
            info.get(f"{name}") for name in ("last_token_usage", "total_token_usage", "model_context_window")
        )
        if type(window) is int and window > 0:
            self.about["window"] = window
        if isinstance(last, dict) and total != self._total:
            self._total = total
            self._measure(last)

    def _measure(self, usage: Json) -> None:
        """Take the tokens of the last response, where no record has told them yet."""
        tokens = mapping(usage).get("total_tokens")
        self._held = tokens if type(tokens) is int else None
        nodes = (node for node in reversed(self.nodes) if isinstance(node, Compaction) or node.is_response)
        answer = next(nodes, None)
        if isinstance(answer, Entry) and answer.usage is None:
            answer.usage = measured("codex", usage, answer.model)

    def _compacted(self, line: int, payload: Given) -> None:
        """Read a compaction: the history that it names, or else what is kept without one and the summary."""
        history, summary = payload.get("replacement_history"), string(payload.get("message")) or ""
        made = Compaction(line, self._by, self._held, time=self.time)
        before = [entry for entry in self.entries() if not entry.is_response and not entry.marks.summary]
        self.nodes.append(made)
        if isinstance(history, list):
            made.opening = self._entered(line, history)
            self._sealed += sum(isinstance(item, dict) and item.get("type") in SEALED for item in history)
        else:
            added = self.add_message(line, [text_block(summary)] if summary else [], SUMMARY)
            made.opening = [*(one for one in before if any(type(part) is Text for part in one.written().parts)), added]
        self._answer = None
        if self._task is not None:
            self._task.append(made)

    def _entered(self, line: int, history: Sequence[Json]) -> list[Entry]:
        """Return the messages that a history names, in its order; the new ones are added."""
        known: dict[str, list[Entry]] = defaultdict(list)
        for entry in self.entries():
            known[_key(entry.role, entry.written().raw["content"])].append(entry)
        found: list[Entry | tuple[Given, str, list[Block]]] = []
        for item in reversed(history):
            try:
                role, blocks = _named(item)
            except InvalidInput as error:
                self.damaged.append(Damaged(line, str(error)))
                continue
            same = [] if not role or item.get("type") in SEALED else known[_key(role, blocks)]
            found += [same.pop() if same else (item, role, blocks)] if role else []
        return [one if isinstance(one, Entry) else self._named(line, *one) for one in reversed(found)]

    def _named(self, line: int, item: Given, role: str, blocks: list[Block]) -> Entry:
        """Add a message that stands in a history alone."""
        if role == "assistant":
            return self.add_response(line, blocks)
        if item.get("type") == "message":
            return self.add_message(line, blocks, marks_of(item.get("role"), blocks), key=own_item(item))
        is_summary = item.get("type") in SEALED
        return self.add_message(
            line, blocks, SUMMARY if is_summary else PLAIN, key=own_item(item) if is_summary else None
        )

    def _roll_back(self, turns: Json) -> None:
        """Go back with the user: the last turns are gone, with what was in them."""
        starts = [
            number
            for number, node in enumerate(self.nodes)
            if isinstance(node, Entry) and not node.is_response and not node.marks.synthetic
        ]
        if type(turns) is int and 0 < turns <= len(starts):
            gone = self.nodes[starts[-turns] :]
            self.left_out[REWOUND] += len(expand(node for node in gone if isinstance(node, Entry)))
            del self.nodes[starts[-turns] :]
            self._answer = None


def _key(role: str, blocks: Sequence[Block]) -> str:
    return f"{role} {json.dumps(blocks, sort_keys=True)}"


def _named(item: Json) -> tuple[str, list[Block]]:
    """Return whose message an item of a history is, and its blocks; of nobody's where it is none, such as reasoning.

    Raises InvalidInput.
    """
    if not isinstance(item, dict):
        raise InvalidInput("a compaction's history holds what is no item")
    if item.get("type") in SEALED:
        return "user", [{**item, "type": "compaction_marker"}, text_block(SEALED_SUMMARY)]
    if item.get("type") == "message":
        return "assistant" if item.get("role") == "assistant" else "user", message_blocks(item)
    call, result = item_call(item), item_result(item)
    return ("assistant", [call]) if call is not None else ("user", [result]) if result is not None else ("", [])


class Base(NamedTuple):
    """Where what comes before a rollout stands."""

    id: str
    """The id of another rollout, with which the name of its file ends: a thread's own, or that of a way back in it."""
    end: int
    """The ordinal of the first record there that does not belong to it."""


def base_of(source: Source) -> Base | None:
    """Return the base that a rollout names; None where it names none."""
    metas = (mapping(record.get("payload")) for _, record in source.records if record.get("type") == "session_meta")
    given = mapping(next((meta["history_base"] for meta in metas if meta.get("history_base")), None))
    name, end = given.get("thread_id"), given.get("end_ordinal_exclusive")
    return Base(name, end) if isinstance(name, str) and type(end) is int else None


def places_near(path: Path) -> dict[Path, str]:
    """Return the folders where the base of a rollout may be, each with the pattern of the files to look at there."""
    folders = Path(os.path.realpath(path)).parents
    homes = [folder.parent for folder in folders if folder.name in ("sessions", "archived_sessions")]
    homes.append(Path(os.environ.get("CODEX_HOME") or Path.home() / ".codex"))
    return {folders[0]: "*rollout-*.jsonl"} | {
        home / name: "**/rollout-*.jsonl" for home in homes for name in ("sessions", "archived_sessions")
    }


def _before(source: Source, end: int) -> Iterator[tuple[int, dict[str, Json]]]:
    """Yield the records of a base before an ordinal; they are counted from 0 where they have none."""
    number = -1
    for line, record in source.records:
        given = record.get("ordinal")
        number = given if type(given) is int else number + 1
        if number < end and record.get("type") != "session_meta":
            yield line, record


def own_item(item: Given) -> ResponsesItem | None:
    """Return the item, where only OpenAI's Responses format has one of its kind: instructions, an encrypted summary."""
    held = item.get("role") in INSTRUCTING or isinstance(item.get("encrypted_content"), str)
    return ResponsesItem(item) if held else None


def contents(given: Json) -> Iterator[Block]:
    """Yield the texts and images of a message or a result. What is no visible text is left out."""
    if isinstance(given, str):
        yield text_block(given)
    for item in objects(given):
        if item.get("type") in ("input_text", "output_text", "text", "summary_text", "reasoning_text") and isinstance(
            item.get("text"), str
        ):
            yield text_block(item["text"])
        elif item.get("type") == "input_image" and (image := image_of(item.get("image_url"))) is not None:
            yield image


def message_blocks(item: Given) -> list[Block]:
    """Return the blocks of a message item. Raises InvalidInput where it has no content."""
    if not isinstance(item.get("content"), str | list):
        raise InvalidInput("a message without content")
    return list(contents(item["content"]))


def marks_of(role: Json, blocks: Sequence[Block]) -> Marks:
    """Return the marks of a message in the user's role: a summary, what Codex put in, or the user's own."""
    texts = [block["text"].lstrip() for block in blocks if block["type"] == "text"]
    if texts and texts[0].startswith("Another language model started to solve this problem and produced a summary"):
        return SUMMARY
    injected = len(texts) == len(blocks) and all(INSTRUCTIONS.fullmatch(text) or is_notice(text) for text in texts)
    return SYNTHETIC if role != "user" or injected else PLAIN


def reasoning_block(item: Given) -> Block | None:
    """Return the reasoning that can be read; None where it is encrypted, and for other items."""
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
    """Return the result of a call; None for other items."""
    kind, call = item.get("type"), item.get("call_id")
    if not isinstance(kind, str) or not kind.endswith("_output") or not isinstance(call, str):
        return None
    output = item.get("output")
    answer = output if isinstance(output, dict) else {"content": output}
    blocks = list(contents(answer.get("content")))
    texts = [block["text"] for block in blocks if block["type"] == "text"]
    failed = answer.get("success") is False or any(
        text.startswith(FAILED) or EXIT.search(text[:400]) is not None for text in texts[:1]
    )
    return result_block(call, "\n".join(texts) if len(texts) == len(blocks) else blocks, failed=failed)
