"""What both forms of OpenHands' events have in common: responses by their id, and the forgetting of old events."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from brim.conversation.messages import SUMMARY
from brim.errors import InvalidInput
from brim.transcripts.accumulator import Told
from brim.transcripts.blocks import Block, Given, text_block
from brim.transcripts.decoding import Json, moment, string
from brim.transcripts.dialogue import Dialogue
from brim.transcripts.said import UNTOLD, Answer, Compacted, Said
from brim.transcripts.values import CompactionKind

UNNAMED: Final = ""


class Run:
    """The events of one run so far."""

    def __init__(self, dialogue: Dialogue) -> None:
        self.dialogue = dialogue
        self.told: dict[str, Any] = {}
        """The system prompt, the tools and the version, where the run tells them."""
        self.by_hand = False
        self._answers: dict[str, Answer] = {}
        self._kept: dict[int, tuple[Json, Said]] = {}
        """The messages that no condensation forgot, by identity, each with the id of its first event."""

    def add(self, line: int, event: Json) -> None:
        """Take in the next event; what is none is damaged."""
        try:
            if not isinstance(event, Mapping):
                self._refuse()
            self.dialogue.time = moment(event.get("timestamp"))
            said = self.take(line, event)
        except InvalidInput as error:
            self.dialogue.harm(line, str(error))
            return
        if said is not None:
            self._kept.setdefault(id(said), (event.get("id"), said))

    def _refuse(self) -> None:
        raise InvalidInput("no event")

    def take(self, line: int, event: Given) -> Said | None:
        """The message that an event becomes or is part of; None for others. Raises InvalidInput."""
        raise NotImplementedError

    def answered(self, line: int, name: str | None, blocks: Sequence[Block], told: Told = UNTOLD) -> Answer:
        """The response of this id, with these blocks; of one that is known already only what it lacks."""
        known = self._answers.get(name or UNNAMED) if name else None
        answer = known or self.dialogue.answer(line, told)
        if name:
            self._answers[name] = answer
        self.dialogue.put(answer, blocks)
        return answer

    def is_known(self, name: str | None) -> bool:
        """Whether the response of this id was met before."""
        return name in self._answers

    def forget(self, line: int, event: Given) -> Said | None:
        """A condensation: what was forgotten leaves for good, and one summary replaces all that left."""
        is_forgotten = _forgotten_by(event)
        self._kept = {
            key: (name, said)
            for key, (name, said) in self._kept.items()
            if not said.marks.summary and not is_forgotten(name)
        }
        kept = [said for _, said in self._kept.values()]
        kind: CompactionKind = "manual" if self.by_hand else "auto"
        self.by_hand = False
        made = Compacted(line, kind, None, kept, self.dialogue.time)
        self.dialogue.nodes.append(made)
        summary, place = string(event.get("summary")), event.get("summary_offset")
        if not summary:
            return None
        entry = self.dialogue.say(line, [text_block(summary)], SUMMARY)
        kept.insert(place if type(place) is int and 0 <= place <= len(kept) else 0, entry)
        return entry


def _forgotten_by(event: Given) -> Callable[[Json], bool]:
    """Whether a condensation forgets the event of an id: it names the ids, or the first and the last of them."""
    named = event.get("forgotten_event_ids")
    first, last = event.get("forgotten_events_start_id"), event.get("forgotten_events_end_id")
    if isinstance(named, list):
        ids = {name for name in named if isinstance(name, str | int)}
        return lambda name: isinstance(name, str | int) and name in ids
    return lambda name: type(name) is type(first) is type(last) is int and first <= name <= last


def anthropic_tools(given: Json) -> list[Block] | None:
    """Definitions of tools in Anthropic's form; None where there are none."""
    tools = (
        [tool.get("function", tool) for tool in given if isinstance(tool, Mapping)] if isinstance(given, list) else []
    )
    named = [tool for tool in tools if isinstance(tool, Mapping) and isinstance(tool.get("name"), str)]
    return [_tool(tool) for tool in named] or None


def _tool(given: Given) -> Block:
    """One definition: the API wants a schema, and a description only where there is one."""
    about, schema = given.get("description"), given.get("parameters")
    tool: Block = {"name": given["name"], "description": about} if isinstance(about, str) else {"name": given["name"]}
    return {**tool, "input_schema": schema if isinstance(schema, Mapping) else {"type": "object"}}
