"""The tool runner's `compaction_control`, which the SDK had once: one changed line brings it back.

    runner = client.beta.messages.tool_runner(compaction_control={...}, ...)     # as it was
    runner = tool_runner(client, compaction_control={...}, ...)                  # as it is now

A server on this machine stands for the provider, so it needs no key; in a program of yours the client is `Anthropic()`.
"""

from anthropic import beta_tool

from brim.engine.compaction_control import tool_runner
from brim.testing import MessagesServer, tool_call

MODEL = "claude-opus-5-5"
SUMMARY = "<summary>Tickets are answered one by one. Done so far: those that were read. Next: the others.</summary>"


@beta_tool
def read_ticket(number: int) -> str:
    """Read a support ticket.

    Args:
        number: the ticket's number.
    """
    return f"Ticket {number}: " + "the printer is on fire. " * 1_500


def main() -> None:
    """Work through eight tickets, of which no more than three fit below the threshold."""
    tickets = [tool_call("read_ticket", {"number": number}) for number in range(1, 9)]
    with MessagesServer(tickets, default="All eight tickets are answered.") as server:
        server.when(lambda body: "between <summary>" in str(body["messages"][-1]), *[SUMMARY] * 4)
        with server.client() as client:
            runner = tool_runner(
                client,
                compaction_control={"enabled": True, "context_token_threshold": 20_000},
                model=MODEL,
                max_tokens=1_024,
                tools=[read_ticket],
                messages=[{"role": "user", "content": "Answer the tickets 1 to 8."}],
            )
            for number, message in enumerate(runner, 1):
                print(f"answer {number}: {message.usage.input_tokens:,} tokens, {len(runner.messages)} messages before")
            for compaction in runner.compactions:
                print(f"compacted: {compaction.tokens_before:,} -> {compaction.tokens_after:,} tokens")
            print(message.content[0].text)


if __name__ == "__main__":
    main()
