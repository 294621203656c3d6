"""A history processor for pydantic-ai that compacts before a model request, in the middle of a run too (TRG_17).

    Agent(model, capabilities=[ProcessHistory(CompactHistory())])

pydantic-ai makes what a processor returns the run's own history. Whoever stores that goes on from the compacted
conversation; whoever passes in the whole one again is given what the last compaction made of it, without another: the
request that was compacted carries the record of it in its metadata (ADP_06).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack, cast

from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, SystemPromptPart
from pydantic_ai.models import Model

from brim.adapters.compactors import Compactors
from brim.adapters.held import Held, Settings
from brim.adapters.memory import Memory
from brim.adapters.pydantic_ai_messages import read
from brim.adapters.pydantic_ai_record import Sent, chain, recorded, remember, with_record
from brim.adapters.pydantic_ai_restoring import History
from brim.adapters.pydantic_ai_summarizer import PydanticAISummarizer, reported
from brim.errors import UnknownLimits
from brim.models import ModelLimits


class CompactHistory:
    """Keeps the history of an agent's runs inside its model's window.

    Args:
        summarizer: who writes the summaries: a model or an agent of pydantic-ai's, an Anthropic client (the
            policy names its model), a summarizer of brim's, or None for the template, which asks no model.
        limits: what the agent's model can hold; else what pydantic-ai knows of it.
        settings: as for a Compactor: policy, on_event, sleep.

    Raises InvalidInput and Refused for settings that cannot work, and in a run UnknownLimits where nobody told them,
    and CompactionStalled.
    """

    def __init__(
        self,
        summarizer: Any = None,
        *,
        limits: ModelLimits | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        writer = PydanticAISummarizer(summarizer) if isinstance(summarizer, (Model, Agent)) else summarizer
        self._compactors = Compactors(writer, None, settings)
        self._limits = limits
        self._memory: Memory[ModelMessage] = Memory()

    async def __call__(self, ctx: RunContext[Any], messages: list[ModelMessage]) -> list[ModelMessage]:
        """The history that is sent; the messages that came in keep their parts. A paused response is let go on."""
        sent = recorded(messages, self._memory)
        if not messages or (isinstance(messages[-1], ModelResponse) and messages[-1].state == "suspended"):
            return sent.messages
        history = History(sent.messages, *read(sent.messages))
        outcome = await self._compactors.acompact(self._held(ctx, sent, history), sent.progress)
        if outcome.tried:
            sent = replace(sent, progress=outcome.progress)
            if outcome.compaction.plan.acts:
                compacted = history.after(outcome.compaction)
                sent = Sent(compacted, len(compacted), outcome.progress)
            sent = with_record(messages, sent)
            remember(self._memory, messages, sent)
        self._memory.sent(chain(sent.messages))
        return list(sent.messages)

    def _held(self, ctx: RunContext[Any], sent: Sent, history: History) -> Held:
        """What the request comes to. The usage of the last response counts for what it measured (TOK_11)."""
        fresh = range(len(sent.messages) - 1, sent.settled - 1, -1)
        last = next((place for place in fresh if isinstance(sent.messages[place], ModelResponse)), None)
        told = None if last is None else reported(cast("ModelResponse", sent.messages[last]))
        usage = told if told and told.total else None
        return Held(
            limits=self._limits or limits_of(ctx),
            messages=history.read_as,
            usage=usage,
            measured=usage is None or self._memory.was_sent(chain(sent.messages[:last])),
            system=system_of(sent.messages),
            tools=_tools(ctx),
        )


def limits_of(ctx: RunContext[Any]) -> ModelLimits:
    """What pydantic-ai knows of the model, and the longest answer that is asked for. Raises UnknownLimits."""
    window = getattr(ctx.model, "context_window", None)
    if not window:
        raise UnknownLimits(
            f"how much {ctx.model.model_name!r} can hold is not known, and it is not guessed: hand in "
            "limits=ModelLimits(context_window=…, max_output_tokens=…)"
        )
    asked = dict(ctx.model_settings or {}).get("max_tokens")
    return ModelLimits(context_window=window, max_output_tokens=asked if isinstance(asked, int) else 0)


def system_of(messages: Sequence[ModelMessage]) -> str:
    """The system prompt and the instructions that go with this request."""
    parts = (part for message in messages for part in message.parts if isinstance(part, SystemPromptPart))
    last = messages[-1]
    instructions = last.instructions if isinstance(last, ModelRequest) else None
    return "\n\n".join([*(part.content for part in parts), instructions or ""])


def _tools(ctx: RunContext[Any]) -> list[dict[str, Any]]:
    return [
        {"name": tool.name, "description": tool.description, "input_schema": tool.parameters_json_schema}
        for tool in ctx.tools.values()
    ]
