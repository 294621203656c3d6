"""Events of the newer form: each names its kind."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Final

from brim.conversation.messages import PLAIN, SYNTHETIC
from brim.transcripts.blocks import Block, Given, arguments, call_block, thinking_block
from brim.transcripts.chat_completions import content_blocks, text_of
from brim.transcripts.decoding import Json, string
from brim.transcripts.openhands.run import Run, anthropic_tools
from brim.transcripts.said import Said

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


class KindEvents(Run):
    """The events of one run so far."""

    def take(self, line: int, event: Given) -> Said | None:
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
            self.dialogue.left_out[kind] += 1
        return None

    def _message(self, line: int, event: Given) -> Said:
        message = _mapping(event.get("llm_message"))
        blocks = [*content_blocks(message.get("content")), *content_blocks(event.get("extended_content"))]
        if message.get("role") == "assistant":
            return self.answered(line, string(event.get("llm_response_id")), blocks)
        return self.dialogue.say(line, blocks, PLAIN if event.get("source") == "user" else SYNTHETIC)

    def _action(self, line: int, event: Given) -> Said:
        """One call of a response; its words and its thoughts stand with the first."""
        name = string(event.get("llm_response_id"))
        first = not self.is_known(name)
        thought = string(event.get("reasoning_content"))
        words: list[Block] = [thinking_block(thought)] if first and thought else []
        words += content_blocks(event.get("thought")) if first else []
        call = _mapping(event.get("tool_call"))
        function = _mapping(call.get("function")) or call
        known = string(event.get("tool_call_id")) or string(call.get("id")) or f"event-{event.get('id', line)}"
        tool = string(event.get("tool_name")) or string(function.get("name")) or "unknown"
        given = arguments(function.get("arguments"))
        return self.answered(line, name, [*words, call_block(known, tool, given)])

    def _result(self, line: int, kind: str, event: Given) -> None:
        told = _mapping(event.get("observation"))
        call = string(event.get("tool_call_id")) or f"event-{event.get('action_id')}"
        text = string(event.get("error")) or string(event.get("rejection_reason"))
        content = told.get("content", told.get("output"))
        if text is None:
            text = text_of(content) if isinstance(content, str | list) else json.dumps(told, ensure_ascii=False)
        failed = kind != "ObservationEvent" or told.get("is_error") is True
        self.dialogue.result(line, call, text, failed=failed)


def _mapping(given: Json) -> Given:
    return given if isinstance(given, Mapping) else {}


def _texts(given: Json) -> str | None:
    return string(given.get("text")) if isinstance(given, Mapping) else string(given)
