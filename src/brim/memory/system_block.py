"""System block: the text of the memory files as the last block of a system prompt.

Specified by features/memory/system_block.feature (MEM_04).
"""

from __future__ import annotations

from typing import Any, Final

from brim.conversation.messages import CACHE_MARK

EPHEMERAL: Final = {"type": "ephemeral"}


def with_memory(system: Any, text: str, *, mark: bool) -> Any:
    """A system prompt (None, a text or text blocks) with the memory as its last block; as it is where there is none.

    `mark`: the block has a cache mark, so that the provider caches everything up to it.
    """
    if not text:
        return system
    block = {"type": "text", "text": text, **({CACHE_MARK: EPHEMERAL} if mark else {})}
    before = [{"type": "text", "text": system}] if isinstance(system, str) and system else system or ()
    return [*before, block]
