"""A history processor for pydantic-ai that compacts before a model request, in the middle of a run too (TRG_17).

    Agent(model, capabilities=[ProcessHistory(CompactHistory())])

pydantic-ai makes what a processor returns the run's own history. Whoever stores that goes on from the compacted
conversation; whoever hands in the whole one again is given what the last compaction made of it, without another.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Any, Final, Unpack

from pydantic_ai import Agent, RunContext
from pydantic_ai.messages import ModelMessage, ModelRequest, ModelResponse, SystemPromptPart, UserPromptPart
from pydantic_ai.models import Model

from brim.adapters.compactors import Compactors
from brim.adapters.held import Held, Outcome, Settings
from brim.adapters.pydantic_ai_messages import is_ours, read
from brim.adapters.pydantic_ai_restoring import History
from brim.adapters.pydantic_ai_summarizer import PydanticAISummarizer, reported
from brim.engine.progress import Progress
from brim.errors import UnknownLimits
from brim.models import ModelLimits
from brim.tokens.usage import TokenUsage

REMEMBERED: Final = 32
"""How many compactions are remembered, the newest: those of conversations that are led side by side."""


class CompactHistory:
    """Keeps the history of an agent's runs inside its model's window.

    Args:
        summarizer: who writes the summaries: a model or an agent of pydantic-ai's, an Anthropic client (with
            `summary_model`), a summarizer of brim's, or None for the template, which asks no model.
        summary_model: the model that a client is asked for.
        limits: what the agent's model can hold; else what pydantic-ai knows of it.
        settings: as for a Compactor: profile, on_event, prompt, focus, keep_share, on_failure, pinned_facts, sleep.

    Raises InvalidInput and Refused for settings that cannot work, and in a run UnknownLimits where nobody told them,
    and CompactionStalled.
    """

    def __init__(
        self,
        summarizer: Any = None,
        *,
        summary_model: str = "",
        limits: ModelLimits | None = None,
        **settings: Unpack[Settings],
    ) -> None:
        writer = PydanticAISummarizer(summarizer) if isinstance(summarizer, (Model, Agent)) else summarizer
        self._compactors = Compactors(writer, None, summary_model, settings)
        self._limits = limits
        self._made: deque[tuple[list[ModelMessage], list[ModelMessage]]] = deque(maxlen=REMEMBERED)
        self._progress: dict[str, Progress] = {}

    async def __call__(self, ctx: RunContext[Any], messages: list[ModelMessage]) -> list[ModelMessage]:
        """The history that is sent; the list handed in stays as it is. A response that is only paused is let go on."""
        known = self._remembered(messages)
        if not messages or (isinstance(messages[-1], ModelResponse) and messages[-1].state == "suspended"):
            return known
        history = History(known, *read(known))
        held = Held(
            limits=self._limits or limits_of(ctx),
            messages=history.read_as,
            usage=usage_of(known),
            system=system_of(known),
            tools=_tools(ctx),
        )
        conversation = ctx.conversation_id or ctx.run_id or ""
        outcome = await self._compactors.acompact(held, self._progress.get(conversation, Progress()))
        self._remember_progress(conversation, outcome)
        if not outcome.compaction.plan.acts:
            return known
        compacted = history.after(outcome.compaction)
        self._made.appendleft((list(messages), compacted))
        return list(compacted)

    def _remember_progress(self, conversation: str, outcome: Outcome) -> None:
        if outcome.tried:
            self._progress.pop(conversation, None)
            self._progress[conversation] = outcome.progress
        if len(self._progress) > REMEMBERED:
            del self._progress[next(iter(self._progress))]

    def _remembered(self, messages: list[ModelMessage]) -> list[ModelMessage]:
        """The messages, and in place of the first of them what a compaction made of just these."""
        for before, after in self._made:
            count = len(before)
            if count <= len(messages) and messages[count - 1] == before[-1] and messages[:count] == before:
                return [*after, *messages[count:]]
        return list(messages)


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


def usage_of(messages: Sequence[ModelMessage]) -> TokenUsage | None:
    """What the last response reported, where it came after the last compaction (TOK_08, TOK_11)."""
    last = next((message for message in reversed(messages) if isinstance(message, ModelResponse)), None)
    parts = (part for message in messages if isinstance(message, ModelRequest) for part in message.parts)
    made = [part.timestamp for part in parts if isinstance(part, UserPromptPart) and is_ours(part)]
    return None if last is None or any(last.timestamp <= when for when in made) else reported(last)


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
