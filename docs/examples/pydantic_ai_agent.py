"""A pydantic-ai agent that reads more files than its model can hold. Needs `brim[pydantic-ai]`, and no key."""

from __future__ import annotations

import asyncio

from pydantic_ai import Agent
from pydantic_ai.capabilities import ProcessHistory
from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from pydantic_ai.usage import RequestUsage

from brim import ModelLimits
from brim.adapters.pydantic_ai import CompactHistory

FILES = 40
asked: list[int] = []


def answer(messages: list[ModelMessage], _info: AgentInfo) -> ModelResponse:
    """Stands in for a model: it asks for one file after the other, then says that it is done."""
    asked.append(len(messages))
    if len(asked) > FILES:
        return ModelResponse([TextPart("Every file is read.")])
    usage = RequestUsage(input_tokens=sum(len(str(message)) for message in messages) // 4)
    return ModelResponse([ToolCallPart("read", {"path": f"src/module_{len(asked)}.py"})], usage=usage)


# With a model as its first argument, that model writes the summaries; without one the template does.
compaction = CompactHistory(
    limits=ModelLimits(context_window=32_000, max_output_tokens=4_000),
    on_event=print,
)
agent = Agent(FunctionModel(answer), instructions="You read code with care.", capabilities=[ProcessHistory(compaction)])


@agent.tool_plain
def read(path: str) -> str:
    """Read a file."""
    return f"# {path}\n" + "value = compute(value)\n" * 300


async def main() -> None:
    """Run the agent, and tell of each compaction on the way."""
    result = await agent.run("Read every file and tell me what is odd.")
    print(result.output)
    print(f"{len(asked)} requests, of at most {max(asked)} messages each.")
    print(f"The run's history now holds {len(result.all_messages())} messages.")


if __name__ == "__main__":
    asyncio.run(main())
