"""An answer in aider's chat history: what the model thought aloud, and its words."""

from __future__ import annotations

import re
from typing import Final

from brim.transcripts.blocks import Block, text_block, thinking_block

THOUGHT: Final = re.compile(r"<(thinking-content-\w+)>(.*?)</\1>|► \*\*THINKING\*\*(.*?)► \*\*ANSWER\*\*", re.DOTALL)
"""The two ways in which aider sets reasoning apart."""


def answer_blocks(text: str) -> list[Block]:
    """An answer's thoughts and its words."""
    thoughts = [(found[2] or found[3] or "").strip() for found in THOUGHT.finditer(text)]
    words = THOUGHT.sub("", text).strip() if thoughts else text
    said = [text_block(words)] if words else []
    return [*(thinking_block(thought) for thought in thoughts if thought), *said]
