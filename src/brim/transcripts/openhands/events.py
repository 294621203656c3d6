"""Events of the older form: actions, and observations that name what caused them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from brim.conversation.messages import PLAIN, SYNTHETIC
from brim.transcripts.blocks import Block, Given, call_block, image_of, text_block
from brim.transcripts.chat_completions import content_blocks, first_message, told_by, tool_calls
from brim.transcripts.decoding import Json, string
from brim.transcripts.openhands.run import Run, anthropic_tools
from brim.transcripts.said import Said

RECALLED: Final = ("repo_instructions", "additional_agent_instructions", "conversation_instructions")
UNSENT: Final = ("change_agent_state", "recall", "null", "condensation_request", "start_hook")
"""Actions that never were a message."""
ABOUT: Final = frozenset({"thought", "is_input", "blocking", "hidden", "confirmation_state", "security_risk"})
"""What an action holds beside what a tool was given."""
SURROUNDINGS: Final = {"working_dir": "Current working directory", "py_interpreter_path": "Python interpreter"}
"""What the model is told of the place where a command ran."""


class Events(Run):
    """The events of one run so far."""

    def take(self, line: int, event: Given) -> Said | None:
        """The message that an event becomes or is part of. Raises InvalidInput."""
        action = event.get("action")
        if isinstance(action, str):
            return self._act(line, action, event)
        if isinstance(event.get("observation"), str):
            return self._observe(line, str(event["observation"]), event)
        self.dialogue.left_out["unknown events"] += 1
        return None

    def _act(self, line: int, action: str, event: Given) -> Said | None:
        args = _mapping(event.get("args"))
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
            self.dialogue.left_out[action] += 1
        elif event.get("source") == "user":
            return self._user(line, action, args)
        else:
            return self._answer(line, action, event, args)
        return None

    def _user(self, line: int, action: str, args: Given) -> Said:
        """The user's words, or a command that the user ran: that begins no turn."""
        if action != "message":
            return self.dialogue.say(line, [text_block(f"{action}: {args.get('command')}")], SYNTHETIC)
        images = args.get("image_urls")
        media = [image_of(url) for url in images] if isinstance(images, list) else []
        blocks = [*content_blocks(args.get("content")), *(block for block in media if block is not None)]
        return self.dialogue.say(line, blocks, PLAIN)

    def _answer(self, line: int, action: str, event: Given, args: Given) -> Said:
        """An action of the agent: part of the response that the event carries whole, or alone."""
        response = _mapping(event.get("tool_call_metadata")).get("model_response")
        name = string(_mapping(response).get("id"))
        if self.is_known(name):
            return self.answered(line, name, [])
        message = first_message(response)
        blocks = [*content_blocks(message.get("content")), *tool_calls(message.get("tool_calls"))]
        return self.answered(line, name, blocks or _alone(line, action, event, args), told_by(response))

    def _observe(self, line: int, kind: str, event: Given) -> Said | None:
        """What came of an action; what came of none is of the harness."""
        content = str(event.get("content") or "")
        call = string(_mapping(event.get("tool_call_metadata")).get("tool_call_id"))
        cause = event.get("cause")
        if kind == "recall":
            return self._recalled(line, _mapping(event.get("extras")))
        if kind in ("agent_state_changed", "null"):
            self.dialogue.left_out[kind] += 1
            return None
        if call is None and (kind == "error" or cause is None):
            return self.dialogue.say(line, content_blocks(content), SYNTHETIC)
        self.told.setdefault("folder", string(_about(event).get("working_dir")))
        told = _ran(content, event) if kind == "run" else content
        self.dialogue.result(line, call or f"event-{cause}", told, failed=_failed(kind, content, event))
        return None

    def _recalled(self, line: int, extras: Given) -> Said:
        """What was looked up for the prompt before."""
        knowledge = extras.get("microagent_knowledge")
        items = [item for item in knowledge if isinstance(item, Mapping)] if isinstance(knowledge, list) else []
        texts = [*(extras.get(name) for name in RECALLED), *(item.get("content") for item in items)]
        blocks = [text_block(text) for text in texts if isinstance(text, str) and text.strip()]
        if not blocks:
            self.dialogue.left_out["recall"] += 1
        return self.dialogue.say(line, blocks, SYNTHETIC)


def _mapping(given: Json) -> Given:
    return given if isinstance(given, Mapping) else {}


def _alone(line: int, action: str, event: Given, args: Given) -> list[Block]:
    """An action of the agent without the response it was part of: its words, or its thought and a call."""
    if action == "message":
        return content_blocks(args.get("content"))
    given = {name: value for name, value in args.items() if name not in ABOUT}
    call = call_block(f"event-{event.get('id', line)}", action, given)
    return [*content_blocks(string(args.get("thought")) or ""), call]


def _about(event: Given) -> Given:
    """What an observation tells of the command that ran."""
    return _mapping(_mapping(event.get("extras")).get("metadata"))


def _ran(content: str, event: Given) -> str:
    """What came of a command as the model was told it: with where it ran, and how it ended."""
    about = _about(event)
    told = [f"{about.get('prefix') or ''}{content}{about.get('suffix') or ''}"]
    told += [f"[{label}: {about[name]}]" for name, label in SURROUNDINGS.items() if about.get(name)]
    code = about.get("exit_code")
    return "\n".join([*told, f"[Command finished with exit code {code}]"] if type(code) is int and code >= 0 else told)


def _failed(kind: str, content: str, event: Given) -> bool:
    """Whether an observation tells of a failure: by its kind, its beginning, or the exit code of a command."""
    extras = _mapping(event.get("extras"))
    code = _mapping(extras.get("metadata")).get("exit_code", extras.get("exit_code"))
    return kind == "error" or content.startswith("ERROR:") or (type(code) is int and code != 0)
