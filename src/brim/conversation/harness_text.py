"""Harness text: what a coding agent writes in the user's place, in tags of its own.

Specified by features/conversation/harness_text.feature (CNV_10).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from functools import lru_cache
from typing import Any, Final

from brim.errors import InvalidInput, advisory

COMMAND: Final = ("command-name", "command-args")
"""The tags of a slash command: its name, and what the user wrote after it."""
HARNESS_TAGS: Final = frozenset(
    {
        "SYSTEM_NOTICE",
        "apps_instructions",
        "bash-input",
        "bash-stderr",
        "bash-stdout",
        "collaboration_mode",
        "command-args",
        "command-message",
        "command-name",
        "environment_context",
        "environment_details",
        "environments",
        "file_content",
        "ide_diagnostics",
        "ide_opened_file",
        "ide_selection",
        "local-command-",
        "new-diagnostics",
        "permissions instructions",
        "personality_spec",
        "plugins_instructions",
        "skill",
        "skills_instructions",
        "subagent_notification",
        "system-reminder",
        "task-notification",
        "turn_aborted",
        "user-prompt-submit-hook",
        "user_instructions",
        "user_shell_command",
    }
)
"""Tags that coding agents write in a user's place; one that ends in a hyphen is the beginning of several."""
REFRESHED: Final = re.compile(
    r"(?>\s*<(system-reminder|SYSTEM_NOTICE|environment_context|environment_details)(?:\s[^>]*)?>.*?</\1>\s*)+",
    re.DOTALL,
)
"""Elements that an agent rewrites from request to request, also in messages that it has already sent."""
QUOTING_TAGS: Final = frozenset({COMMAND[1], "collaboration_mode"})
"""Tags that may be named within their element: it ends where a line or the next element does."""
TAG: Final = re.compile(r"[A-Za-z_][\w.:-]*(?: [\w.:-]+)?")
"""The name of a tag; one of Codex's has two words."""


def check_tags(tags: AbstractSet[str]) -> None:
    """Raise InvalidInput for a tag that is no name, such as one with its brackets."""
    for tag in tags:
        if not TAG.fullmatch(tag):
            raise InvalidInput(f"harness_tags holds {tag!r}; a tag is a name without brackets, as system-reminder")


@lru_cache(maxsize=16)
def _element(tags: AbstractSet[str]) -> tuple[re.Pattern[str], re.Pattern[str]]:
    """Return what matches an element with such a tag, up to the nearest closing, and a line of them alone.

    No line within an element begins with its tag again, so that a tag that a user only names takes no words with it.
    """
    names = "|".join(re.escape(tag) + (r"[\w-]+" if tag.endswith("-") else "") for tag in sorted(tags))
    opening, last = rf"[ \t]*<(?:{names})(?:\s[^<>]*)?>", r"(?=[ \t\r]*(?:\n|\Z))"
    quoting = "".join(f"(?<!</{tag}>)" for tag in sorted(QUOTING_TAGS))
    element = (
        rf"(?>[ \t]*<(?P<name>{names})(?:\s[^<>]*)?>(?P<content>(?:(?!\n[ \t]*<(?P=name)(?:\s[^<>]*)?>).)*?)"
        rf"</(?P=name)>(?:{quoting}|{last}|(?={opening})))"
    )
    return re.compile(element, re.DOTALL), re.compile(f"{element}+{last}", re.DOTALL)


LINE: Final = re.compile(r"^(?: {0,3}(`{3,}|~{3,})(.*)|[ \t]*<)", re.MULTILINE)
"""The beginning of a line that may matter: a code fence with what is behind it, or a tag."""


CONTINUED: Final = "This session is being continued from a previous conversation that ran out of context."
"""How every summary of Claude Code begins."""
SEALED_SUMMARY: Final = (
    "[A summary of the earlier conversation stands here. It is encrypted: only its provider can read it.]"
)
"""What brim writes in place of a summary that is encrypted."""
NOTICES: Final = re.compile(
    r"""\A(?:\s*(?:
    Caveat:\ The\ messages\ below\ were\ generated\ by\ the\ user\ while\ running\ local\ commands\.
    (?:\ DO\ NOT\ respond\ to\ these\ messages\ or\ otherwise\ consider\ them\ in\ your\ response
    \ unless\ the\ user\ explicitly\ asks\ you\ to\.)?
    | Base\ directory\ for\ this\ skill:\ [^\n]{0,500}?skills[/\\]\S{1,200}\n\n(?s:.*)
    | \#\ AGENTS\.md\ instructions\ for\ [^\n]+\n\s*<INSTRUCTIONS>(?s:.*?)</INSTRUCTIONS>[ \t]*$
    | Called\ the\ \w+\ tool\ with\ the\ following\ input:\ \{(?:[^"{}\n]|"(?:[^"\\\n]|\\.)*")*\}[ \t]*$
    | <path>[^<\n]*</path>\n<type>\w+</type>\n<(content|entries)>(?:[^\n]*|(?s:.*?)\n)</\1>[ \t]*$
    ))+""",
    re.MULTILINE | re.VERBOSE,
)
"""The texts that Claude Code, Codex and OpenCode put into a user's message without a tag of their own, to their ends.

A skill has no end but the text's. A line within a file's content is numbered, so that it cannot be the closing tag.
"""
TASK_OUTPUT: Final = re.compile(r"\s*Read the output file to retrieve the result: \S+[ \t]*$", re.MULTILINE)
"""What Claude Code writes behind the end of a background task."""
INTERRUPTION: Final = re.compile(r"\A\s*\[Request interrupted by user[^]\n]*\]\s*")
"""What Claude Code writes where the user interrupted the model; what follows it is the user's."""


DECLINED_WITH: Final = re.compile(
    r"The user doesn't want to proceed with this tool use\.[^\n]*? the user said:(?!\s*The user wants to clarify these)"
    r"|The user rejected permission to use this specific tool call with the following feedback:"
)
"""How Claude Code and OpenCode report a call that the user declined, before the user's words to it."""
DECLINED_NOTE: Final = "\n\nNote: The user's next message may contain a correction or preference."
"""What Claude Code writes behind these words."""
ANSWERS_ENDS: Final = (". You can now continue with ", ". Read the answers carefully")
"""What Claude Code and OpenCode write behind the user's answers to questions, each of which stands behind its own."""
PREVIEW, NOTES = '" selected preview:\n', " user notes: "
"""What follows an answer: what the user was shown of it, and what the user wrote to it."""
ASKING_TOOLS: Final = frozenset({"AskUserQuestion", "question"})
"""The tools of Claude Code and OpenCode that ask the user."""


@advisory("the user's words in results of tools", lambda *_, **__: "")
def words_in_result(name: str, given: Mapping[str, Any], output: str, *, failed: bool) -> str:
    """Return what a person wrote in a tool's result: words to a call that was declined, or answers to questions."""
    if failed:
        declined = DECLINED_WITH.match(output)
        words = output[declined.end() :] if declined else ""
        return (words.rpartition(DECLINED_NOTE)[0] or words).strip()
    if name not in ASKING_TOOLS:
        return ""
    end = max(output.rfind(end) for end in ANSWERS_ENDS)
    return "\n".join(_answers(output[:end] if end > 0 else output, given.get("questions")))


def _answers(output: str, questions: object) -> Iterator[str]:
    """Yield the answers, and the notes that the user added to them, each in quotes behind its question."""
    asked = [one.get("question") for one in questions if isinstance(one, Mapping)] if type(questions) is list else []
    openings = {f'"{question}"="' for question in asked}
    found = sorted((output.find(opening), len(opening)) for opening in openings if opening in output)
    stops = [*(start for start, _ in found[1:]), len(output)]
    for (start, length), stop in zip(found, stops, strict=False):  # without an answer there is one stop all the same
        answer = output[start + length : stop].removesuffix(", ")
        choice, preview, shown = answer.partition(PREVIEW)
        choice, _, notes = (choice, *shown.rpartition(NOTES)[1:]) if preview else answer.partition(f'"{NOTES}')
        yield from filter(None, (choice.removesuffix('"').strip(), notes.strip()))


@advisory("harness text", lambda text, *_: text)
def words_of_user(text: str, tags: AbstractSet[str] = HARNESS_TAGS) -> str:
    """Return what a person wrote of a text; empty where a harness wrote all of it, the same object where none.

    Elements with these tags that begin and end a line outside fenced code are left out, and of a slash command its name
    and its arguments stay.
    """
    if text.startswith(CONTINUED) or text == SEALED_SUMMARY:
        return ""
    if "[Request interrupted" in text:
        text = INTERRUPTION.sub("", text)
    if notices := NOTICES.match(text):
        text = text[notices.end() :]
    return _without_harness(text, tags) if tags and "<" in text else text


def _without_harness(text: str, tags: AbstractSet[str]) -> str:
    """Return the text without its elements; a command becomes its name and arguments, where it has any."""
    element, elements = _element(tags)
    rest: list[str] = []
    command, fence, end = "", "", 0
    for line in LINE.finditer(text):
        if line.start() < end:
            continue
        if line[1]:
            fence = _fence(fence, line[1], line[2])
        elif not fence and (whole := elements.match(text, line.start())):
            rest.append(text[end : line.start()])
            end = whole.end()
            for one in element.finditer(text, line.start(), end):
                name, content = one["name"], one["content"].strip()
                if name == COMMAND[0]:
                    command = content
                elif name == COMMAND[1] and content:
                    rest.append(f"{command} {content}".lstrip())
                    command = ""
                elif name == "task-notification" and (output := TASK_OUTPUT.match(text, one.end())):
                    end = output.end()
    return "".join([*rest, text[end:]]) if end else text


def _fence(open_fence: str, marks: str, info: str) -> str:
    """Return the marks of the fence that is open behind a line of marks, as CommonMark has it; empty without one."""
    if open_fence:
        return "" if marks.startswith(open_fence) and not info.strip() else open_fence
    return "" if marks[0] == "`" and "`" in info else marks


def is_refreshed_text(text: str) -> bool:
    """Return whether a text is only reminders and states of the environment, which change from request to request."""
    return REFRESHED.fullmatch(text) is not None


def without_elements(text: str, tags: re.Pattern[str]) -> str:
    """Return the text without its elements, each from an opening to the nearest closing of its name.

    Args:
        text: may hold openings that are never closed; they stay.
        tags: finds an opening or a closing: its groups are the slash, empty in an opening, and the name.
    """
    found = [(tag, bool(tag[1]), tag[2].lower()) for tag in tags.finditer(text)]
    last_closings = {name: tag.start() for tag, closes, name in found if closes}
    rest: list[str] = []
    start, opened = 0, ""
    for tag, closes, name in found:
        if not (opened or closes) and tag.start() < last_closings.get(name, 0):
            rest.append(text[start : tag.start()])
            opened = name
        elif closes and name == opened:
            start, opened = tag.end(), ""
    return "".join([*rest, text[start:]])
