"""Where a whole conversation may be cut, pair by pair: what a window finds as it grows is compared with it."""

from collections.abc import Sequence

from brim.conversation.cuts import is_legal_cut
from brim.conversation.messages import Message


def legal_cuts(messages: Sequence[Message]) -> list[int]:
    """Indices before which the conversation may be cut, ascending, both its ends included."""
    inside = (n for n in range(1, len(messages)) if is_legal_cut(messages[n - 1], messages[n]))
    return [0, *inside, *([len(messages)] if messages else [])]
