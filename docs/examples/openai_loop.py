"""A loop of your own in OpenAI's chat format: a conversation holds its messages, and compacts where that is due.

Runs without a key: python docs/examples/openai_loop.py
"""

from typing import Any

from brim import Compactor, Conversation, ModelLimits
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


conversation = Conversation(Compactor(limits=ModelLimits(context_window=20_000, max_output_tokens=4_000)), tools=TOOLS)
conversation.append({"role": "system", "content": "You read notes. Change no file."})
conversation.append({"role": "user", "content": "Read all notes."})

for number in range(30):
    outgoing = conversation.prepare()
    if outgoing.compaction:
        print(f"{outgoing.compaction.tokens_before} tokens became {outgoing.compaction.tokens_after}")
    answer = model([*outgoing.messages], number)
    conversation.append(answer)
    results = [{"role": "tool", "tool_call_id": call["id"], "content": NOTES} for call in answer["tool_calls"]]
    conversation.extend(results)

first = outgoing.messages[0]["role"]
print(f"the first message is the {first}'s; {len(outgoing.messages)} of {len(conversation.messages)} messages are sent")
