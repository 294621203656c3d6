"""Recording: a conversation goes on where its session left off, and writes there what happens in it.

Specified by features/engine/recording.feature (SES_18).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import TypeAlias

from brim.compaction.result import Compaction
from brim.conversation.messages import PLAIN, Message
from brim.errors import BrimError, InvalidInput, Refused, warn
from brim.pruning.tool_outputs import Pruning
from brim.sessions.session import Session, UsageAfter
from brim.sessions.view import View
from brim.tokens.usage import TokenUsage

UsageOfAnswer: TypeAlias = Callable[[Sequence[Message]], TokenUsage]
"""What the usage of a response measures, given the messages of the answer."""


class Recording:
    """Writes the messages, usages, compactions and clearings of one conversation into its session.

    Raises InvalidInput for what is no session, and Refused for one that is open to be read.
    """

    def __init__(self, session: Session) -> None:
        if not isinstance(session, Session):
            raise InvalidInput(f"session is {type(session).__name__}; it is what a store's create or open returned")
        if not session.is_writable:
            raise Refused(f"session {session.id} is open to be read: open it with the store's open")
        self._session = session
        self._usage: tuple[UsageOfAnswer, str] | None = None
        """The usage and the model of a response whose message is not appended yet."""

    def resume(self) -> View:
        """Return what the session shows. Calls that never got their results are answered in the log first.

        Otherwise the next message would come between a call and its result.
        """
        view = self._session.view()
        answers = [*takewhile(lambda shown: shown[0] is None, zip(view.ids[::-1], view.messages[::-1], strict=True))]
        if not answers or len(answers) == len(view.messages):
            return view
        self._session.extend([message.raw for _, message in reversed(answers)])
        return self._session.view()

    @property
    def has_checkpoint(self) -> bool:
        """Whether the user made a checkpoint of the session since its newest message (ANC_07)."""
        return self._session.has_checkpoint

    def append(self, messages: Sequence[Message]) -> None:
        """Write messages, and behind the answer among them its usage, in one write: all of them, or an error and none.

        A usage that is not of its form is a warning.
        """
        unmarked = [replace(one, marks=PLAIN) for one in messages]
        answer = [*takewhile(lambda one: one.role == "assistant", unmarked)]
        if self._usage is None or not answer:
            self._session.extend(unmarked)
        else:
            usage, model = self._usage
            try:
                self._session.extend(unmarked, usage_after=UsageAfter(len(answer), usage(answer), model))
            except InvalidInput as error:
                self._warn("a usage", error)
                self._session.extend(unmarked)
        if messages:
            self._usage = None

    def used(self, usage: UsageOfAnswer, model: str, appended: Sequence[Message]) -> None:
        """Write the usage of a response behind its message: now where that was appended, else as soon as it is.

        `appended` are the messages that were appended since the request. Where others follow the answer it is too late.
        """
        if not appended:
            self._usage = (usage, model)
        elif all(one.role == "assistant" for one in appended):
            self._attempt("a usage", lambda: self._session.record(usage(appended), model=model))

    def compacted(self, compaction: Compaction) -> None:
        """Write a compaction of what the session shows; one that cannot be written is a warning.

        A usage that waits for its answer measured the messages before it, and is not written.
        """
        self._usage = None
        self._attempt("a compaction", lambda: self._session.compacted(compaction, of_conversation=True))

    def pruned(self, pruning: Pruning, messages: Sequence[Message]) -> None:
        """Write that old outputs of these messages were cleared; what cannot be written is a warning."""
        self._attempt("cleared outputs", lambda: self._session.pruned(pruning, of_messages=messages))

    def _attempt(self, what: str, write: Callable[[], object]) -> None:
        """Warn where `write` fails and go on: the session holds every message, and shows all where this is missing."""
        try:
            write()
        except BrimError as error:
            self._warn(what, error)

    def _warn(self, what: str, error: BrimError) -> None:
        warn(f"{what} could not be recorded in session {self._session.id}: {error}")
