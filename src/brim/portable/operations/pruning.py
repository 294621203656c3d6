"""Operations of the pruning room."""

from __future__ import annotations

from typing import Any, Self

from pydantic import BaseModel, Field, NonNegativeInt, model_validator

from brim.portable.operation import Input, operation
from brim.pruning.tool_outputs import DISABLED, MIN_SAVED_TOKENS, PROTECTED_TOKENS, PROTECTED_TOOLS, Output, ToolOutputs


def _of_a_tool(meaning: str, *, default: str | int) -> Any:
    """A field that a part of the type `tool` has to have; its schema states no default."""
    told = f"{meaning}; required if `type` is `tool`."
    return Field(default=default, description=told, json_schema_extra=lambda field: field.pop("default", None))


class PrunePart(Input):
    """A part of a message; only a part of the type `tool` is a tool output, and needs the fields of one."""

    id: str = Field(description="Its name in the answer.")
    type: str = Field(description="`tool` for a tool call with its output; every other part is passed over.")
    tool: str = _of_a_tool("The tool's name, compared letter by letter", default="")
    status: str = _of_a_tool("`completed` if the output is there", default="")
    tokens: NonNegativeInt = _of_a_tool("Tokens of the output", default=0)
    pruned: bool = Field(default=False, description="Whether the output was pruned before.")

    @model_validator(mode="after")
    def _a_tool_part_is_whole(self) -> Self:
        missing = {"tool", "status", "tokens"} - self.model_fields_set
        if self.type == "tool" and missing:
            raise ValueError(f"a part of type tool has no {', '.join(sorted(missing))}")
        return self


class PruneMessage(Input):
    """A message."""

    role: str = Field(description="Who speaks: `user`, `assistant`, or a role of the program's own.")
    user_turn: bool | None = Field(
        default=None, description="Whether a user turn begins here; by the role if left out."
    )
    summary: bool = Field(default=False, description="Whether it is a summary of earlier messages.")
    parts: list[PrunePart] = Field(description="What it holds, in order.")

    @property
    def begins_turn(self) -> bool:
        """Whether a user turn begins here."""
        return self.role == "user" if self.user_turn is None else self.user_turn


class PruneInput(Input):
    """A conversation, and what is protected of it."""

    messages: list[PruneMessage] = Field(description="The conversation, in the order of time.")
    protect: NonNegativeInt = Field(default=PROTECTED_TOKENS, description="Tokens of the newest outputs that stay.")
    minimum: NonNegativeInt = Field(
        default=MIN_SAVED_TOKENS, description="Nothing is pruned unless more than this is saved."
    )
    protected_tools: list[str] = Field(
        default=sorted(PROTECTED_TOOLS), description="Tools whose outputs are neither pruned nor counted."
    )
    disabled: bool = Field(default=False, description="Whether pruning is off.")


class PruneOutput(BaseModel):
    """What is pruned."""

    pruned: list[str] = Field(description="Ids of the parts whose output is cleared, newest first.")
    saved: int = Field(description="Tokens saved.")


@operation(
    "prune",
    rules=("PRN_01", "PRN_02", "PRN_03", "PRN_04", "PRN_05", "PRN_06", "PRN_08"),
    example={
        "messages": [
            {"role": "user", "parts": []},
            {
                "role": "assistant",
                "parts": [
                    {"id": "a", "type": "tool", "tool": "Read", "status": "completed", "tokens": 10000},
                    {"id": "b", "type": "tool", "tool": "Read", "status": "completed", "tokens": 20000},
                    {"id": "c", "type": "tool", "tool": "Read", "status": "completed", "tokens": 40000},
                ],
            },
            {"role": "user", "parts": []},
            {"role": "user", "parts": []},
        ]
    },
)
def prune(given: PruneInput) -> PruneOutput:
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
    """
    outputs = ToolOutputs()
    for index, message in enumerate(given.messages):
        _enter(outputs, index, message, frozenset(given.protected_tools))
    pruning = DISABLED if given.disabled else outputs.decide(protect=given.protect, minimum=given.minimum)
    return PruneOutput(pruned=list(pruning.ids), saved=pruning.saved)


def _enter(outputs: ToolOutputs, index: int, message: PruneMessage, protected: frozenset[str]) -> None:
    if message.begins_turn:
        outputs.begin_turn()
    if message.summary:
        outputs.stop()
        return
    for n, part in enumerate(message.parts):
        if part.type == "tool" and part.status == "completed":
            if part.pruned:
                outputs.stop()
            elif part.tool not in protected:
                outputs.add(Output(index, n, part.id, part.tokens))
