"""An agent with a loop of its own: it streams, calls a tool, and its session is on disk, where a next start goes on.

Runs against the server of brim.testing, without a key: python docs/examples/own_loop.py
Its tests are in test_own_loop.py.
"""

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from anthropic import Anthropic, MessageStream
from anthropic.types import MessageParam, ToolParam, ToolResultBlockParam, ToolUseBlock

from brim import Compactor, Conversation
from brim.sessions import Session, open_store
from brim.testing import MessagesServer, asks_for_summary, text_block, tool_call

MODEL = "claude-opus-5-5"
SYSTEM = "You read notes. Never change a file."
PATH: dict[str, object] = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS: list[ToolParam] = [{"name": "read", "description": "Read a file.", "input_schema": PATH}]


class Agent:
    """Answers prompts; what it did is in its session."""

    def __init__(self, client: Anthropic, session: Session, folder: Path) -> None:
        self.client, self.folder = client, folder
        compactor = Compactor(client, MODEL, on_event=print)
        self.conversation = Conversation(compactor, session=session, system=SYSTEM, tools=TOOLS)

    def ask(self, prompt: str) -> None:
        """Answer a prompt, and print the answer as it comes."""
        self.conversation.append({"role": "user", "content": prompt})
        while calls := self._respond():
            self.conversation.append({"role": "user", "content": [self._result(call) for call in calls]})

    def _respond(self) -> list[ToolUseBlock]:
        """Make one request; its calls of tools are left to do."""
        with ExitStack() as opened:

            def call(messages: list[MessageParam]) -> MessageStream:
                stream = self.client.messages.stream(
                    model=MODEL, max_tokens=1_000, system=SYSTEM, tools=TOOLS, messages=messages
                )
                return opened.enter_context(stream)

            stream = self.conversation.send(call)  # compacts first where that is due
            for text in stream.text_stream:
                print(text, end="", flush=True)
            response = stream.get_final_message()
        print()
        self.conversation.record(response)
        self.conversation.append({"role": "assistant", "content": response.content})
        return [block for block in response.content if block.type == "tool_use"]

    def _result(self, call: ToolUseBlock) -> ToolResultBlockParam:
        try:
            text = (self.folder / str(call.input["path"])).read_text(encoding="utf-8")
        except OSError as error:
            return {"type": "tool_result", "tool_use_id": call.id, "content": str(error), "is_error": True}
        return {"type": "tool_result", "tool_use_id": call.id, "content": text}


if __name__ == "__main__":
    script = [[text_block("Next."), tool_call("read", {"path": "notes.txt"})] for _ in range(30)]
    with (
        TemporaryDirectory() as place,
        MessagesServer([*script, "All are read."], models={MODEL: (20_000, 4_000)}) as api,
    ):
        api.when(asks_for_summary, *["<summary>The notes were read; nothing contradicts the plan.</summary>"] * 9)
        Path(place, "notes.txt").write_text("a line of notes\n" * 300, encoding="utf-8")
        with api.client() as client, open_store(Path(place, "sessions")).create(project=place) as session:
            agent = Agent(client, session, Path(place))
            agent.ask("Read all notes.")
            held, sent = len(agent.conversation.messages), len(api.requests[-1].body["messages"])
            print(f"the conversation holds {held} messages, the last request held {sent}")
