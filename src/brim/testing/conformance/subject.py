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

Messages: TypeAlias = list[dict[str, Any]]
Summarize: TypeAlias = Callable[[Messages], Messages]
"""Answers the messages of a request with content blocks; raises SummarizerFailed. Can be pickled."""
KEYWORDS: Final = ("summarize", "window", "pinned", "system", "tools")
LONGEST_LINE: Final = 300
START_SECONDS: Final = 120
"""How long the module may take to be imported."""


class Broken(Exception):
    """The compactor did not return what can be judged: one line says why."""


@dataclass(frozen=True, slots=True)
class Compacted:
    """What one call came to."""

    messages: Messages
    """The result; what it was called with where it raised."""
    is_refusal: bool
    """Whether nothing was done."""
    prompts: Sequence[Messages]
    """The messages of each call of the summarizer."""
    error: str
    """What it raised, in one line; empty where it returned."""
    changed_input: bool


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
        connection.send(accepted_by(function))
    except BaseException as error:  # noqa: BLE001 - whatever a module does when it is imported
        connection.send(Broken(one_line(error)))
        return
    while True:
        connection.send(_outcome(function, *connection.recv()))


def _outcome(function: Callable[..., Any], messages: Messages, options: dict[str, Any]) -> Compacted | Broken:
    """Call the compactor once."""
    text, prompts = json.dumps(messages), list[Messages]()
    before, summarize = json.loads(text), options.get("summarize", list)

    def ask(prompt: Any) -> Any:
        prompts.append(json.loads(json.dumps([*prompt], default=str)))
        return summarize(prompts[-1])

    if "summarize" in options:
        options["summarize"] = ask
    result, error = before, ""
    try:
        result = function(messages, **options)
    except BaseException as raised:  # noqa: BLE001 - whatever it raises is what the check is told
        error = one_line(raised)
    if inspect.isawaitable(result):
        getattr(result, "close", lambda: None)()
        return Broken("is async: it returned a coroutine; wrap it in asyncio.run")
    if not isinstance(result, list) or not all(isinstance(one, Mapping) for one in result):
        return Broken(f"returned no list of messages but {type(result).__name__}")
    try:
        result = json.loads(json.dumps(result))
        return Compacted(result, result == before, prompts, error, json.dumps(messages) != text)
    except (TypeError, ValueError) as raised:
        return Broken(f"returned messages that are no JSON: {one_line(raised)}")


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
        self.accepts: tuple[str, ...] = self._receive()
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

    def compact(self, messages: Messages, **options: Any) -> Compacted:
        """Call the compactor once, with what it accepts of the options. Raises Broken."""
        if not self._process.is_alive():
            self._start()
        self._connection.send((messages, {name: options[name] for name in self.accepts}))
        done: Compacted = self._receive()
        return done

    def _receive(self) -> Any:
        """Return what the process sends. Raises Broken where that says so or nothing comes, and ends it there."""
        if not self._connection.poll(max(0.0, self._deadline - monotonic())):
            fault = f"hangs: ended after {self._allowed:g} seconds"
        else:
            try:
                received = self._connection.recv()
            except EOFError:
                self._process.join()
                fault = f"ended its process, with exit code {self._process.exitcode}"
            else:
                if isinstance(received, Broken):
                    raise received
                return received
        self.close()
        raise Broken(fault)
