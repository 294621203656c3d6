"""A strict server of OpenAI's chat completions and Responses API on loopback, answering from a script."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar, Final

from brim.errors import lacks_extra
from brim.testing.answers import Answer, AnswerLike, script_of, settle
from brim.testing.failures import Failure
from brim.testing.messages_api.exchange import ApiError, Event, Received, Reply, pieces
from brim.testing.messages_api.messages_service import Script
from brim.testing.messages_api.transport import monotonic
from brim.testing.openai_strictness import openai_chat_complaints, openai_responses_complaints
from brim.testing.scripted_server import ScriptedServer

if TYPE_CHECKING:
    from openai import AsyncOpenAI, OpenAI

FINISHED: Final = {"max_tokens": "length", "refusal": "content_filter", "tool_use": "tool_calls", "end_turn": "stop"}
"""How chat completions name the reasons to stop."""
INCOMPLETE: Final = {"max_tokens": "max_output_tokens", "refusal": "content_filter"}
"""How the Responses API names those that leave a response incomplete."""
FIELDS: Final = {
    "/v1/chat/completions": "messages",
    "/v1/responses": "input",
    "/v1/responses/input_tokens": "input",
}
"""Where each path has its messages."""


class OpenAIServer(ScriptedServer):
    """Speaks both of OpenAI's APIs, refuses what they refuse, and answers from a script as MessagesServer does.

    A tool_use block is a call of a function; a thinking block is an item of reasoning, which a chat leaves out.

    Args:
        answers: what is answered, in order, or one answer; brim.testing has the ways to write answers and failures.
        default: what is answered when the script is at its end.
        context_window: tokens that a request may hold, of every model; it may be set anew at any time.
        key: the only key that is accepted.
        characters_per_token: by which everything is counted.
        port: where it listens; 0 for a free port.
        clock: gives the time of each request, in seconds.
    """

    _base_path: ClassVar = "/v1"

    def __init__(
        self,
        answers: AnswerLike | Iterable[AnswerLike] = (),
        *,
        default: AnswerLike = "Done.",
        context_window: int = 128_000,
        key: str = "sk-test",
        characters_per_token: int = 4,
        port: int = 0,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        script = Script(script_of(answers), default)
        super().__init__(script, [], self._replying, key=key, port=port, clock=clock)
        self.context_window, self._characters_per_token = context_window, characters_per_token
        self._numbers = itertools.count(1)
        self.refusals: list[str] = []
        """Why requests were refused, in order; failures of the script are not among them."""

    def client(self, **options: Any) -> OpenAI:
        """An SDK client for this server, with `max_retries=0` unless `options` say otherwise. The caller closes it."""
        sdk = _sdk()
        made: OpenAI = sdk.OpenAI(**self._options(sdk.DefaultHttpxClient, options))
        return made

    def async_client(self, **options: Any) -> AsyncOpenAI:
        """The same as `client`, for an event loop."""
        sdk = _sdk()
        made: AsyncOpenAI = sdk.AsyncOpenAI(**self._options(sdk.DefaultAsyncHttpxClient, options))
        return made

    def _replying(self, received: Received) -> Reply:
        try:
            tokens = self._admitted(received)
        except ApiError as refused:
            self.refusals.append(refused.message)
            return Reply(status=refused.status, body=_error(refused.message, refused.kind))
        if received.path.endswith("input_tokens"):
            return Reply(body={"object": "response.input_tokens", "input_tokens": tokens})
        try:
            answer = self._next(received.body)
        except Exception as fault:  # noqa: BLE001 - a test's own function failed: the test is told when the server closes
            self._faults.append(fault)
            error = _error(f"the script failed: {fault!r}", "server_error")
            return Reply(status=500, body=error, headers={"x-should-retry": "false"})
        if isinstance(answer, Failure):
            return self._failing(answer, received, tokens)
        return self._answering(answer, received, tokens)

    def _next(self, body: Mapping[str, Any]) -> Answer | Failure:
        """The next of the script. Raises TypeError for a block that the APIs have nothing for."""
        answer = settle(self._script.next(body), body)
        other = {block["type"] for block in getattr(answer, "blocks", ())} - {"text", "thinking", "tool_use"}
        if other:
            raise TypeError(f"a block is {other.pop()!r}; it is a text_block, a thinking_block or a tool_call")
        return answer

    def _admitted(self, received: Received) -> int:
        """The tokens of a request. Raises ApiError where the API refuses it."""
        field, body = FIELDS.get(received.path if received.method == "POST" else ""), received.body
        if field is None:
            raise ApiError(404, "invalid_request_error", f"Unknown request URL: {received.method} {received.path}")
        if received.headers.get("authorization") != f"Bearer {self.key}":
            raise ApiError(401, "invalid_request_error", "Incorrect API key provided")
        for fault in _faults(body, field, counting=received.path.endswith("input_tokens")):
            raise ApiError(400, "invalid_request_error", fault)
        tokens = len(json.dumps(body[field])) // self._characters_per_token
        if tokens > self.context_window:
            told = f"This model's maximum context length is {self.context_window} tokens, and these are {tokens}"
            raise ApiError(400, "invalid_request_error", told)
        return tokens

    def _answering(self, answer: Answer, received: Received, tokens: int) -> Reply:
        body, written = received.body, len(json.dumps(answer.blocks)) // self._characters_per_token
        write = _chat if FIELDS[received.path] == "messages" else _response
        whole, begun, ended = write(answer, body, next(self._numbers), (tokens, max(written, 1)))
        return Reply(events=[*begun, *ended]) if body.get("stream") else Reply(body=whole)

    def _failing(self, failure: Failure, received: Received, tokens: int) -> Reply:
        """The reply of a failure: an error, an answer that breaks off, or nothing at all."""
        ending = None if failure.ending == "error" else failure
        error = _error(failure.message, failure.kind)
        if ending is None and not (received.body.get("stream") and failure.text is not None):
            headers = {} if failure.retry_after is None else {"retry-after": f"{failure.retry_after:g}"}
            return Reply(status=failure.status, body=error, headers=headers)
        if failure.text is None:
            return Reply(ending=ending)
        if not received.body.get("stream"):
            return Reply(body=self._answering(Answer(failure.text), received, tokens).body, ending=ending)
        write = _chat if FIELDS[received.path] == "messages" else _response
        _, begun, _ = write(Answer(failure.text[: failure.after]), received.body, next(self._numbers), (tokens, 1))
        name = "error" if write is _response else ""
        told = {"type": "error", **error["error"]} if name else error
        return Reply(events=begun if ending else [*begun, (name, told)], ending=ending)


def _sdk() -> Any:
    """OpenAI's SDK. Raises ImportError with the extra that has it."""
    try:
        return import_module("openai")
    except ImportError as error:
        raise ImportError(lacks_extra("OpenAI's client", "openai", error)) from error


def _error(message: str, kind: str) -> dict[str, Any]:
    too_long = "maximum context length" in message or "prompt is too long" in message
    code = "context_length_exceeded" if too_long else None
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


def _faults(body: Any, field: str, *, counting: bool) -> Iterator[str]:
    """What is wrong with a request of the API that has its messages in this field; counting needs no model."""
    if not isinstance(body, Mapping):
        yield "We could not parse the JSON body of your request."
        return
    required = ("model", field)[counting:]
    yield from (f"Missing required parameter: '{name}'." for name in required if body.get(name) is None)
    if body.get("previous_response_id"):
        yield f"Previous response with id '{body['previous_response_id']}' not found."
    for n, tool in enumerate(body.get("tools") or ()):
        holder = tool.get("function") if field == "messages" else tool
        if tool.get("type") is None or (tool["type"] == "function" and not (holder or {}).get("name")):
            yield f"Missing required parameter: 'tools[{n}].{'function.name' if 'type' in tool else 'type'}'."
    given: Any = body.get(field)
    if field == "messages":
        yield from openai_chat_complaints(given)
    elif not isinstance(given, str):
        yield from openai_responses_complaints(given)


Written = tuple[dict[str, Any], list[Event], list[Event]]
"""A whole answer, and its stream: what tells the content, and what ends it."""


def _calls(answer: Answer, number: int) -> list[dict[str, Any]]:
    """The calls of an answer: id, name and arguments."""
    calls = [block for block in answer.blocks if block["type"] == "tool_use"]
    return [
        {
            "id": one.get("id", f"call_{number}_{n}"),
            "name": one["name"],
            "arguments": json.dumps(one.get("input") or {}),
        }
        for n, one in enumerate(calls)
    ]


def _chat(answer: Answer, body: Mapping[str, Any], number: int, counts: tuple[int, int]) -> Written:
    """A chat completion."""
    text = "".join(block["text"] for block in answer.blocks if block["type"] == "text")
    calls = [{"id": one.pop("id"), "type": "function", "function": one} for one in _calls(answer, number)]
    reason = answer.stop_reason or ("tool_use" if calls else "end_turn")
    finish = FINISHED.get(reason, reason)
    usage = dict(zip(("prompt_tokens", "completion_tokens", "total_tokens"), (*counts, sum(counts)), strict=True))
    usage |= answer.usage
    base = {"id": f"chatcmpl-{number}", "created": 1, "model": body["model"]}
    message = {"role": "assistant", "content": text or None, "refusal": None} | ({"tool_calls": calls} if calls else {})
    choice = {"index": 0, "message": message, "finish_reason": finish, "logprobs": None}

    def chunk(delta: Mapping[str, Any], finish: str | None = None) -> Event:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        return "", {**base, "object": "chat.completion.chunk", "choices": choices}

    begun = [chunk({"role": "assistant", "content": ""}), *(chunk({"content": piece}) for piece in pieces(text))]
    for index, call in enumerate(calls):
        begun += [chunk({"tool_calls": [{"index": index, **call, "function": {**call["function"], "arguments": ""}}]})]
        begun += [
            chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
            for piece in pieces(call["function"]["arguments"])
        ]
    counted: list[Event] = [("", {**base, "object": "chat.completion.chunk", "choices": [], "usage": usage})]
    counted = counted if (body.get("stream_options") or {}).get("include_usage") else []
    whole = {**base, "object": "chat.completion", "choices": [choice], "usage": usage}
    return whole, begun, [chunk({}, finish), *counted, ("", "[DONE]")]


def _response(answer: Answer, body: Mapping[str, Any], number: int, counts: tuple[int, int]) -> Written:
    """A response."""
    usage = {
        "input_tokens": counts[0],
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": counts[1],
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": sum(counts),
    } | dict(answer.usage)
    calls, output = iter(_calls(answer, number)), list[dict[str, Any]]()
    for n, block in enumerate(answer.blocks):
        item = {"id": f"{block['type']}_{number}_{n}", "status": "completed"}
        match block["type"]:
            case "text":
                part = {"type": "output_text", "text": block["text"], "annotations": []}
                output.append({**item, "type": "message", "role": "assistant", "content": [part]})
            case "tool_use":
                call = next(calls)
                output.append({**item, "type": "function_call", "call_id": call.pop("id"), **call})
            case _:
                output.append({"id": item["id"], "type": "reasoning", "summary": [], "encrypted_content": "gAAAA" * 40})
    lacks = INCOMPLETE.get(answer.stop_reason or "")
    rest = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": [], "error": None, "incomplete_details": None}
    base = {"id": f"resp_{number}", "object": "response", "created_at": 1, "model": body["model"], **rest}
    status, details = ("incomplete", {"reason": lacks}) if lacks else ("completed", None)
    whole = {**base, "status": status, "incomplete_details": details, "output": output, "usage": usage}
    opened = {**base, "status": "in_progress", "output": [], "usage": None}
    told: list[dict[str, Any]] = [{"type": "response.created", "response": opened}]
    told += (event for n, item in enumerate(output) for event in _item_events(item, n))
    events: list[Event] = [
        (one["type"], {**one, "sequence_number": n})
        for n, one in enumerate([*told, {"type": f"response.{status}", "response": whole}])
    ]
    return whole, events[:-1], events[-1:]


def _item_events(item: dict[str, Any], index: int) -> Iterator[dict[str, Any]]:
    """The events by which an item of a response is streamed."""
    at = {"item_id": item["id"], "output_index": index}
    unsaid: dict[str, Any] = {"message": {"content": []}, "function_call": {"arguments": ""}}
    empty = unsaid.get(item["type"], {})
    yield {"type": "response.output_item.added", "output_index": index, "item": {**item, **empty}}
    if item["type"] == "function_call":
        kind, whole = "response.function_call_arguments", item["arguments"]
        yield from ({"type": f"{kind}.delta", **at, "delta": piece} for piece in pieces(whole))
        yield {"type": f"{kind}.done", **at, "name": item["name"], "arguments": whole}
    if item["type"] == "message":
        (part,) = item["content"]
        at = {**at, "content_index": 0}
        yield {"type": "response.content_part.added", **at, "part": {**part, "text": ""}}
        said = [{"type": "response.output_text.delta", **at, "delta": piece} for piece in pieces(part["text"])]
        yield from ({**one, "logprobs": []} for one in said)
        yield {"type": "response.output_text.done", **at, "text": part["text"], "logprobs": []}
        yield {"type": "response.content_part.done", **at, "part": part}
    yield {"type": "response.output_item.done", "output_index": index, "item": item}
