"""Pi sessions: JSON lines, one entry a message, with a usage on every response.

Newer entries have an id and name their parent: what is read is then the branch that ends in the file's last entry. Who
asked for a compaction is not recorded. What a user ran in the shell is sent with the next prompt and begins no turn. An
answer that failed or was cancelled is sent only where it has content.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from brim.conversation.messages import PLAIN, SUMMARY, SYNTHETIC, Marks
from brim.errors import InvalidInput
from brim.transcripts.blocks import Block, Given, blocks_of, call_block, media_block, text_block, thinking_block
from brim.transcripts.reader import Compaction, Entry, Reader, measured
from brim.transcripts.source import Json, Source, amount, mapping, moment, string

ROLES: Final = ("user", "assistant", "toolResult", "bashExecution")
Numbered: TypeAlias = Sequence[tuple[int, Mapping[str, Json]]]


class Pi(Reader):
    """The entries of a session."""

    name = "pi"
    form = "pi session (JSON lines)"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._compactions: list[Compaction] = []
        self._indices: list[tuple[int, str | None, Entry]] = []
        """For each message: the index and the id of its entry."""

    @classmethod
    def recognise(cls, source: Source) -> bool:
        """Return whether the file holds pi's header, or one of its messages."""
        return any(_is_ours(record) for _, record in source.records)

    def records(self) -> Iterator[tuple[int, tuple[int, Given]]]:
        """Yield the entries on the branch of the last one, each with its index among all; others are counted."""
        kept = _ancestry(self.source.records)
        for index, (line, entry) in enumerate(self.source.records):
            if entry.get("type") == "session":
                self.tell(model=string(entry.get("modelId")), folder=string(entry.get("cwd")))
            if entry.get("type") == "session" or _name(entry) is None or _name(entry) in kept:
                yield line, (index, entry)
            else:
                self.left_out["on another branch"] += 1

    def add(self, line: int, record: tuple[int, Given]) -> None:
        """Read the next entry. Raises InvalidInput."""
        index, entry = record
        kind, message = str(entry.get("type")), entry.get("message")
        self.time = moment(entry.get("timestamp", mapping(message).get("timestamp")))
        read: Entry | None = None
        if kind == "message" and isinstance(message, dict):
            read = self._message(line, message)
        elif kind == "compaction":
            read = self._compact(line, entry)
        elif kind in ("custom_message", "branch_summary"):
            read = self.add_message(line, blocks_of(entry.get("content", entry.get("summary")), _block), SYNTHETIC)
        else:
            self.left_out[kind] += 1
        if read is not None:
            self._indices.append((index, string(entry.get("id")), read))

    def finish(self) -> None:
        """Keep no earlier summary word for word: the newer one replaces it."""
        for made in self._compactions:
            opening = made.opening or []
            made.opening = opening[:1] + [one for one in opening[1:] if one.is_response or not one.marks.summary]
        if self._compactions:
            self.notes.append("pi does not record whether a compaction was asked for by hand")

    def _message(self, line: int, message: Given) -> Entry | None:
        role = message.get("role")
        if role == "user":
            return self.add_message(line, blocks_of(message.get("content"), _block), PLAIN)
        if role == "assistant":
            return self._answer(line, message)
        if role == "toolResult":
            self._result(line, message)
        elif role == "bashExecution":
            entry = self.add_message(line, [text_block(_shell(message))], SYNTHETIC)
            entry.sent = message.get("excludeFromContext") is not True
            return entry
        else:
            raise InvalidInput(f"the message has the role {role!r}; pi's are {', '.join(ROLES)}")
        return None

    def _answer(self, line: int, message: Given) -> Entry | None:
        blocks, reason = blocks_of(message.get("content"), _block), message.get("stopReason")
        if not blocks:
            self.left_out["answers without content"] += 1
            return None
        error = str(message.get("errorMessage") or reason) if reason in ("error", "aborted") else None
        model = string(message.get("model"))
        finished = error is None and reason is not None
        usage = measured("pi", message.get("usage"), model)
        cost = amount(mapping(mapping(message.get("usage")).get("cost")).get("total"))
        holds = reason != "error" and any(block["type"] != "thinking" for block in blocks)
        marks = Marks(error=error, aborted=reason == "aborted") if error else PLAIN
        sent = error is None or holds
        return self.add_response(
            line, blocks, usage=usage, cost=cost, model=model, finished=finished, marks=marks, sent=sent
        )

    def _result(self, line: int, message: Given) -> None:
        call = message.get("toolCallId")
        if not isinstance(call, str):
            raise InvalidInput("a tool's result names no call")
        blocks = blocks_of(message.get("content"), _block)
        plain = len(blocks) == 1 and blocks[0]["type"] == "text"
        content = blocks[0]["text"] if plain else blocks
        self.add_result(line, call, content, failed=message.get("isError") is True)

    def _compact(self, line: int, entry: Given) -> Entry:
        """Read a compaction: its summary, and behind it what was kept from an entry on."""
        tokens, summary = entry.get("tokensBefore"), string(entry.get("summary"))
        first, name = entry.get("firstKeptEntryIndex"), entry.get("firstKeptEntryId")
        kept = [one for index, _, one in self._indices if type(first) is int and index >= first]
        if isinstance(name, str):
            start = next((n for n, (_, own, _) in enumerate(self._indices) if own == name), len(self._indices))
            kept = [one for _, _, one in self._indices[start:]]
        recorded = tokens if type(tokens) is int else None
        made = Compaction(line, "compaction", recorded, [*kept], time=self.time)
        self._compactions.append(made)
        self.nodes.append(made)
        summed = self.add_message(line, [text_block(summary)] if summary else [], SUMMARY)
        made.opening = [summed, *kept]
        return summed


def _is_ours(record: Mapping[str, object]) -> bool:
    message = mapping(record.get("message"))
    is_message = record.get("type") == "message" and (message.get("role") in ROLES[2:] or "stopReason" in message)
    return is_message or (record.get("type") == "session" and "cwd" in record)


def _name(entry: Mapping[str, Json]) -> str | None:
    """Return the id of an entry that has its index in the tree."""
    name = entry.get("id")
    return name if isinstance(name, str) and "parentId" in entry else None


def _ancestry(records: Numbered) -> set[str]:
    """Return the ids from the last entry of the tree back to its root."""
    parents = {name: entry.get("parentId") for _, entry in records if (name := _name(entry)) is not None}
    kept: set[str] = set()
    at: Json = next(reversed(parents), None)
    while isinstance(at, str) and at in parents and at not in kept:
        kept.add(at)
        at = parents[at]
    return kept


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
    """Return a command that the user ran, as pi hands it to the model."""
    output, code = str(message.get("output") or ""), message.get("exitCode")
    told = f"```\n{output}\n```" if output else "(no output)"
    cancelled = message.get("cancelled") is True
    ended = "\n\n(command cancelled)" if cancelled else f"\n\nCommand exited with code {code}" if code else ""
    return f"Ran `{message.get('command')}`\n{told}{ended}"
