"""An answer in aider's chat history: what the model thought aloud, and its words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from brim.transcripts.blocks import Block, text_block, thinking_block

MARK: Final = re.compile(r"<(?P<end>/?)(?P<tag>thinking-content-\w+)>|► \*\*(?P<word>THINKING|ANSWER)\*\*")
"""Begins or ends reasoning, in the two ways in which aider sets it apart."""


def answer_blocks(text: str) -> list[Block]:
    """An answer's thoughts and its words."""
    thoughts: list[str] = []
    words: list[str] = []
    position = 0
    for opening, closing in _thoughts(text):
        thoughts.append(text[opening.end() : closing.start()].strip())
        words.append(text[position : opening.start()])
        position = closing.end()
    rest = "".join([*words, text[position:]])
    said = rest.strip() if thoughts else rest
    return [*(thinking_block(thought) for thought in thoughts if thought), *([text_block(said)] if said else [])]


def _thoughts(text: str) -> Iterator[tuple[re.Match[str], re.Match[str]]]:
    """The marks around each thought: an opening, and the next mark that closes it."""
    closing: dict[str | None, re.Match[str]] = {}
    pairs: list[tuple[re.Match[str], re.Match[str]]] = []
    for mark in reversed([*MARK.finditer(text)]):
        if mark["end"] or mark["word"] == "ANSWER":
            closing[mark["tag"]] = mark
        elif mark["tag"] in closing:
            pairs.append((mark, closing[mark["tag"]]))
    position = 0
    for first, last in reversed(pairs):
        if first.start() >= position:
            yield first, last
            position = last.end()
