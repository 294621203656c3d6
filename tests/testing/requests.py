"""Requests that the tests send, each as short as it can be."""

MODEL = "claude-opus-5-5"
BIG = "claude-sonnet-5-5"


def user(content):
    """A user's message."""
    return {"role": "user", "content": content}


def system(content):
    """A message of the system, between a user's and the model's."""
    return {"role": "system", "content": content}


def assistant(content):
    """An assistant's message."""
    return {"role": "assistant", "content": content}


def call(call_id, name="bash"):
    """A tool call."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": {"command": "ls"}}


def result(call_id, content="a.txt", **fields):
    """The result of a tool call."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **fields}


def asking(*messages, **fields):
    """The fields of a request: one word of a user where no messages are given."""
    return {"model": MODEL, "max_tokens": 1_000, "messages": list(messages) or [user("Hello")], **fields}


BASH = {"name": "bash", "description": "Run a command", "input_schema": {"type": "object"}}
