"""OpenHands runs: one a line with its history of events, or the events of one run as they are.

A file may hold several runs: each is a conversation of its own, and they stand one after another. Events are of two
forms, an older one of actions and observations and a newer one in which each event names its kind.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

from brim.conversation.messages import PLAIN, SUMMARY, SYNTHETIC
from brim.errors import InvalidInput
from brim.transcripts.blocks import (
    Block,
    Given,
    arguments,
    call_block,
    content_blocks,
    first_message,
    image_of,
    text_block,
    text_of,
    thinking_block,
    tool_calls,
)
from brim.transcripts.reader import Compaction, Entry, Reader, fields_of
from brim.transcripts.source import Json, Source, mapping, moment, objects, string

UNSENT: Final = ("change_agent_state", "recall", "null", "condensation_request", "start_hook")
"""Actions that never were a message."""
ABOUT: Final = frozenset({"thought", "is_input", "blocking", "hidden", "confirmation_state", "security_risk"})
"""What an action holds beside what a tool was given."""
SURROUNDINGS: Final = {"working_dir": "Current working directory", "py_interpreter_path": "Python interpreter"}
"""What the model sees of the place where a command ran."""
RESULTS: Final = ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation")
KINDS: Final = (
    "SystemPromptEvent",
    "MessageEvent",
    "ActionEvent",
    "Condensation",
    "CondensationRequest",
    "ConversationStateUpdateEvent",
    *RESULTS,
)


class OpenHands(Reader):
    """The events of runs: responses by their id, and the forgetting of old events."""

    name = "openhands"
    form = "OpenHands events (JSON or JSON lines)"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._by_hand = False
        self._answers: dict[str, Entry] = {}
        self._kept: dict[int, tuple[Json, Entry]] = {}
        """The messages that no condensation forgot, by identity, each with the id of its first event."""

    @classmethod
    def recognise(cls, source: Source) -> bool:
        """Return whether the file holds events of OpenHands."""
        return any(_is_event(event) for events in _runs(source) for _, event in events[:20])

    def records(self) -> Iterator[tuple[int, Json]]:
        """Yield the events, and begin a conversation with each run."""
        for events in filter(None, _runs(self.source)):
            self.start_conversation()
            self._answers, self._kept, self._by_hand = {}, {}, False
            self.about.pop("folder", None)
            yield from events

    def add(self, line: int, record: Json) -> None:
        """Read the next event. Raises InvalidInput."""
        if not isinstance(record, dict):
            raise InvalidInput("no event")
        self.time = moment(record.get("timestamp"))
        kind, action, observation = (string(record.get(name)) for name in ("kind", "action", "observation"))
        if kind is not None:
            entry = self._of_kind(line, kind, record)
        elif action is not None:
            entry = self._act(line, action, record)
        elif observation is not None:
            entry = self._observe(line, observation, record)
        else:
            self.left_out["unknown events"] += 1
            return
        if entry is not None:
            self._kept.setdefault(id(entry), (record.get("id"), entry))

    def _response(self, line: int, name: str | None, blocks: Sequence[Block], **fields: Any) -> Entry:
        """Return the response of this id, with these blocks added: the one met before, or a new one."""
        response = (self._answers.get(name) if name else None) or self.add_response(line, **fields)
        if name:
            self._answers[name] = response
        self.add_blocks(response, blocks)
        return response

    def _forget(self, line: int, event: Given) -> Entry | None:
        """Read a condensation: what was forgotten leaves for good, and one summary replaces all that left."""
        is_forgotten = _forgotten_by(event)
        self._kept = {
            key: (name, entry)
            for key, (name, entry) in self._kept.items()
            if not entry.marks.summary and not is_forgotten(name)
        }
        kept = [entry for _, entry in self._kept.values()]
        self.nodes.append(Compaction(line, "manual" if self._by_hand else "auto", opening=kept, time=self.time))
        self._by_hand = False
        summary, index = string(event.get("summary")), event.get("summary_offset")
        if not summary:
            return None
        entry = self.add_message(line, [text_block(summary)], SUMMARY)
        kept.insert(index if type(index) is int and 0 <= index <= len(kept) else 0, entry)
        return entry

    def _know(self, **about: Any) -> None:
        self.about |= {name: value for name, value in about.items() if value is not None}

    def _act(self, line: int, action: str, event: Given) -> Entry | None:
        args = mapping(event.get("args"))
        if action == "condensation":
            return self._forget(line, args)
        if action == "system":
            self._know(
                system=string(args.get("content")),
                tools=anthropic_tools(args.get("tools")),
                version=string(args.get("openhands_version")),
            )
            return None
        if action in UNSENT:
            self._by_hand = self._by_hand or action == "condensation_request"
            self.left_out[action] += 1
            return None
        if event.get("source") != "user":
            return self._answer(line, action, event, args)
        if action != "message":  # a command that the user ran begins no turn
            return self.add_message(line, [text_block(f"{action}: {args.get('command')}")], SYNTHETIC)
        images = args.get("image_urls")
        media = [image_of(url) for url in images] if isinstance(images, list) else []
        blocks = [*content_blocks(args.get("content")), *(block for block in media if block is not None)]
        return self.add_message(line, blocks, PLAIN)

    def _answer(self, line: int, action: str, event: Given, args: Given) -> Entry:
        """Read an action of the agent: part of the response that the event carries whole, or alone."""
        response = mapping(event.get("tool_call_metadata")).get("model_response")
        name = string(mapping(response).get("id"))
        if name in self._answers:
            return self._answers[name]
        message = first_message(response)
        blocks = [*content_blocks(message.get("content")), *tool_calls(message.get("tool_calls"))]
        return self._response(line, name, blocks or _alone(line, action, event, args), **fields_of(response))

    def _observe(self, line: int, kind: str, event: Given) -> Entry | None:
        """Read what came of an action; what came of none is of the harness."""
        content = str(event.get("content") or "")
        call, cause = string(mapping(event.get("tool_call_metadata")).get("tool_call_id")), event.get("cause")
        if kind == "recall":
            extras = mapping(event.get("extras"))
            names = ("repo_instructions", "additional_agent_instructions", "conversation_instructions")
            knowledge = (item.get("content") for item in objects(extras.get("microagent_knowledge")))
            texts = [*(extras.get(name) for name in names), *knowledge]
            blocks = [text_block(text) for text in texts if isinstance(text, str) and text.strip()]
            self.left_out.update([] if blocks else ["recall"])
            return self.add_message(line, blocks, SYNTHETIC)
        if kind in ("agent_state_changed", "null"):
            self.left_out[kind] += 1
            return None
        if call is None and (kind == "error" or cause is None):
            return self.add_message(line, content_blocks(content), SYNTHETIC)
        self.tell(folder=string(_about(event).get("working_dir")))
        text = _ran(content, event) if kind == "run" else content
        self.add_result(line, call or f"event-{cause}", text, failed=_failed(kind, content, event))
        return None

    def _of_kind(self, line: int, kind: str, event: Given) -> Entry | None:
        """Read an event of the newer form."""
        if kind == "MessageEvent":
            message = mapping(event.get("llm_message"))
            blocks = [*content_blocks(message.get("content")), *content_blocks(event.get("extended_content"))]
            if message.get("role") == "assistant":
                return self._response(line, string(event.get("llm_response_id")), blocks)
            return self.add_message(line, blocks, PLAIN if event.get("source") == "user" else SYNTHETIC)
        if kind == "ActionEvent":
            return self._action(line, event)
        if kind == "Condensation":
            return self._forget(line, event)
        if kind in RESULTS:
            self._result(line, kind, event)
        elif kind == "SystemPromptEvent":
            self._know(system=_text(event.get("system_prompt")), tools=anthropic_tools(event.get("tools")))
        else:
            self._by_hand = self._by_hand or kind == "CondensationRequest"
            self.left_out[kind] += 1
        return None

    def _action(self, line: int, event: Given) -> Entry:
        """Read one call of a response; its words and its thoughts stand with the first."""
        name, thought = string(event.get("llm_response_id")), string(event.get("reasoning_content"))
        words: list[Block] = []
        if name not in self._answers:
            words = [*([thinking_block(thought)] if thought else []), *content_blocks(event.get("thought"))]
        call = mapping(event.get("tool_call"))
        function = mapping(call.get("function")) or call
        known = string(event.get("tool_call_id")) or string(call.get("id")) or f"event-{event.get('id', line)}"
        tool = string(event.get("tool_name")) or string(function.get("name")) or "unknown"
        return self._response(line, name, [*words, call_block(known, tool, arguments(function.get("arguments")))])

    def _result(self, line: int, kind: str, event: Given) -> None:
        seen = mapping(event.get("observation"))
        call = string(event.get("tool_call_id")) or f"event-{event.get('action_id')}"
        text = string(event.get("error")) or string(event.get("rejection_reason"))
        content = seen.get("content", seen.get("output"))
        if text is None:
            text = text_of(content) if isinstance(content, str | list) else json.dumps(seen, ensure_ascii=False)
        self.add_result(line, call, text, failed=kind != "ObservationEvent" or seen.get("is_error") is True)


def _is_event(event: Json) -> bool:
    if not isinstance(event, dict) or not isinstance(event.get("source"), str):
        return False
    return event.get("kind") in KINDS or any(isinstance(event.get(name), str) for name in ("action", "observation"))


def _runs(source: Source) -> Iterator[list[tuple[int, Json]]]:
    """Yield the events of each run with their lines, or their numbers in the list that the file is."""
    listed = source.listed("history", "events")
    if listed is not None:
        yield list(enumerate(listed, 1))
        return
    loose: list[tuple[int, Json]] = []
    for line, record in source.records:
        if isinstance(record.get("history"), list):
            yield [(line, event) for event in record["history"]]
        else:
            loose.append((line, record))
    yield loose


def _alone(line: int, action: str, event: Given, args: Given) -> list[Block]:
    """Return the blocks of an action without the response it was part of: its words, or its thought and a call."""
    if action == "message":
        return content_blocks(args.get("content"))
    given = {name: value for name, value in args.items() if name not in ABOUT}
    call = call_block(f"event-{event.get('id', line)}", action, given)
    return [*content_blocks(string(args.get("thought")) or ""), call]


def _about(event: Given) -> Given:
    """Return what an observation says of the command that ran."""
    return mapping(mapping(event.get("extras")).get("metadata"))


def _ran(content: str, event: Given) -> str:
    """Return what came of a command as the model was told it: with where it ran, and how it ended."""
    about = _about(event)
    lines = [f"{about.get('prefix') or ''}{content}{about.get('suffix') or ''}"]
    lines += [f"[{label}: {about[name]}]" for name, label in SURROUNDINGS.items() if about.get(name)]
    code = about.get("exit_code")
    lines += [f"[Command finished with exit code {code}]"] if type(code) is int and code >= 0 else []
    return "\n".join(lines)


def _failed(kind: str, content: str, event: Given) -> bool:
    """Return whether an observation reports a failure: by its kind, its beginning, or the exit code of a command."""
    code = _about(event).get("exit_code", mapping(event.get("extras")).get("exit_code"))
    return kind == "error" or content.startswith("ERROR:") or (type(code) is int and code != 0)


def _text(given: Json) -> str | None:
    return string(given.get("text")) if isinstance(given, dict) else string(given)


def _forgotten_by(event: Given) -> Callable[[Json], bool]:
    """Return whether a condensation forgets the event of an id: it names the ids, or the first and the last of them."""
    named = event.get("forgotten_event_ids")
    first, last = event.get("forgotten_events_start_id"), event.get("forgotten_events_end_id")
    if isinstance(named, list):
        ids = {name for name in named if isinstance(name, str | int)}
        return lambda name: isinstance(name, str | int) and name in ids
    return lambda name: type(name) is type(first) is type(last) is int and first <= name <= last


def anthropic_tools(given: Json) -> list[Block] | None:
    """Return definitions of tools in Anthropic's form; None where there are none."""
    tools = [tool.get("function", tool) for tool in objects(given)]
    named = [tool for tool in tools if isinstance(tool, dict) and isinstance(tool.get("name"), str)]
    return [_tool(tool) for tool in named] or None


def _tool(given: Given) -> Block:
    """Return one definition: the API wants a schema, and a description only where there is one."""
    about, schema = given.get("description"), given.get("parameters")
    tool: Block = {"name": given["name"], "description": about} if isinstance(about, str) else {"name": given["name"]}
    return {**tool, "input_schema": schema if isinstance(schema, dict) else {"type": "object"}}
