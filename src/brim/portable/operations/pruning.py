"""Operations of the room pruning."""

from __future__ import annotations

from typing import Self

from pydantic import BaseModel, Field, NonNegativeInt, model_validator

from brim.portable.operation import Input, operation
from brim.pruning.tool_outputs import DISABLED, MIN_SAVED_TOKENS, PROTECTED_TOKENS, PROTECTED_TOOLS, Output, ToolOutputs


class PrunePart(Input):
    """A part of a message; only a part of the type `tool` is a tool output, and has all fields."""

    id: str = Field(description="Its name in the answer.")
    type: str = Field(description="`tool` for a tool call with its output; every other part is passed over.")
    tool: str | None = Field(default=None, description="Of a `tool` its name, compared letter by letter.")
    status: str | None = Field(default=None, description="Of a `tool`: `completed` if the output is there.")
    tokens: NonNegativeInt | None = Field(default=None, description="Of a `tool`: tokens of the output.")
    pruned: bool = Field(default=False, description="Whether the output was pruned before.")

    @model_validator(mode="after")
    def _a_tool_part_is_whole(self) -> Self:
        if self.type == "tool" and None in (self.tool, self.status, self.tokens):
            raise ValueError("a part of type tool has tool, status and tokens")
        return self


class PruneMessage(Input):
    """A message."""

    role: str = Field(description="Who speaks: `user`, `assistant`, or a role of the program's own.")
    user_turn: bool | None = Field(default=None, description="A user turn begins here; by the role if left out.")
    summary: bool = Field(default=False, description="Whether it is a summary of earlier messages.")
    parts: list[PrunePart] = Field(description="What it holds, in order.")


class PruneOutput(BaseModel):
    """What is pruned."""

    pruned: list[str] = Field(description="Ids of the parts whose output is cleared, newest first.")
    saved: int = Field(description="Tokens saved.")


@operation(
    "PRN_01 PRN_02 PRN_03 PRN_04 PRN_05 PRN_06",
    messages=[
        {
            "role": "user",
            "parts": [{"id": "a", "type": "tool", "tool": "Read", "status": "completed", "tokens": 30000}],
        },
        {"role": "user", "parts": []},
        {"role": "user", "parts": []},
    ],
    protect=0,
)
def prune(
    messages: list[PruneMessage],
    *,
    protect: NonNegativeInt = PROTECTED_TOKENS,
    minimum: NonNegativeInt = MIN_SAVED_TOKENS,
    protected_tools: tuple[str, ...] = tuple(PROTECTED_TOOLS),
    disabled: bool = False,
) -> PruneOutput:
    """Which old tool outputs are cleared.

    In this order:

    1. nothing if `disabled`;
    2. outputs are the parts of type `tool` with status `completed`, without those of protected tools; the parts of a
       summary are none;
    3. of these only the ones before the second newest user turn, none with fewer than two turns; a summary of the role
       `user` begins a turn too;
    4. of these only the ones that are later than the newest summary and also later than the newest part of type `tool`
       with status `completed` that was pruned, of any tool, in the last two turns too, but not in a summary;
    5. the newest of these stay while their sum is at most `protect`; the output that crosses it and all older ones
       are pruned;
    6. nothing if that saves `minimum` or less.

    `pruned` begins with the newest. Nothing is `{"pruned": [], "saved": 0}`. What PRN_13 says of tools that ask the
    user, and PRN_14 of pins, is not portable.

    Args:
        messages: The conversation, in the order of time.
        protect: Tokens of the newest outputs that stay.
        minimum: Nothing is pruned unless more than this is saved.
        protected_tools: Tools whose outputs are neither pruned nor counted.
        disabled: Whether pruning is off.
    """
    outputs = ToolOutputs()
    for index, message in enumerate(messages):
        if message.user_turn or (message.user_turn is None and message.role == "user"):
            outputs.begin_turn()
        if message.summary:
            outputs.stop()
            continue
        for n, part in enumerate(message.parts):
            if part.type != "tool" or part.status != "completed":
                continue
            if part.pruned:
                outputs.stop()
            elif part.tool not in protected_tools:
                outputs.add(Output(index, n, part.id, part.tokens or 0))
    pruning = DISABLED if disabled else outputs.decide(protect=protect, minimum=minimum)
    return PruneOutput(pruned=list(pruning.ids), saved=pruning.saved)
