"""Pi sessions: JSON lines, one entry a message, with a usage on every response.

Newer entries have an id and name their parent: what is read is then the branch that ends in the file's last entry. Who
asked for a compaction is not recorded. What a user ran in the shell is sent with the next prompt and begins no turn. An
answer that failed or was cancelled is sent only where it has content.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from brim.conversation.messages import PLAIN, SUMMARY, SYNTHETIC, Marks
from brim.errors import InvalidInput
from brim.transcripts.blocks import Block, Given, blocks_of, call_block, media_block, text_block, thinking_block
from brim.transcripts.builder import CompactionMark, MessageNode, TranscriptBuilder, TranscriptEntry, measured
from brim.transcripts.source import Json, Source, amount, mapping, moment, string
from brim.transcripts.values import Damaged, Transcript

NAME: Final = "pi"
FORM: Final = "pi session (JSON lines)"
WHO_ASKED: Final = "pi does not record whether a compaction was asked for by hand"
ROLES: Final = ("user", "assistant", "toolResult", "bashExecution")
FAILED: Final = ("error", "aborted")
Numbered: TypeAlias = Sequence[tuple[int, Mapping[str, Json]]]
OTHER: str = "on another branch"


def recognise(source: Source) -> bool:
    """Whether the file holds pi's header, or one of its messages."""
    return any(_is_ours(record) for _, record in source.records)


def _is_ours(record: Mapping[str, object]) -> bool:
    if record.get("type") == "session":
        return "cwd" in record
    return record.get("type") == "message" and mapping(record.get("message")).get("role") in ROLES


def read(source: Source) -> Transcript:
    """Read a session. Damaged entries are counted."""
    session = PiSession(source.damaged)
    for line, index, entry in branch_of(source.records, session.builder.left_out):
        session.add(line, index, entry)
    session.close()
    if any(made.kind == "compaction" for made in session.compactions):
        session.builder.notes.append(WHO_ASKED)
    header = next((record for _, record in source.records if record.get("type") == "session"), {})
    return session.builder.transcript(NAME, model=string(header.get("modelId")), folder=string(header.get("cwd")))


def branch_of(records: Numbered, left_out: Counter[str]) -> Iterator[tuple[int, int, Mapping[str, Json]]]:
    """The line, the index among all entries and the entry, of those on the last entry's branch; others are counted."""
    kept = _ancestry(records)
    for index, (line, entry) in enumerate(records):
        if entry.get("type") == "session" or _name(entry) is None or _name(entry) in kept:
            yield line, index, entry
        else:
            left_out[OTHER] += 1


def _name(entry: Mapping[str, Json]) -> str | None:
    """The id of an entry that has its index in the tree."""
    name = entry.get("id")
    return name if isinstance(name, str) and "parentId" in entry else None


def _ancestry(records: Numbered) -> set[str]:
    """The ids from the last entry of the tree back to its root."""
    parents = {name: entry.get("parentId") for _, entry in records if (name := _name(entry)) is not None}
    kept: set[str] = set()
    at: Json = next(reversed(parents), None)
    while isinstance(at, str) and at in parents and at not in kept:
        kept.add(at)
        at = parents[at]
    return kept


class PiSession:
    """The entries so far."""

    def __init__(self, damaged: Iterable[Damaged]) -> None:
        self.builder = TranscriptBuilder(damaged)
        self.compactions: list[CompactionMark] = []
        self._indices: list[tuple[int, str | None, MessageNode]] = []
        """For each message: the index and the id of its entry."""

    def add(self, line: int, index: int, entry: Given) -> None:
        """Take in the next entry."""
        kind, message = str(entry.get("type")), entry.get("message")
        said = None
        self.builder.time = moment(entry.get("timestamp", mapping(message).get("timestamp")))
        try:
            if kind == "message" and isinstance(message, Mapping):
                said = self._message(line, message)
            elif kind == "compaction":
                said = self._compact(line, entry)
            elif kind in ("custom_message", "branch_summary"):
                said = self.builder.add_message(
                    line, blocks_of(entry.get("content", entry.get("summary")), _block), SYNTHETIC
                )
            else:
                self.builder.left_out[kind] += 1
        except InvalidInput as error:
            self.builder.add_damage(line, str(error))
        if said is not None:
            self._indices.append((index, string(entry.get("id")), said))

    def _message(self, line: int, message: Given) -> MessageNode | None:
        role = message.get("role")
        if role == "user":
            return self.builder.add_message(line, blocks_of(message.get("content"), _block), PLAIN)
        if role == "assistant":
            return self._answer(line, message)
        if role == "toolResult":
            self._result(line, message)
        elif role == "bashExecution":
            sent = message.get("excludeFromContext") is not True
            return self.builder.add_message(line, [text_block(_shell(message))], SYNTHETIC, sent=sent)
        else:
            raise InvalidInput(f"the message has the role {role!r}; pi's are {', '.join(ROLES)}")
        return None

    def _answer(self, line: int, message: Given) -> MessageNode | None:
        blocks, reason = blocks_of(message.get("content"), _block), message.get("stopReason")
        if not blocks:
            self.builder.left_out["answers without content"] += 1
            return None
        error = str(message.get("errorMessage") or reason) if reason in FAILED else None
        model = string(message.get("model"))
        finished = error is None and reason is not None
        usage = measured("pi", message.get("usage"), model)
        cost = amount(mapping(mapping(message.get("usage")).get("cost")).get("total"))
        holds = reason != "error" and any(block["type"] != "thinking" for block in blocks)
        marks = Marks(error=error, aborted=reason == "aborted") if error else PLAIN
        sent = error is None or holds
        return self.builder.add_response(
            line, blocks, usage=usage, cost=cost, model=model, finished=finished, marks=marks, sent=sent
        )

    def _result(self, line: int, message: Given) -> None:
        call = message.get("toolCallId")
        if not isinstance(call, str):
            raise InvalidInput("a tool's result names no call")
        blocks = blocks_of(message.get("content"), _block)
        plain = len(blocks) == 1 and blocks[0]["type"] == "text"
        content = blocks[0]["text"] if plain else blocks
        self.builder.add_result(line, call, content, failed=message.get("isError") is True)

    def _compact(self, line: int, entry: Given) -> TranscriptEntry:
        """A compaction: its summary, and behind it what was kept from an entry on."""
        tokens, summary = entry.get("tokensBefore"), string(entry.get("summary"))
        first, name = entry.get("firstKeptEntryIndex"), entry.get("firstKeptEntryId")
        kept = [one for index, _, one in self._indices if type(first) is int and index >= first]
        if isinstance(name, str):
            start = next((n for n, (_, own, _) in enumerate(self._indices) if own == name), len(self._indices))
            kept = [one for _, _, one in self._indices[start:]]
        recorded = tokens if type(tokens) is int else None
        made = CompactionMark(line, "compaction", recorded, [*kept], time=self.builder.time)
        self.compactions.append(made)
        self.builder.nodes.append(made)
        summed = self.builder.add_message(line, [text_block(summary)] if summary else [], SUMMARY)
        made.opening = [summed, *kept]
        return summed

    def close(self) -> None:
        """No earlier summary is kept word for word: the newer one replaces it."""
        summaries = {id(one) for _, _, one in self._indices if isinstance(one, TranscriptEntry) and one.marks.summary}
        for made in self.compactions:
            opening = made.opening or []
            made.opening = opening[:1] + [one for one in opening[1:] if id(one) not in summaries]


def _block(item: Given) -> Block | None:
    kind = item.get("type")
    if kind == "text":
        return text_block(str(item.get("text") or ""))
    if kind == "thinking":
        return _thinking(item)
    if kind == "toolCall" and isinstance(item.get("id"), str) and isinstance(item.get("name"), str):
        return call_block(item["id"], item["name"], item.get("arguments"))
    if kind == "image" and isinstance(item.get("data"), str):
        return media_block(str(item.get("mimeType")), item["data"])
    return None


def _thinking(item: Given) -> Block:
    signature = string(item.get("thinkingSignature")) or None
    if item.get("redacted") is True and signature:
        return {"type": "redacted_thinking", "data": signature}
    return thinking_block(str(item.get("thinking") or ""), signature)


def _shell(message: Given) -> str:
    """A command that the user ran, as pi hands it to the model."""
    output, code = str(message.get("output") or ""), message.get("exitCode")
    told = f"```\n{output}\n```" if output else "(no output)"
    cancelled = message.get("cancelled") is True
    ended = "\n\n(command cancelled)" if cancelled else f"\n\nCommand exited with code {code}" if code else ""
    return f"Ran `{message.get('command')}`\n{told}{ended}"
