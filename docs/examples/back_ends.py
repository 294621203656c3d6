"""One agent loop, and three ways to keep it within its window: brim's own, the provider's, the provider's clearing.

Nothing but the name of the back end changes. A server on this machine stands for the provider, so it needs no key;
in an agent of yours the client is `Anthropic()`.
"""

from anthropic import Anthropic

from brim.compaction.policy import CompactionPolicy
from brim.engine.backends import backend
from brim.models import ModelLimits
from brim.testing import MessagesServer, asks_for_summary, tool_call

MODEL = "claude-opus-5-5"
LIMITS = ModelLimits(context_window=200_000, max_output_tokens=64_000)
READ = {"name": "read", "description": "Read a file.", "input_schema": {"type": "object", "properties": {}}}


def run(client: Anthropic, name: str) -> str:
    """An agent that reads ten long files; returns its last words."""
    keeper = backend(client, MODEL, name, limits=LIMITS, policy=CompactionPolicy(threshold=100_000))
    messages = [{"role": "user", "content": "Read the ten parts of the log and name the error."}]
    while True:
        sent = keeper.prepare({"model": MODEL, "max_tokens": 1_024, "tools": [READ], "messages": messages})
        answer = client.beta.messages.create(**sent)
        reading = keeper.read(sent, answer)
        messages = reading.messages
        for done in reading.applied:
            print(f"  {done.outcome}: {done.tokens_before:,} -> {done.tokens_after:,} tokens")
        calls = [block for block in answer.content if block.type == "tool_use"]
        if not calls:
            return "".join(block.text for block in answer.content if block.type == "text")
        part = "line of a log\n" * 6_000
        results = [{"type": "tool_result", "tool_use_id": call.id, "content": part} for call in calls]
        messages.append({"role": "user", "content": results})


def main() -> None:
    """Run the agent once with each back end."""
    for name in ("brim", "provider", "provider-clearing"):
        summary = "<summary>The first parts of the log were read; the next come now.</summary>"
        with MessagesServer([tool_call("read")] * 10, default="The error is in part ten.") as server:
            server.when(asks_for_summary, *[summary] * 9)
            with server.client() as client:
                print(f"{name}:")
                print(f"  {run(client, name)}  ({len(server.requests)} requests)")


if __name__ == "__main__":
    main()
