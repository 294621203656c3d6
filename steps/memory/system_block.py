"""Steps of features/memory/system_block.feature."""

from __future__ import annotations

import warnings
from typing import Any

from parse import with_pattern
from pytest_bdd import given, then, when

from brim import Compactor, Conversation, ModelLimits, Request
from brim.memory import Memory, MemorySettings
from brim.testing import MessagesServer, ScriptedSummarizer
from steps.compaction_windows import filler
from steps.vocabulary import phrase

MODEL = "claude-opus-5-5"
FILE = "project/CLAUDE.md"
MARK = {"cache_control": {"type": "ephemeral"}}
ROOMY = ModelLimits(context_window=200_000, max_output_tokens=8_192)
TIGHT = ModelLimits(context_window=40_000, max_output_tokens=30_000)
SYSTEMS: dict[str, Any] = {
    "none": None,
    "empty": "",
    "a text": "You are a harbour master.",
    "two blocks": [{"type": "text", "text": "You are a harbour master."}, {"type": "text", "text": "Be brief."}],
}


@with_pattern(r"\d+ requests?")
def several(text: str) -> int:
    """A number of requests."""
    return int(text.partition(" ")[0])


REQUESTS = {"Requests": several}


def texts(count: int, marks: int = 0) -> list[Any]:
    """So many text blocks, the first of them with cache marks."""
    return [{"type": "text", "text": f"Part {n}.", **(MARK if n < marks else {})} for n in range(count)]


class Agent:
    """An agent with a conversation, and what its last request carries."""

    def __init__(self, limits: ModelLimits = ROOMY, turns: int = 1, outputs: int = 0, **options: Any) -> None:
        self.summarizer = ScriptedSummarizer("All went well.")
        self.compactor = Compactor(limits=limits, summarizer=self.summarizer, model=MODEL)
        self.options, self.turns, self.outputs = options, turns, outputs
        self.content: Any = "What now?"
        self.outgoing: Any = None
        self.warned: list[str] = []

    def begin(self, memory: Memory | None) -> None:
        """Append all messages to a conversation."""
        self.conversation = Conversation(self.compactor, memory=memory, **self.options)
        for number in range(self.turns - 1):
            self.conversation.append({"role": "user", "content": f"Do step {number}: {filler(1_000)}"})
            self.conversation.append({"role": "assistant", "content": filler(1_000)})
        for number in range(self.outputs):
            call = {"type": "tool_use", "id": f"call-{number}", "name": "read", "input": {"path": f"/{number}"}}
            result = {"type": "tool_result", "tool_use_id": f"call-{number}", "content": filler(30_000)}
            self.conversation.append({"role": "user", "content": f"Read {number}."})
            self.conversation.append({"role": "assistant", "content": [call]})
            self.conversation.append({"role": "user", "content": [result]})
            self.conversation.append({"role": "assistant", "content": "Read."})
        self.conversation.append({"role": "user", "content": self.content})

    def prepare(self, act: str = "prepare") -> None:
        """Prepare a request, or prepare it again after an overflow, and note the warnings."""
        with warnings.catch_warnings(record=True) as met:
            warnings.simplefilter("always")
            self.outgoing = getattr(self.conversation, act)()
        self.warned += [str(one.message) for one in met]


@given(phrase('a project whose memory says "{text:Quoted}"'))
def write_memory(memory_files, text):
    memory_files.write(FILE, text.encode())


@given("a project without memory")
def no_memory(memory_files):
    assert not (memory_files.root / FILE).exists()


@given(phrase("a project whose memory has {size:Count} characters"))
def write_large(memory_files, size):
    introduced = len(f"Instructions from: {memory_files.root / FILE}\n")
    memory_files.write(FILE, b"x" * (size - introduced))


@given(phrase("an agent whose system prompt is {system}"), target_fixture="agent")
def agent_with_system(system):
    return Agent(system=SYSTEMS[system])


@given(phrase("an agent that sets {marks:Count} cache marks {where}"), target_fixture="agent")
def agent_with_marks(marks, where):
    tools = [{"name": f"tool{n}", "input_schema": {"type": "object"}, **(MARK if n < marks else {})} for n in range(4)]
    agent = Agent(
        **{
            "in its messages": {},
            "in its tools": {"tools": tools},
            "in its system prompt": {"system": texts(4, marks)},
            "as a parameter": {"parameters": MARK},
            "and one more as a parameter": {"parameters": MARK},
        }[where]
    )
    agent.content = texts(4, marks) if where in {"in its messages", "and one more as a parameter"} else agent.content
    return agent


@given(phrase("an agent in a loop whose window is {window}"), target_fixture="agent")
def agent_in_loop(window):
    return Agent(TIGHT if window == "due" else ROOMY, turns=8)


@given("an agent whose old tool outputs fill the window", target_fixture="agent")
def agent_with_outputs():
    return Agent(turns=1, outputs=8)


@when("the agent prepares a request with its memory")
def prepare(agent, memory_files):
    agent.begin(Memory.load(memory_files.root / "project"))
    agent.prepare()


@when("the agent sends a request with its memory", target_fixture="requests")
def send(agent, memory_files):
    agent.begin(Memory.load(memory_files.root / "project"))
    with MessagesServer() as server, server.client() as client:
        agent.conversation.send(
            lambda messages, system: client.messages.create(
                model=MODEL, max_tokens=100, messages=messages, system=system
            )
        )
        return server.requests


def change(memory_files, agent, text: str) -> None:
    """Begin a conversation, and write another memory."""
    agent.begin(Memory.load(memory_files.root / "project"))
    memory_files.write(FILE, text.encode())


@when(phrase('the memory becomes "{text:Quoted}" and the agent prepares {count:Requests}', REQUESTS))
def change_and_prepare(memory_files, agent, text, count):
    change(memory_files, agent, text)
    for _ in range(count):
        agent.prepare()


@when(phrase('the memory becomes "{text:Quoted}" and the provider says that the prompt is too long'))
def change_and_overflow(memory_files, agent, text):
    change(memory_files, agent, text)
    agent.prepare()
    agent.prepare("overflowed")


@when(phrase("the memory grows by {size:Count} characters and the agent prepares 1 request"))
def grow_and_prepare(memory_files, agent, size):
    change(memory_files, agent, "Use tabs." + "x" * size)
    agent.prepare()


@when("the memory is required and removed and the agent prepares 1 request")
def remove_required(memory_files, agent):
    settings = MemorySettings(files=[{"path": "CLAUDE.md", "required": True}])
    agent.begin(Memory.load(memory_files.root / "project", settings=settings))
    (memory_files.root / FILE).unlink()
    agent.prepare()


@when("the memory gets a file that is binary and the agent prepares 1 request")
def add_binary(memory_files, agent):
    agent.begin(Memory.load(memory_files.root / "project"))
    memory_files.write("home/.claude/CLAUDE.md as a picture")
    agent.prepare()


@then(phrase("the system prompt has {count:Count} blocks"))
def check_blocks(agent, count):
    assert len(agent.outgoing.system) == count


@then(phrase("the last block is the memory, {with_} a cache mark"))
def check_last(agent, with_):
    assert "Instructions from: " in agent.outgoing.system[-1]["text"]
    assert ("cache_control" in agent.outgoing.system[-1]) == (with_ == "with")


@then("the system prompt is the agent's own")
def check_own(agent):
    assert agent.outgoing.system == agent.options["system"]


@then(phrase("the window holds {tokens:Tokens} tokens more than without it"))
def check_held(agent, tokens):
    held = agent.outgoing.verdict.held
    agent.begin(None)
    agent.prepare()
    assert held - agent.outgoing.verdict.held == tokens


@then("the provider has received the memory once")
def check_received(requests):
    (request,) = requests
    assert str(request.body).count("Instructions from: ") == 1


@then(phrase('the last block of the system prompt says "{text:Quoted}"'))
def check_says(agent, text):
    assert agent.outgoing.system[-1]["text"].partition("\n")[2] == text


@then("the window counts the memory that is sent")
def check_counted(agent):
    window, system = agent.outgoing.window, agent.outgoing.system
    held = window.verdict().held
    window.set_request(Request(system=system))
    assert window.verdict().held == held
    window.set_request(Request(system=system[-1]["text"][:-4_000]))
    assert window.verdict().held < held - 900


@then(phrase('no message holds "{text:Quoted}"'))
def check_messages(agent, text):
    assert agent.outgoing.compaction is not None
    assert text not in str(agent.outgoing.messages)


@then(phrase('the summarizer has "{text:Quoted}" in the system prompt alone'))
def check_summarizer(agent, text):
    (request,) = agent.summarizer.requests
    assert text in request.system[-1]["text"]
    assert text not in str(request.messages)


@then(phrase('the agent is warned "{words:Quoted}"'))
def check_warned(agent, words):
    assert [one for one in agent.warned if words in one], agent.warned
