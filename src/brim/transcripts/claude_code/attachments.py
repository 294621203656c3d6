"""Attachments of Claude Code: what it put before the model beside the conversation (files, memory, hooks, notices).

From version 2.1.92 on they are records of their own. Their text is carried where the record holds it; the wording
around it is not recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, TypeAlias

from brim.conversation.messages import PLAIN, SYNTHETIC, Marks
from brim.transcripts.decoding import Json
from brim.transcripts.harness import is_notice, remind

Attachment: TypeAlias = Mapping[str, Json]


def attached(attachment: Attachment) -> tuple[str | list[Json], Marks] | None:
    """The content of the user message that an attachment became, and its marks; None where its text is not known."""
    if attachment.get("type") == "queued_command":
        return _queued(attachment)
    reader = TEXTS.get(str(attachment.get("type")))
    text = reader(attachment) if reader is not None else ""
    return (remind(text), SYNTHETIC) if text.strip() else None


def _queued(attachment: Attachment) -> tuple[str | list[Json], Marks] | None:
    """A prompt typed ahead is the user's own; a notice that queued like one is not."""
    prompt = attachment.get("prompt")
    if not isinstance(prompt, str | list) or not prompt:
        return None
    return prompt, PLAIN if _is_human(attachment, prompt) else SYNTHETIC


def _is_human(attachment: Attachment, prompt: str | list[Json]) -> bool:
    if isinstance(prompt, str) and is_notice(prompt):
        return False
    origin = attachment.get("origin")
    if isinstance(origin, Mapping):
        return bool(origin.get("kind") == "human")
    return attachment.get("commandMode") == "prompt" and not attachment.get("isMeta")


def _text(value: Json) -> str:
    """A text, or a list of texts as one."""
    if isinstance(value, list):
        return "\n".join(item for item in value if isinstance(item, str))
    return value if isinstance(value, str) else ""


def _within(value: Json, name: str) -> Json:
    return value.get(name) if isinstance(value, Mapping) else None


def _file(attachment: Attachment) -> str:
    return _text(_within(_within(attachment.get("content"), "file"), "content"))


def _skills(attachment: Attachment) -> str:
    skills = attachment.get("skills")
    return _text([_text(_within(skill, "content")) for skill in skills]) if isinstance(skills, list) else ""


TEXTS: Final[dict[str, Callable[[Attachment], str]]] = {
    "file": _file,
    "compact_file_reference": lambda attachment: _text(attachment.get("filename")),
    "nested_memory": lambda attachment: _text(_within(attachment.get("content"), "content")),
    "edited_text_file": lambda attachment: _text(attachment.get("snippet")),
    "hook_additional_context": lambda attachment: _text(attachment.get("content")),
    "hook_success": lambda attachment: _text(attachment.get("content")),
    "skill_listing": lambda attachment: _text(attachment.get("content")),
    "invoked_skills": _skills,
    "deferred_tools_delta": lambda attachment: _text(attachment.get("addedLines")),
    "agent_listing_delta": lambda attachment: _text(attachment.get("addedLines")),
    "mcp_instructions_delta": lambda attachment: _text(attachment.get("addedBlocks")),
}
"""Where which kind of attachment holds the text that was sent."""
