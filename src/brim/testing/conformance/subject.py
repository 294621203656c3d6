"""The subject: the compactor that is judged, in a process of its own, which ends with the check that it outlasts."""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from multiprocessing import get_context
from multiprocessing.connection import Connection
from time import monotonic
from typing import Any, Final, TypeAlias

from brim.testing.conformance import SummarizerFailed

Messages: TypeAlias = list[dict[str, Any]]
Summarize: TypeAlias = Callable[[Messages], Messages]
"""Answers the messages of a request with content blocks; raises SummarizerFailed."""
KEYWORDS: Final = ("summarize", "window", "pinned", "system", "tools")
LONGEST_LINE: Final = 300
START_SECONDS: Final = 120
"""How long the module may take to be imported."""


class Broken(Exception):
    """The compactor did not return what can be judged: one line says why."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """What one call came to."""

    before: Messages
    """The messages that it was called with."""
    messages: Messages
    """The result; the same where it raised."""
    prompts: Sequence[Messages] = ()
    """The messages of each call of the summarizer."""
    error: str = ""
    """What it raised, in one line; empty where it returned."""
    changed_input: bool = False

    @property
    def is_refusal(self) -> bool:
        """Return whether nothing was done."""
        return self.messages == self.before


def one_line(error: BaseException) -> str:
    """Write an error as its type and the beginning of what it says."""
    return " ".join(f"{type(error).__name__}: {error}".split())[:LONGEST_LINE]


def accepted_by(function: Callable[..., Any]) -> tuple[str, ...]:
    """Return the keywords of the kit that a signature accepts."""
    parameters = inspect.signature(function).parameters.values()
    names = {one.name for one in parameters if one.kind in (one.KEYWORD_ONLY, one.POSITIONAL_OR_KEYWORD)}
    takes_all = any(one.kind is one.VAR_KEYWORD for one in parameters)
    return tuple(name for name in KEYWORDS if takes_all or name in names)


def serve(connection: Connection, target: str) -> None:
    """Import the compactor and carry out the calls that come; the main function of its process."""
    sys.path.insert(0, "")
    try:
        module, _, name = target.partition(":")
        function: Any = importlib.import_module(module)
        for part in name.split("."):
            function = getattr(function, part)
        connection.send(("ready", accepted_by(function)))
    except BaseException as error:  # noqa: BLE001 - whatever a module does when it is imported
        connection.send(("unusable", one_line(error)))
        return
    while True:
        connection.send(_outcome(connection, function, *connection.recv()))


def _outcome(connection: Connection, function: Callable[..., Any], messages: Messages, options: dict[str, Any]) -> Any:
    """Call the compactor once."""
    before = json.dumps(messages)
    if "summarize" in options:
        options["summarize"] = lambda prompt: _ask(connection, prompt)
    try:
        result = function(messages, **options)
    except BaseException as error:  # noqa: BLE001 - whatever it raises is what the check is told
        return "raised", one_line(error), json.dumps(messages) != before
    if inspect.isawaitable(result):
        getattr(result, "close", lambda: None)()
        return "broken", "is async: it returned a coroutine; wrap it in asyncio.run"
    if not isinstance(result, list) or not all(isinstance(one, Mapping) for one in result):
        return "broken", f"returned no list of messages but {type(result).__name__}"
    try:
        return "returned", json.loads(json.dumps(result)), json.dumps(messages) != before
    except (TypeError, ValueError) as error:
        return "broken", f"returned messages that are no JSON: {one_line(error)}"


def _ask(connection: Connection, prompt: Any) -> Messages:
    """Ask the kit for a summary. Raises what its summarizer raised."""
    connection.send(("asks", json.loads(json.dumps([*prompt], default=str))))
    answer: Messages | SummarizerFailed = connection.recv()
    if isinstance(answer, SummarizerFailed):
        raise answer
    return answer


class Subject:
    """The compactor. Its process is ended where a check takes longer than its seconds; the next call starts a new one.

    Raises Broken where it cannot be imported.
    """

    def __init__(self, target: str, seconds: float) -> None:
        self._target, self._seconds = target, seconds
        self._start()

    def _start(self) -> None:
        """Begin with a process that knows nothing. Raises Broken where it cannot be imported."""
        self._connection, other = get_context("spawn").Pipe()
        self._process = get_context("spawn").Process(target=serve, args=(other, self._target), daemon=True)
        self._process.start()
        other.close()
        self._allow(START_SECONDS)
        match self._receive():
            case "ready", accepts:
                self.accepts: tuple[str, ...] = accepts
            case _, fault:
                self.close()
                raise Broken(fault)
        self.begin_check()

    def begin_check(self) -> None:
        """Count the seconds of a check from here."""
        self._allow(self._seconds)

    def _allow(self, seconds: float) -> None:
        self._allowed, self._deadline = seconds, monotonic() + seconds

    def close(self) -> None:
        """End its process."""
        self._process.kill()
        self._process.join()
        self._connection.close()

    def compact(self, messages: Messages, *, summarize: Summarize, **options: Any) -> Compacted:
        """Call the compactor once, with what it accepts of the options. Raises Broken."""
        if not self._process.is_alive():
            self._start()
        options = {name: value for name, value in options.items() if name in self.accepts}
        if "summarize" in self.accepts:
            options["summarize"] = None
        self._connection.send((messages, options))
        prompts: list[Messages] = []
        while True:
            match self._receive():
                case "asks", prompt:
                    prompts.append(prompt)
                    self._connection.send(_answer(summarize, prompt))
                case "returned", result, changed:
                    return Compacted(messages, result, prompts, changed_input=changed)
                case "raised", error, changed:
                    return Compacted(messages, messages, prompts, error, changed)
                case _, fault:
                    raise Broken(fault)

    def _receive(self) -> Any:
        """Return the next message of the process. Raises Broken where none comes, and ends it."""
        if not self._connection.poll(max(0.0, self._deadline - monotonic())):
            fault = f"hangs: ended after {self._allowed:g} seconds"
        else:
            try:
                return self._connection.recv()
            except EOFError:
                self._process.join()
                fault = f"ended its process, with exit code {self._process.exitcode}"
        self.close()
        raise Broken(fault)


def _answer(summarize: Summarize, prompt: Messages) -> Messages | SummarizerFailed:
    try:
        return summarize(prompt)
    except SummarizerFailed as error:
        return error
