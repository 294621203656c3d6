"""Proxied: an agent of the SDK that knows of no proxy, and the strict upstream that the proxy forwards to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from brim.testing.answers import AnswerLike, text_block, thinking_block, tool_call
from brim.testing.conformance import PromptTooLong, SummarizerFailed
from brim.testing.conformance import conversations as made
from brim.testing.conformance.judging import Message
from brim.testing.conformance.subject import Messages, Summarize, one_line
from brim.testing.conformance.summaries import faithful
from brim.testing.failures import overloaded, rejected
from brim.testing.messages_server import MessagesServer

if TYPE_CHECKING:
    from anthropic import Anthropic

MAX_TOKENS: Final = 3_977
"""The longest answer that the agent asks for. A request for another one is the proxy's own: it is for a summary."""
STEPS: Final = 4
"""Calls of a tool in the work on one request."""
THINKING: Final = {"type": "adaptive"}
RESULT_SIZE: Final = 10_000
"""Characters that a tool answers."""


class Upstream:
    """The strict server behind the proxy. Its model works where the agent asks, and summarizes where the proxy does."""

    def __init__(self, port: int) -> None:
        self.server = MessagesServer(default=self._answer, models={made.MODEL: (made.WINDOW, 8_000)}, port=port)
        self.begin_check(faithful)

    def begin_check(self, summarize: Summarize) -> None:
        """Summarize like this from here on, and forget what has come."""
        self._summarize = summarize
        self.bodies: list[Mapping[str, Any]] = []
        """The agent's requests, as the proxy sent them on."""
        self._earlier = len(self.server.requests)

    @property
    def summary_calls(self) -> int:
        """Count the proxy's own requests for an answer, those that were refused among them."""
        received = self.server.requests[self._earlier :]
        bodies = [one.body for one in received if one.path == "/v1/messages"]
        return sum(not body or body.get("max_tokens") != MAX_TOKENS for body in bodies)

    def _answer(self, body: Mapping[str, Any]) -> AnswerLike:
        if body["max_tokens"] == MAX_TOKENS:
            self.bodies.append(body)
            return _step(len(self.bodies))
        try:
            return self._summarize([*body["messages"]])
        except PromptTooLong as error:
            return rejected(str(error))
        except SummarizerFailed:
            return overloaded()


def _step(number: int) -> AnswerLike:
    """Work: think, and call a tool or, when a request is done, say so."""
    thought = thinking_block(f"Step {number} is next.")
    if number % (STEPS + 1):
        return [thought, tool_call("read_file", {"path": f"src/step_{number}.py"})]
    return [thought, text_block("It is written, and its tests pass.")]


class Refused(Exception):
    """The agent got no answer: one line says at which turn, and why."""


class Agent:
    """An agent of the SDK that works on one request after the other, and compacts nothing itself."""

    def __init__(self, client: Anthropic, first: int) -> None:
        self._client, self._number = client, first
        self.requests: list[Message] = []
        """For each turn what the user asked last."""
        self.messages: Messages = [made.request(first)]

    def work(self, turns: int, *, streamed: bool = False) -> None:
        """Ask so often, and answer what is called. Raises Refused."""
        for _ in range(turns):
            answer = self._ask(streamed=streamed)
            self.messages.append({"role": "assistant", "content": answer})
            calls = [block for block in answer if block["type"] == "tool_use"]
            self._number += not calls
            self.messages.append(made.results(calls, RESULT_SIZE) if calls else made.request(self._number))

    def _ask(self, *, streamed: bool) -> Messages:
        self.requests.append(made.request(self._number))
        request: Any = made.body_of(self.messages) | {"max_tokens": MAX_TOKENS, "thinking": THINKING}
        try:
            if streamed:
                with self._client.messages.stream(**request) as stream:
                    answer = stream.get_final_message()
            else:
                answer = self._client.messages.create(**request)
        except Exception as error:
            raise Refused(f"turn {len(self.requests)} got no answer: {one_line(error)}") from error
        return [block.model_dump(exclude_none=True) for block in answer.content]
