"""A loop of your own in OpenAI's chat format: before each request the list is compacted where that is due.

Runs without a key: python docs/examples/openai_loop.py
"""

from typing import Any

from brim import Compactor, ModelLimits
from brim.testing import openai_chat_complaints

NOTES = "a line of notes\n" * 300
TOOLS = [{"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}]


def model(messages: list[Any], number: int) -> dict[str, Any]:
    """What stands in for `client.chat.completions.create(...).choices[0].message`: it reads, thirty times."""
    if refused := openai_chat_complaints(messages):
        raise SystemExit(f"the API would refuse this: {refused}")
    function = {"name": "read", "arguments": f'{{"path": "notes-{number}.txt"}}'}
    return {
        "role": "assistant",
        "content": None,
        "reasoning_content": "The next notes.",  # a field that brim does not know is carried
        "tool_calls": [{"id": f"call_{number}", "type": "function", "function": function}],
    }


compactor = Compactor(limits=ModelLimits(context_window=20_000, max_output_tokens=4_000))
messages: list[Any] = [
    {"role": "system", "content": "You read notes. Change no file."},
    {"role": "user", "content": "Read all notes."},
]

for number in range(30):
    result = compactor.compact(messages, cause="automatic", tools=TOOLS)
    if result.plan.acts:
        print(f"{result.plan.reason}: {result.tokens_before} tokens became {result.tokens_after}")
    messages = result.messages
    answer = model(messages, number)
    messages.append(answer)
    messages += [{"role": "tool", "tool_call_id": call["id"], "content": NOTES} for call in answer["tool_calls"]]

print(f"the first message is the {messages[0]['role']}'s, the list holds {len(messages)} messages")
