"""A watch over a growing conversation: whether every call so far has met its result.

Specified by features/conversation/tool_pairs.feature (CNV_04).
"""

from __future__ import annotations

from typing import Final

from brim.conversation.messages import Message, user_text
from brim.conversation.parts import ToolCall, ToolResult
from brim.conversation.responses import goes_on

NOTHING: Final = user_text("")
"""What stands before the first message."""


class PairWatch:
    """Watches a growing conversation for calls and results that do not meet.

    Results come first in the user messages that follow a response. A tool that the provider runs is answered within
    the response.
    """

    __slots__ = ("_before", "broken", "serving", "waiting")

    def __init__(self) -> None:
        self.waiting: set[str] = set()
        """Ids of the calls of the last response that have no result yet."""
        self.serving: set[str] = set()
        """Ids of the calls that the provider has not answered yet."""
        self.broken = False
        """Whether a call was passed over or said twice, or a result came without its call."""
        self._before = NOTHING

    @property
    def whole(self) -> bool:
        """Whether every call so far has its result and every result its call."""
        return not (self.broken or self.waiting or self.serving)

    def append(self, message: Message) -> None:
        """Take in the next message."""
        if message.role == "user":
            self._user(message)
        else:
            self._assistant(message)
        self._before = message

    def _user(self, message: Message) -> None:
        waiting = self.waiting
        for part in message.parts:
            if type(part) is ToolResult and part.call_id in waiting:
                waiting.remove(part.call_id)
            elif waiting or type(part) in (ToolResult, ToolCall):
                self.broken = True

    def _assistant(self, message: Message) -> None:
        if (self.waiting or self.serving) and not goes_on(self._before, message, self.serving):
            self.broken = True
        for part in message.parts:
            if type(part) is ToolCall:
                calls = self.serving if part.server else self.waiting
                if part.id in calls:
                    self.broken = True
                calls.add(part.id)
            elif type(part) is ToolResult:
                self.broken |= part.call_id not in self.serving
                self.serving.discard(part.call_id)
