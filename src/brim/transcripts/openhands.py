"""OpenHands runs: one a line with its history of events, or the events of one run as they are.

A file may hold several runs: each is a conversation of its own, and they stand one after another. Events are of two
forms, an older one of actions and observations and a newer one in which each event names its kind.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from brim.transcripts.builder import CompactionMark, MessageNode, TranscriptBuilder, TranscriptResponse, measured
from brim.transcripts.source import Json, Source, mapping, moment, objects, string
from brim.transcripts.values import CompactionKind, Transcript

NAME: Final = "openhands"
FORM: Final = "OpenHands events (JSON or JSON lines)"
OLDER: Final = ("action", "observation")
RECALLED: Final = ("repo_instructions", "additional_agent_instructions", "conversation_instructions")
UNSENT: Final = ("change_agent_state", "recall", "null", "condensation_request", "start_hook")
"""Actions that never were a message."""
ABOUT: Final = frozenset({"thought", "is_input", "blocking", "hidden", "confirmation_state", "security_risk"})
"""What an action holds beside what a tool was given."""
SURROUNDINGS: Final = {"working_dir": "Current working directory", "py_interpreter_path": "Python interpreter"}
"""What the model sees of the place where a command ran."""
KINDS: Final = (
    "SystemPromptEvent",
    "MessageEvent",
    "ActionEvent",
    "ObservationEvent",
    "AgentErrorEvent",
    "UserRejectObservation",
    "Condensation",
    "CondensationRequest",
    "ConversationStateUpdateEvent",
)
RESULTS: Final = ("ObservationEvent", "AgentErrorEvent", "UserRejectObservation")
NO_CALLS: Final = ("message", "system", *UNSENT)
"""Actions that no observation answers."""
SOURCELESS: Final = ({"observation", "content", "extras"}, {"action", "args"})
"""Fields of the events that name no source."""
SOURCELESS_ROOMS: Final = frozenset({"source", "args", "extras"})
"""Fields of which every event has one, but for those of the oldest histories."""


def recognise(source: Source) -> bool:
    """Whether the file holds events of OpenHands."""
    return any(_is_event(event) for _, events in _runs(source) for _, event in events[:20])


def _is_event(event: Json) -> bool:
    if not isinstance(event, Mapping) or not isinstance(event.get("source"), str):
        return isinstance(event, Mapping) and any(fields <= event.keys() for fields in SOURCELESS)
    return event.get("kind") in KINDS or any(isinstance(event.get(name), str) for name in OLDER)


def _runs(source: Source) -> Iterator[tuple[int, Sequence[tuple[int, Json]]]]:
    """The runs of a file: each with its line, and its events with theirs."""
    held = source.document
    if isinstance(held, Mapping):
        held = held.get("history", held.get("events"))
    if isinstance(held, list):
        inner = held is not source.document
        yield 1, list(_linked(((line, _whole(one) if inner else one) for line, one in enumerate(held, 1))))
        return
    loose: list[tuple[int, Json]] = []
    for line, record in source.records:
        history = record.get("history")
        if isinstance(history, list):
            yield line, list(_linked((line, _whole(event)) for event in history))
        else:
            loose.append((line, record))
    yield 0, list(_linked(loose))


def _whole(event: Json) -> Json:
    """An event of the oldest histories, whose arguments stand beside its action, as they stand in later ones."""
    if not isinstance(event, Mapping) or not SOURCELESS_ROOMS.isdisjoint(event):
        return event
    name, room = ("action", "args") if isinstance(event.get("action"), str) else ("observation", "extras")
    if not isinstance(event.get(name), str):
        return event
    told = {name: event[name], "content": event.get("content", "")} if room == "extras" else {name: event[name]}
    return {**told, room: {key: value for key, value in event.items() if key != name}}


def _sourced(events: Iterable[tuple[int, Json, Json]]) -> Iterator[tuple[int, Json, Json]]:
    """The events, each message with a source: without one it is the user's if it is first or answers the agent's."""
    awaited = True
    for line, one, event in events:
        action = mapping(event).get("action")
        if action == "message" and "source" not in event:
            yield line, one, {**event, "source": "user" if awaited else "agent"}
            awaited = not awaited
        else:
            awaited = awaited and action in (None, "null")
            yield line, one, event


def _linked(events: Iterable[tuple[int, Json]]) -> Iterator[tuple[int, Json]]:
    """The events one by one, out of pairs of an action and its observation too, which the oldest files hold.

    Where events have no ids, each gets its number, and an observation names the action before it as its cause.
    """
    flat = _sourced((line, one, event) for line, one in events for event in (one if isinstance(one, list) else [one]))
    called: Json = None
    for number, (line, one, event) in enumerate(flat):
        if not isinstance(event, Mapping) or ("id" in event and one is event):
            yield line, event
            continue
        linked = {"id": f"{line}-{number}", **event}
        if isinstance(event.get("action"), str):
            is_call = event.get("source") != "user" and event["action"] not in NO_CALLS
            called = linked["id"] if is_call else None
        elif called is not None and event.get("cause") is None:
            linked["cause"] = called
        yield line, linked


def read(source: Source) -> Transcript:
    """Read the runs; what is no event is skipped and counted."""
    builder = TranscriptBuilder(source.damaged)
    told: dict[str, Json] = {}
    for _, events in _runs(source):
        if not events:
            continue
        builder.start_conversation()
        newer = any(isinstance(event, Mapping) and event.get("kind") in KINDS for _, event in events)
        run = KindEvents(builder) if newer else Events(builder)
        builder.read_each(events, run.add)
        told |= {name: value for name, value in run.told.items() if value is not None}
    return builder.transcript(NAME, **told)


class OpenHandsRun:
    """The events of one run so far: responses by their id, and the forgetting of old events, in both forms."""

    def __init__(self, builder: TranscriptBuilder) -> None:
        self.builder = builder
        self.told: dict[str, Any] = {}
        """The system prompt, the tools and the version, where the run has them."""
        self.by_hand = False
        self._answers: dict[str, TranscriptResponse] = {}
        self._kept: dict[int, tuple[Json, MessageNode]] = {}
        """The messages that no condensation forgot, by identity, each with the id of its first event."""

    def add(self, line: int, event: Json) -> None:
        """Read the next event. Raises InvalidInput."""
        if not isinstance(event, Mapping):
            raise InvalidInput("no event")
        self.builder.time = moment(event.get("timestamp"))
        node = self.take(line, event)
        if node is not None:
            self._kept.setdefault(id(node), (event.get("id"), node))

    def take(self, line: int, event: Given) -> MessageNode | None:
        """The message that an event becomes or is part of; None for others. Raises InvalidInput."""
        raise NotImplementedError

    def answered(self, line: int, name: str | None, blocks: Sequence[Block], **told: Any) -> TranscriptResponse:
        """The response of this id, with these blocks; of one that is known already only what it lacks."""
        known = self._answers.get(name) if name else None
        answer = known or self.builder.add_response(line, **told)
        if name:
            self._answers[name] = answer
        self.builder.add_blocks(answer, blocks)
        return answer

    def is_known(self, name: str | None) -> bool:
        """Whether the response of this id was met before."""
        return name in self._answers

    def forget(self, line: int, event: Given) -> MessageNode | None:
        """A condensation: what was forgotten leaves for good, and one summary replaces all that left."""
        is_forgotten = _forgotten_by(event)
        self._kept = {
            key: (name, node)
            for key, (name, node) in self._kept.items()
            if not node.marks.summary and not is_forgotten(name)
        }
        kept = [node for _, node in self._kept.values()]
        kind: CompactionKind = "manual" if self.by_hand else "auto"
        self.by_hand = False
        self.builder.nodes.append(CompactionMark(line, kind, opening=kept, time=self.builder.time))
        summary, index = string(event.get("summary")), event.get("summary_offset")
        if not summary:
            return None
        entry = self.builder.add_message(line, [text_block(summary)], SUMMARY)
        kept.insert(index if type(index) is int and 0 <= index <= len(kept) else 0, entry)
        return entry


class Events(OpenHandsRun):
    """Events of the older form: actions, and observations that name what caused them."""

    def take(self, line: int, event: Given) -> MessageNode | None:
        """The message that an event becomes or is part of. Raises InvalidInput."""
        action = event.get("action")
        if isinstance(action, str):
            return self._act(line, action, event)
        if isinstance(event.get("observation"), str):
            return self._observe(line, str(event["observation"]), event)
        self.builder.left_out["unknown events"] += 1
        return None

    def _act(self, line: int, action: str, event: Given) -> MessageNode | None:
        args = mapping(event.get("args"))
        if action == "system":
            self.told |= {
                "system": string(args.get("content")),
                "tools": anthropic_tools(args.get("tools")),
                "version": string(args.get("openhands_version")),
            }
        elif action == "condensation":
            return self.forget(line, args)
        elif action in UNSENT:
            self.by_hand = self.by_hand or action == "condensation_request"
            self.builder.left_out[action] += 1
        elif event.get("source") == "user":
            return self._user(line, action, args)
        else:
            return self._answer(line, action, event, args)
        return None

    def _user(self, line: int, action: str, args: Given) -> MessageNode:
        """The user's words, or a command that the user ran: that begins no turn."""
        if action != "message":
            return self.builder.add_message(line, [text_block(f"{action}: {args.get('command')}")], SYNTHETIC)
        images = args.get("image_urls")
        media = [image_of(url) for url in images] if isinstance(images, list) else []
        blocks = [*content_blocks(args.get("content")), *(block for block in media if block is not None)]
        return self.builder.add_message(line, blocks, PLAIN)

    def _answer(self, line: int, action: str, event: Given, args: Given) -> MessageNode:
        """An action of the agent: part of the response that the event carries whole, or alone."""
        response = mapping(event.get("tool_call_metadata")).get("model_response")
        name = string(mapping(response).get("id"))
        if self.is_known(name):
            return self.answered(line, name, [])
        message = first_message(response)
        blocks = [*content_blocks(message.get("content")), *tool_calls(message.get("tool_calls"))]
        return self.answered(line, name, blocks or _alone(line, action, event, args), **_told_by(response))

    def _observe(self, line: int, kind: str, event: Given) -> MessageNode | None:
        """What came of an action; what came of none is of the harness."""
        content = str(event.get("content") or "")
        call = string(mapping(event.get("tool_call_metadata")).get("tool_call_id"))
        cause = event.get("cause")
        if kind == "recall":
            return self._recalled(line, mapping(event.get("extras")))
        if kind in ("agent_state_changed", "null"):
            self.builder.left_out[kind] += 1
            return None
        if call is None and (kind == "error" or cause is None):
            return self.builder.add_message(line, content_blocks(content), SYNTHETIC)
        self.told.setdefault("folder", string(_about(event).get("working_dir")))
        told = _ran(content, event) if kind == "run" else content
        self.builder.add_result(line, call or f"event-{cause}", told, failed=_failed(kind, content, event))
        return None

    def _recalled(self, line: int, extras: Given) -> MessageNode:
        """What was looked up for the prompt before."""
        knowledge = extras.get("microagent_knowledge")
        texts = [*(extras.get(name) for name in RECALLED), *(item.get("content") for item in objects(knowledge))]
        blocks = [text_block(text) for text in texts if isinstance(text, str) and text.strip()]
        if not blocks:
            self.builder.left_out["recall"] += 1
        return self.builder.add_message(line, blocks, SYNTHETIC)


def _alone(line: int, action: str, event: Given, args: Given) -> list[Block]:
    """An action of the agent without the response it was part of: its words, or its thought and a call."""
    if action == "message":
        return content_blocks(args.get("content"))
    given = {name: value for name, value in args.items() if name not in ABOUT}
    call = call_block(f"event-{event.get('id', line)}", action, given)
    return [*content_blocks(string(args.get("thought")) or ""), call]


def _about(event: Given) -> Given:
    """What an observation says of the command that ran."""
    return mapping(mapping(event.get("extras")).get("metadata"))


def _ran(content: str, event: Given) -> str:
    """What came of a command as the model was told it: with where it ran, and how it ended."""
    about = _about(event)
    told = [f"{about.get('prefix') or ''}{content}{about.get('suffix') or ''}"]
    told += [f"[{label}: {about[name]}]" for name, label in SURROUNDINGS.items() if about.get(name)]
    code = about.get("exit_code")
    return "\n".join([*told, f"[Command finished with exit code {code}]"] if type(code) is int and code >= 0 else told)


def _failed(kind: str, content: str, event: Given) -> bool:
    """Whether an observation reports a failure: by its kind, its beginning, or the exit code of a command."""
    extras = mapping(event.get("extras"))
    code = mapping(extras.get("metadata")).get("exit_code", extras.get("exit_code"))
    return kind == "error" or content.startswith("ERROR:") or (type(code) is int and code != 0)


def _told_by(response: Json) -> dict[str, Any]:
    """Usage, model and time of a whole response of the API."""
    given = mapping(response)
    model = string(given.get("model"))
    return {
        "usage": measured("openai", given.get("usage"), model),
        "model": model,
        "time": moment(given.get("created")),
    }


class KindEvents(OpenHandsRun):
    """Events of the newer form: each names its kind."""

    def take(self, line: int, event: Given) -> MessageNode | None:
        """The message that an event becomes or is part of. Raises InvalidInput."""
        kind = str(event.get("kind"))
        if kind == "MessageEvent":
            return self._message(line, event)
        if kind == "ActionEvent":
            return self._action(line, event)
        if kind == "Condensation":
            return self.forget(line, event)
        if kind in RESULTS:
            self._result(line, kind, event)
        elif kind == "SystemPromptEvent":
            self.told |= {"system": _texts(event.get("system_prompt")), "tools": anthropic_tools(event.get("tools"))}
        else:
            self.by_hand = self.by_hand or kind == "CondensationRequest"
            self.builder.left_out[kind] += 1
        return None

    def _message(self, line: int, event: Given) -> MessageNode:
        message = mapping(event.get("llm_message"))
        blocks = [*content_blocks(message.get("content")), *content_blocks(event.get("extended_content"))]
        if message.get("role") == "assistant":
            return self.answered(line, string(event.get("llm_response_id")), blocks)
        return self.builder.add_message(line, blocks, PLAIN if event.get("source") == "user" else SYNTHETIC)

    def _action(self, line: int, event: Given) -> MessageNode:
        """One call of a response; its words and its thoughts stand with the first."""
        name = string(event.get("llm_response_id"))
        first = not self.is_known(name)
        thought = string(event.get("reasoning_content"))
        words: list[Block] = [thinking_block(thought)] if first and thought else []
        words += content_blocks(event.get("thought")) if first else []
        call = mapping(event.get("tool_call"))
        function = mapping(call.get("function")) or call
        known = string(event.get("tool_call_id")) or string(call.get("id")) or f"event-{event.get('id', line)}"
        tool = string(event.get("tool_name")) or string(function.get("name")) or "unknown"
        given = arguments(function.get("arguments"))
        return self.answered(line, name, [*words, call_block(known, tool, given)])

    def _result(self, line: int, kind: str, event: Given) -> None:
        told = mapping(event.get("observation"))
        call = string(event.get("tool_call_id")) or f"event-{event.get('action_id')}"
        text = string(event.get("error")) or string(event.get("rejection_reason"))
        content = told.get("content", told.get("output"))
        if text is None:
            text = text_of(content) if isinstance(content, str | list) else json.dumps(told, ensure_ascii=False)
        failed = kind != "ObservationEvent" or told.get("is_error") is True
        self.builder.add_result(line, call, text, failed=failed)


def _texts(given: Json) -> str | None:
    return string(given.get("text")) if isinstance(given, Mapping) else string(given)


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
    tools = [tool.get("function", tool) for tool in objects(given)]
    named = [tool for tool in tools if isinstance(tool, Mapping) and isinstance(tool.get("name"), str)]
    return [_tool(tool) for tool in named] or None


def _tool(given: Given) -> Block:
    """One definition: the API wants a schema, and a description only where there is one."""
    about, schema = given.get("description"), given.get("parameters")
    tool: Block = {"name": given["name"], "description": about} if isinstance(about, str) else {"name": given["name"]}
    return {**tool, "input_schema": schema if isinstance(schema, Mapping) else {"type": "object"}}
