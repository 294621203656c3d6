"""Conversations in a line: `user, A Read 70,000, user "Go on.", B+C 500 pinned`.

| item            | is                                                                                    |
| --------------- | ------------------------------------------------------------------------------------- |
| user, assistant | a message with words; `user "Go on."` with these, `user 300` with so many tokens       |
| system          | a message of the system                                                               |
| thought         | a message of the assistant with thinking alone                                        |
| harness         | a message that a harness wrote in the user's name                                      |
| summary, ...    | what brim writes: `summary "All went well."`, `interruption`, `continuation "results"` |
| A, B7           | a call, and its completed output; `call A` or `result A` is one without the other      |
| A+B, user+A     | calls and outputs in one message; an output in a message of the user, or before it      |
| 6 turns of 500  | turns with a request, a call (A1 to A6) with these words and an answer; `6 turns`: of 1 |
| nothing         | no message                                                                             |

Words behind a call: its tool (Read); its output (70,000 tokens, 5 characters, 1 image, "a file"); what came of it
(failed, running, pending); cleared, cached, thinking (before the call), searched (run by the provider), loose (no
output), bare (without tool and size); interrupted (an error that brim put there), moved (put there by brim). Behind any
message: pinned, summary, checkpoint, error, aborted; thinking, silent (no words), #1 (a part of the response 1). The
words behind the last of several calls are about the size of each.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from brim.conversation.messages import (
    CLOSING,
    CONTINUATION,
    PLAIN,
    SUMMARY,
    SUMMARY_OPENING,
    SUMMARY_QUESTION,
    SYNTHETIC,
    UNSEEN,
    Marks,
    Message,
    Text,
    read_message,
    user_text,
)
from brim.pruning.tool_outputs import PLACEHOLDER
from steps.worlds.notation import Unread

WORDS = "Words that do not matter."
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "aaaa"}}
MARKS = {"aborted", "checkpoint", "error", "pinned", "summary"}
INTERRUPTED = "[Tool execution was interrupted]"
STATES = {"failed": "error", "running": "running", "pending": "pending"}
FLAGS = {
    *MARKS,
    *STATES,
    "bare",
    "cached",
    "cleared",
    "interrupted",
    "loose",
    "moved",
    "searched",
    "silent",
    "thinking",
}
TOOLS = {"AskUserQuestion", "Bash", "Edit", "Grep", "Read", "WebFetch", "Write", "question", "skill", "skills"}
"""Tools that a line may name; a word that is none of these is an error, so that no slip passes as a tool."""
SPEAKERS = {"user", "assistant", "harness", "system"}


def _written(text: str, marks: Marks) -> Message:
    return Message("assistant", (Text(text),), {"role": "assistant", "content": text}, marks)


BRIMS = {
    "summary": lambda text: user_text(f"{SUMMARY_OPENING}\n\n{text}", SUMMARY),
    "question": lambda _: user_text(SUMMARY_QUESTION, SYNTHETIC),
    "answer": lambda text: _written(f"{SUMMARY_OPENING}\n\n{text}", SUMMARY),
    "interruption": lambda _: _written(CLOSING, SYNTHETIC),
    "continuation": lambda text: user_text(f"{UNSEEN}\n\n{text}" if text else CONTINUATION, SYNTHETIC),
}
"""Messages that brim writes into a conversation, with their words behind brim's own line.

`question` and `answer` are the summary in OpenCode's form.
"""
OUTSIDE_QUOTES = r'(?=(?:[^"]*"[^"]*")*[^"]*$)'
NAME = re.compile(r"[A-Z]\d*")
AMOUNT = re.compile(r"(\d[\d,]*)(?: (character|image|token)s?)?$")
SIZES = ("tokens", "text", "characters", "images")

Piece = dict[str, Any]


class Line(tuple[Message, ...]):  # noqa: SLOT001  it has the line besides
    """The messages of a line, with the line itself."""

    text: str

    @classmethod
    def read(cls, text: str) -> Line:
        """Read a line. Raises Unread with the first word that is not of the notation."""
        line = cls(chain.from_iterable(map(_messages, items(text))))
        line.text = text
        return line

    @property
    def raws(self) -> list[dict[str, Any]]:
        """The messages as the dictionaries that a provider gets."""
        return [one.raw for one in self]


def items(line: str) -> Iterator[list[Piece]]:
    """Yield the messages of a line, each as its pieces. Raises Unread."""
    for text in [] if line == "nothing" else re.split(", " + OUTSIDE_QUOTES, line):
        if many := re.fullmatch(r"(\d+) turns(?: of (.+))?", text):
            for number in range(1, int(many[1]) + 1):
                yield from items(f'user "Please go on.", A{number} {many[2] or 1}, assistant "Done."')
        else:
            pieces = [_piece(part) for part in re.split(r"\+" + OUTSIDE_QUOTES, text)]
            shared = {key: pieces[-1][key] for key in SIZES if key in pieces[-1]}
            yield [shared | piece if "name" in piece else piece for piece in pieces]


def _piece(text: str) -> Piece:
    """Return who speaks or which call, with what the words behind it say."""
    found: Piece = {"flags": set(), "whole": "both"}
    words = re.findall(r'"[^"]*"|\d[\d,]*(?: (?:character|image|token)s?)?|\S+', text)
    if words[:1] in (["call"], ["result"]):
        found["whole"] = words.pop(0)
    first = words.pop(0) if words else ""
    if first == "thought":
        found |= {"speaker": "assistant", "flags": {"silent", "thinking"}}
    elif (first in SPEAKERS or first in BRIMS) and found["whole"] == "both":
        found["speaker"] = first
    elif NAME.fullmatch(first):
        found["name"] = first
        if words and words[0] in TOOLS:
            found["tool"] = words.pop(0)
    else:
        speakers = ", ".join(sorted({*SPEAKERS, *BRIMS}))
        raise Unread(f"{first or text!r} is neither a speaker ({speakers}) nor a call such as A or B7")
    for word in words:
        _describe(found, word)
    return found


def _describe(piece: Piece, word: str) -> None:
    """Add what a word behind a speaker or a call says."""
    if word.startswith('"') and len(word) > 1:
        piece["text"] = word[1:-1].replace("\\n", "\n")
    elif amount := AMOUNT.fullmatch(word):
        piece[f"{amount[2] or 'token'}s"] = int(amount[1].replace(",", ""))
    elif re.fullmatch(r"#\d", word):
        piece["response"] = word
    elif word in FLAGS:
        piece["flags"].add(word)
    else:
        raise Unread(f"{word!r} behind its name is none of {', '.join(sorted(FLAGS))}, and no tool behind a call")


def _messages(pieces: list[Piece]) -> Iterator[Message]:
    first, flags = pieces[0], set.union(*(one["flags"] for one in pieces))
    response = next((one["response"] for one in pieces if "response" in one), None)
    of_response = Marks(response=response) if response else PLAIN
    known: dict[str, Any] = dict.fromkeys(MARKS & flags, True) | dict.fromkeys({"error"} & flags, "529")
    marks = replace(of_response, **known)
    speaker = next((one["speaker"] for one in pieces if "speaker" in one), "assistant")
    if speaker in BRIMS:
        yield BRIMS[speaker](first.get("text", ""))
    elif speaker != "assistant":
        content = [block for one in pieces for block in (_said(one) if "speaker" in one else [_half(one)])]
        role = "system" if speaker == "system" else "user"
        yield read_message(
            {"role": role, "content": content}, replace(marks, synthetic=True) if speaker == "harness" else marks
        )
    else:
        results = [_result(one) for one in pieces if "name" in one and one["whole"] != "call" and not _searched(one)]
        said = [block for one in pieces for block in _by_model(one)]
        if said or not results:
            yield read_message({"role": "assistant", "content": said}, of_response if results else marks)
        if results:
            by_brim = {"interrupted", "moved"} & flags
            yield read_message(
                {"role": "user", "content": results}, SYNTHETIC if by_brim else replace(marks, response=None)
            )


def _by_model(piece: Piece) -> list[dict[str, Any]]:
    """Return what of a piece stands in a message of the model."""
    if "speaker" in piece:
        return _said(piece)
    call = [] if piece["whole"] == "result" else [_call(piece, "server_tool_use" if _searched(piece) else "tool_use")]
    return [*_thinking(piece), *call, *([_result(piece)] if _searched(piece) and piece["whole"] != "call" else [])]


def _half(piece: Piece) -> dict[str, Any]:
    """Return what of a piece stands in a message of the user: a result, or a call that has no place there."""
    return _call(piece) if piece["whole"] == "call" else _result(piece)


def _searched(piece: Piece) -> bool:
    return "searched" in piece["flags"]


def _said(piece: Piece) -> list[dict[str, Any]]:
    words = [] if "silent" in piece["flags"] else [{"type": "text", "text": _text(piece)}]
    return [*_thinking(piece), *words, *[IMAGE] * piece.get("images", 0)]


def _thinking(piece: Piece) -> list[dict[str, Any]]:
    return [{"type": "thinking", "thinking": "Hm.", "signature": "signed"}] if "thinking" in piece["flags"] else []


def _found(piece: Piece) -> list[dict[str, Any]]:
    words = "x" * 4 * piece.get("tokens", 0)
    return [{"type": "web_search_result", "title": words, "url": "https://example.com", "encrypted_content": "x"}]


def _text(piece: Piece) -> str:
    return piece.get("text") or "text" * piece.get("tokens", 0) or WORDS


def _call(piece: Piece, kind: str = "tool_use") -> dict[str, Any]:
    return {
        "type": kind,
        "id": piece["name"],
        "name": piece.get("tool", "web_search" if kind == "server_tool_use" else "Bash"),
        "input": {},
    }


def _result(piece: Piece) -> dict[str, Any]:
    if _searched(piece):
        error = {"type": "web_search_tool_result_error", "error_code": "unavailable"}
        content: Any = error if "interrupted" in piece["flags"] else _found(piece)
        return {"type": "web_search_tool_result", "tool_use_id": piece["name"], "content": content}
    if "interrupted" in piece["flags"]:
        return {"type": "tool_result", "tool_use_id": piece["name"], "content": INTERRUPTED, "is_error": True}
    text = piece.get("text", "x" * piece.get("characters", 4 * piece.get("tokens", 0)))
    content = PLACEHOLDER if "cleared" in piece["flags"] else text
    if images := piece.get("images"):
        content = [{"type": "text", "text": text}, *[IMAGE] * images]
    failed = {"is_error": True} if "failed" in piece["flags"] else {}
    cached = {"cache_control": {"type": "ephemeral"}} if "cached" in piece["flags"] else {}
    return {"type": "tool_result", "tool_use_id": piece["name"], "content": content, **failed, **cached}
