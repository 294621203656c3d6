"""Steps of features/engine/conversation.feature."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from copy import deepcopy
from typing import Any

from anthropic import APIStatusError
from pytest_bdd import given, parsers

from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.errors import BrimError, Refused
from brim.models import ModelLimits
from brim.testing import MessagesServer, ScriptedSummarizer
from brim.tokens.usage import TokenUsage
from steps.policies import with_policy
from steps.vocabulary import tokens
from steps.worlds.agents import SUMMARY, Agent, ListingAgent, filler
from steps.worlds.conversation_line import Line


class LoopAgent(ListingAgent):
    """An agent with a loop of its own, which appends each message to a conversation, and sends what that prepares."""

    def __init__(
        self, server: MessagesServer, agent: Any, limits: dict[str, Any], settings: dict[str, Any], prepares: str | None
    ) -> None:
        is_listing = isinstance(agent, ListingAgent)
        super().__init__(server, agent.messages if is_listing else agent.new, in_loop=is_listing and agent.in_loop)
        answer = self._asked if prepares == "summarizer" else SUMMARY
        self.summarizer = ScriptedSummarizer([answer], repeat=True)
        listener = self._prepares_within if prepares == "listener" else lambda _event: None
        self.conversation: Any = Conversation(
            Compactor(
                limits=ModelLimits(**limits) if limits else None,
                summarizer=self.summarizer,
                on_event=listener,
                **with_policy(settings),
            )
        )
        self.system: str | None = None
        self.said: list[Any] = []
        """What it has appended, as it was."""
        self.answer_or_error = self.error_that_the_part_meets = ""

    @contextmanager
    def working(self) -> Iterator[None]:
        """Open a client; whatever the agent does, the conversation holds its messages as they were."""
        with Agent.working(self), self.server.client() as self.client:
            yield
        assert self.conversation.messages == self.said

    def _appends(self) -> None:
        new = self.messages[len(self.said) :]
        self.said += deepcopy(new)
        self.conversation.extend(new)

    def prepares(self) -> None:
        """Prepare a request that fails, or whose response it records itself."""
        self._appends()
        if self.in_loop:
            self.outgoing = asyncio.run(self.conversation.aprepare(system=self.system))
        else:
            self.outgoing = self.conversation.prepare(system=self.system)

    def sends(self, how: str | None) -> None:
        """Make a request, and append its response and a question, or note what it met."""
        del how
        self._appends()

        async def in_a_loop(messages: list[Any]) -> Any:
            return self._call(messages)

        try:
            response = (
                asyncio.run(self.conversation.asend(in_a_loop)) if self.in_loop else self.conversation.send(self._call)
            )
        except (APIStatusError, BrimError) as error:
            self.answer_or_error = str(error)
        else:
            self.answer_or_error = response.content[-1].text
            content = response.model_dump(mode="json", exclude_unset=True)["content"]
            self.messages += [{"role": "assistant", "content": content}, {"role": "user", "content": "And?"}]

    def _call(self, messages: list[Any]) -> Any:
        return self.client.messages.create(**self.request | {"messages": messages})

    def records(self, read: str, written: str, early: str | None) -> None:
        """Record the usage of a response."""
        try:
            self.conversation.record(TokenUsage(input=tokens(read), output=tokens(written)), finished=not early)
        except BrimError as error:
            self.answer_or_error = str(error)

    def takes(self, line: str) -> None:
        """Go on by the messages of a line."""
        self.messages += Line.read(line).raws

    def grows_its_system_prompt(self, count: str) -> None:
        """Have a system prompt that is longer by so much."""
        self.system = filler(tokens(count))

    def _asked(self, _request: Any) -> str:
        self._prepares_within(None)
        return SUMMARY

    def _prepares_within(self, _event: Any) -> None:
        try:
            if self.in_loop:
                self.conversation.aprepare().send(None)
            else:
                self.conversation.prepare()
        except Refused as refusal:
            self.error_that_the_part_meets = str(refusal)

    @property
    def requests(self) -> int:
        """How many requests reached the provider."""
        return len(self.server.requests)

    @property
    def summaries(self) -> int:
        """How many summaries were asked for."""
        return len(self.summarizer.requests)

    @property
    def messages_sent(self) -> int:
        """How many messages its last request held."""
        return len(self.sent)

    @property
    def last_message_sent(self) -> str:
        """The words of the last of them."""
        return str(self.sent[-1]["content"])

    @property
    def same_objects(self) -> bool:
        """Whether what it prepared are the messages that it appended."""
        return all(one is own for one, own in zip(self.outgoing.messages, self.messages, strict=True))

    @property
    def at_most_half_as_long(self) -> bool:
        """Whether its second request has at most half the length of the first."""
        first, second = (len(json.dumps(one.body["messages"])) for one in self.server.requests)
        return second <= first // 2

    @property
    def tokens_held(self) -> int:
        """The tokens of the request that it prepared last."""
        return self.outgoing.window.held


@given(
    parsers.re(
        "the agent has a loop of its own(?:, whose (?P<prepares>listener|summarizer) prepares its conversation)?"
    ),
    target_fixture="agent",
)
def has_loop(strict_server, agent, limits, settings, prepares):
    return LoopAgent(strict_server, agent, limits, settings, prepares)
