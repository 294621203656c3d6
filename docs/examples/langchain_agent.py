"""A LangChain agent that reads more files than its model can hold. Needs `brim[langchain]`, and no key."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool

from brim import ModelLimits
from brim.adapters.langchain import CompactionMiddleware

FILES = 40


class Model(GenericFakeChatModel):
    """Stands in for a chat model: it asks for one file after the other, then says that it is done."""

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Model:  # noqa: ARG002 -- the script knows them
        """Take the tools and go on."""
        return self


def script() -> Iterator[AIMessage]:
    """What the model answers, in order."""
    for n in range(FILES):
        call = {"id": f"call-{n}", "name": "read", "args": {"path": f"src/module_{n}.py"}}
        yield AIMessage("", tool_calls=[call])
    yield AIMessage("Every file is read.")


@tool
def read(path: str) -> str:
    """Read a file."""
    return f"# {path}\n" + "value = compute(value)\n" * 300


def main() -> None:
    """Run the agent, and tell of each compaction on the way."""
    limits = ModelLimits(context_window=32_000, max_output_tokens=4_000)
    # With a chat model as its first argument, that model writes the summaries; without one the template does.
    compaction = CompactionMiddleware(limits=limits, on_event=print)
    agent = create_agent(Model(messages=script()), [read], middleware=[compaction])
    state = agent.invoke({"messages": "Read every file and tell me what is odd."}, {"recursion_limit": 200})
    print(state["messages"][-1].text)
    print(f"The agent's state still holds all {len(state['messages'])} messages.")


if __name__ == "__main__":
    main()
