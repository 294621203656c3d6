"""The entries of a pi session as a dialogue.

What a user ran in the shell is sent with the next prompt and begins no turn. An answer that failed or was called off is
sent only where something stands in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from brim.conversation.messages import PLAIN, SUMMARY, SYNTHETIC, Marks
from brim.errors import InvalidInput
from brim.transcripts.accumulator import Told, measured
from brim.transcripts.blocks import Block, Given, call_block, media_block, text_block, thinking_block
from brim.transcripts.decoding import Json, moment, string
from brim.transcripts.dialogue import Dialogue
from brim.transcripts.said import NO_MARKS, Compacted, Entry, Said
from brim.transcripts.values import Damaged

ROLES: Final = ("user", "assistant", "toolResult", "bashExecution")
FAILED: Final = ("error", "aborted")


class Session:
    """The entries so far."""

    def __init__(self, damaged: Iterable[Damaged]) -> None:
        self.dialogue = Dialogue(damaged)
        self.compactions: list[Compacted] = []
        self._places: list[tuple[int, str | None, Said]] = []
        """For each message: the place and the id of its entry."""

    def add(self, line: int, place: int, entry: Given) -> None:
        """Take in the next entry."""
        kind, message = str(entry.get("type")), entry.get("message")
        said = None
        self.dialogue.time = moment(
            entry.get("timestamp", message.get("timestamp") if isinstance(message, Mapping) else None)
        )
        try:
            if kind == "message" and isinstance(message, Mapping):
                said = self._message(line, message)
            elif kind == "compaction":
                said = self._compact(line, entry)
            elif kind in ("custom_message", "branch_summary"):
                said = self.dialogue.say(line, _blocks(entry.get("content", entry.get("summary"))), SYNTHETIC)
            else:
                self.dialogue.left_out[kind] += 1
        except InvalidInput as error:
            self.dialogue.harm(line, str(error))
        if said is not None:
            self._places.append((place, string(entry.get("id")), said))

    def _message(self, line: int, message: Given) -> Said | None:
        role = message.get("role")
        if role == "user":
            return self.dialogue.say(line, _blocks(message.get("content")), PLAIN)
        if role == "assistant":
            return self._answer(line, message)
        if role == "toolResult":
            self._result(line, message)
        elif role == "bashExecution":
            sent = message.get("excludeFromContext") is not True
            return self.dialogue.say(line, [text_block(_shell(message))], SYNTHETIC, sent=sent)
        else:
            raise InvalidInput(f"the message has the role {role!r}; pi's are {', '.join(ROLES)}")
        return None

    def _answer(self, line: int, message: Given) -> Said | None:
        blocks, reason = _blocks(message.get("content")), message.get("stopReason")
        if not blocks:
            self.dialogue.left_out["answers without content"] += 1
            return None
        error = str(message.get("errorMessage") or reason) if reason in FAILED else None
        model = string(message.get("model"))
        finished = error is None and reason is not None
        told = Told(measured("pi", message.get("usage"), model), model, finished=finished)
        holds = reason != "error" and any(block["type"] != "thinking" for block in blocks)
        marks = Marks(error=error, aborted=reason == "aborted") if error else NO_MARKS
        answer = self.dialogue.answer(line, told, marks, sent=error is None or holds)
        self.dialogue.put(answer, blocks)
        return answer

    def _result(self, line: int, message: Given) -> None:
        call = message.get("toolCallId")
        if not isinstance(call, str):
            raise InvalidInput("a tool's result names no call")
        blocks = _blocks(message.get("content"))
        plain = len(blocks) == 1 and blocks[0]["type"] == "text"
        content = blocks[0]["text"] if plain else blocks
        self.dialogue.result(line, call, content, failed=message.get("isError") is True)

    def _compact(self, line: int, entry: Given) -> Entry:
        """A compaction: its summary, and behind it what was kept from an entry on."""
        tokens, summary = entry.get("tokensBefore"), string(entry.get("summary"))
        first, name = entry.get("firstKeptEntryIndex"), entry.get("firstKeptEntryId")
        kept = [one for place, own, one in self._places if type(first) is int and place >= first]
        if isinstance(name, str):
            start = next((n for n, (_, own, _) in enumerate(self._places) if own == name), len(self._places))
            kept = [one for _, _, one in self._places[start:]]
        recorded = tokens if type(tokens) is int else None
        made = Compacted(line, "compaction", recorded, list(kept), self.dialogue.time)
        self.compactions.append(made)
        self.dialogue.nodes.append(made)
        entered = self.dialogue.say(line, [text_block(summary)] if summary else [], SUMMARY)
        made.opening.insert(0, entered)
        return entered

    def close(self) -> None:
        """Nothing of a summary before is kept word for word: the newer one stands for it."""
        summaries = {id(one) for _, _, one in self._places if isinstance(one, Entry) and one.marks.summary}
        for made in self.compactions:
            made.opening[1:] = [one for one in made.opening[1:] if id(one) not in summaries]


def _blocks(content: Json) -> list[Block]:
    """The blocks of a message. Raises InvalidInput where it has no content."""
    if isinstance(content, str):
        return [text_block(content)] if content else []
    if not isinstance(content, list):
        raise InvalidInput("a message without content")
    return [block for item in content if isinstance(item, Mapping) and (block := _block(item)) is not None]


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
