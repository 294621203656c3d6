"""A turn as the portable operations take it: `detect_anchor` and `outcome_line` share this form."""

from __future__ import annotations

from itertools import zip_longest
from typing import Any, Self

from pydantic import Field, model_validator

from brim.conversation.turns import Response, ToolUse, Turn
from brim.portable.operation import Input


class ToolCallInput(Input):
    """A call of a tool."""

    tool: str = Field(description="The tool's name.")
    input: dict[str, Any] = Field(description="What it was called with.")


class ToolResultInput(Input):
    """What a tool answered; the result at an index answers the call at that index."""

    success: bool = Field(description="Whether the call succeeded.")
    output: str = Field(description="The text of the answer.")


class TurnInput(Input):
    """What the user asked, what was done about it, and what the model said."""

    user_message: str = Field(description="What the user wrote.")
    tool_calls: list[ToolCallInput] = Field(description="The calls, in the order of time.")
    tool_results: list[ToolResultInput] = Field(description="Their results, in order; the last may be missing.")
    assistant_response: str = Field(description="What the model said.")
    previous_error: bool = Field(default=False, description="Whether a tool result of the turn before failed.")

    @model_validator(mode="after")
    def _each_result_has_its_call(self) -> Self:
        if len(self.tool_results) > len(self.tool_calls):
            raise ValueError(f"{len(self.tool_results)} results for {len(self.tool_calls)} calls: each needs its call")
        return self

    def turn(self) -> Turn:
        """Return the turn as brim's packages read it: one response that holds the words and every tool use."""
        uses = tuple(
            ToolUse(call.tool, call.input, *((result.output, result.success) if result else ()))
            for call, result in zip_longest(self.tool_calls, self.tool_results)
        )
        return Turn(0, 0, 1, self.user_message, (Response(self.assistant_response, uses),))
