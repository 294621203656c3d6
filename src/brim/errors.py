"""The errors of brim, one base and few kinds; a message says what was met, with its numbers, and what would cure it."""

from __future__ import annotations

import difflib
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import wraps
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

if TYPE_CHECKING:
    from pydantic import ValidationError


class BrimError(Exception):
    """Anything that brim itself reports; never raised bare."""


class InvalidInput(BrimError):
    """Input that is not of the form asked for: names the message and the field."""


class Refused(BrimError):
    """A request that a rule of the rulebook refuses: names the numbers and the cure."""


class UnknownLimits(Refused):
    """A model whose context window is unknown: names the model (TRG_23)."""


class ContextOverflow(Refused):
    """What must be kept does not fit into the usable context, however much is summarized (TRG_18, TRG_19)."""

    def __init__(self, message: str, parts: Mapping[str, int] | None = None) -> None:
        super().__init__(message)
        self.parts = dict(parts or {})
        """Tokens, by estimate, of each part that must be kept: system prompt, tools, pinned messages ..."""


class CompactionStalled(Refused):
    """Three compactions in a row left the window due, although what must be kept fits: names their numbers (TRG_19)."""


class SessionHeld(Refused):
    """Another process writes this session: names it, its machine and since when (SES_08)."""


class ProviderRefused(BrimError):
    """The provider refuses a request, and waiting does not cure it."""


class WrongKey(ProviderRefused):
    """No key was given to the client, the provider does not know it, or it may not do what was asked."""


class UnknownModel(ProviderRefused):
    """The provider has no model of that name."""


class ProviderFailed(BrimError):
    """The provider could not be reached, or failed, for as long as was tried."""


class SummaryFailed(BrimError):
    """No attempt gave an acceptable summary; the conversation is unchanged (SUM_06)."""


class StoreFailed(BrimError):
    """The store could not be read or written: no room, no permission, no server. Nothing was acknowledged (SES_07)."""


class CompactionCancelled(BrimError):
    """The caller cancelled a compaction before it was done; nothing has changed (CMP_08)."""


def window_unknown(model: str) -> str:
    """Return that the context window of a model is not known, and what cures it."""
    return (
        f"the context window of {model!r} is not known: pass limits=ModelLimits(context_window=…, max_output_tokens=…)"
    )


def text_of(value: object) -> str:
    """Return a value as text; its type where Python cannot write it.

    That is an integer of more than 4,300 digits, a deeply nested list, or an object of a caller's that raises.
    """
    try:
        return str(value)
    except Exception:  # noqa: BLE001 -- a caller's object may raise anything
        return f"<unprintable {type(value).__name__}>"


MAX_SHOWN: Final = 200
"""Characters of a value in a message."""


def shown(value: object) -> str:
    """Return a value as a message shows it: a text in quotes, without secrets, and cut where it is long."""
    from brim.secret_patterns import masked  # noqa: PLC0415  it compiles its patterns

    text = repr(value) if isinstance(value, str) else text_of(value)
    text = masked(text[: 10 * MAX_SHOWN])  # a secret is found whole
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"


INSTALLERS: Final = {"/uv/tools/": "uv tool install", "/pipx/venvs/": "pipx install --force"}
"""The installer of an environment, by a part of its path."""


def lacks_extra(what: str, extra: str, error: ImportError) -> str:
    """Return what to say where the packages of an extra are missing."""
    return f"{what} needs more ({error}): install brim with its extra, as by {installing(extra)}"


def installing(extra: str) -> str:
    """Return the command that installs brim with an extra, by what installed this one."""
    prefix = sys.prefix.replace("\\", "/")
    how = next((how for folder, how in INSTALLERS.items() if folder in prefix), "pip install")
    return f"{how} '.[{extra}]' in a clone"


def described(error: BaseException) -> str:
    """Return the type of an error and what it says; the type alone where it says nothing."""
    text = text_of(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


P = ParamSpec("P")
T = TypeVar("T")
_first: Final[ContextVar[int | None]] = ContextVar("_first", default=None)


@contextmanager
def reading(first: int) -> Iterator[None]:
    """Name the messages that are read within it in warnings, by the index of the first."""
    token = _first.set(first)
    try:
        yield
    finally:
        _first.reset(token)


def advisory(reader: str, nothing: Callable[..., Any]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Decorate a function that reads old text: where it raises, its result is that of `nothing`, and a warning says so.

    What it reads is advice, which never ends a request. The warning names the reader, what it read and the error; by
    default Python shows each text once. A BrimError, such as of a policy that is refused, is raised all the same.
    """

    def decorate(read: Callable[P, T]) -> Callable[P, T]:
        @wraps(read)
        def guarded(*args: P.args, **options: P.kwargs) -> T:
            try:
                return read(*args, **options)
            except (BrimError, Warning):  # a warning where the user has made it an error
                raise
            except Exception as error:  # noqa: BLE001 -- whatever it is, the request goes on
                warn_of_reader(reader, error)
                result: T = nothing(*args, **options)
                return result

        return guarded

    return decorate


def warn(text: str, kind: type[Warning] = UserWarning) -> None:
    """Warn whoever called brim: the warning names the nearest line outside of it."""
    frame, level = sys._getframe(1), 2  # noqa: SLF001 -- as warnings itself does
    while frame.f_back is not None and str(frame.f_globals.get("__name__")).startswith("brim."):
        frame, level = frame.f_back, level + 1
    warnings.warn(text, kind, stacklevel=level)


def warn_of_reader(reader: str, error: Exception) -> None:
    """Warn that brim could not read something, and goes on without it."""
    from brim.secret_patterns import masked  # noqa: PLC0415  it compiles its patterns

    try:
        reason = masked(described(error))
    except Exception:  # noqa: BLE001 -- what finds the secrets may be what failed
        reason = type(error).__name__
    first = _first.get()
    place = "" if first is None else f", in the turn from message {first} on"
    warnings.warn(f"brim cannot read {reader}{place}, and goes on without: {reason}; please report it", stacklevel=2)


def nearest(name: object, known: Iterable[str]) -> str:
    """Return a hint at the known name that a misspelt one is nearest to, or at all of them."""
    names = list(known)
    near = difflib.get_close_matches(text_of(name), names, n=1)
    return f"did you mean {near[0]}?" if near else f"there are: {', '.join(names)}"


def faults_of(error: ValidationError, known: Iterable[str] = ()) -> str:
    """Return the fields that have another form than they should: each with the value it has, and what it should be.

    Of `known` fields the nearest is named where there is no such field.
    """
    faults = []
    for fault in error.errors(include_url=False):
        place, met = ".".join(map(text_of, fault["loc"])) or "it", shown(fault["input"])
        match fault["type"]:
            case "missing":
                faults.append(f"{place} is missing")
            case "extra_forbidden":
                faults.append(f"there is no {place!r}; {nearest(place, known)}" if known else f"there is no {place}")
            case "model_type" | "dict_type":
                faults.append(f"{place} is {met}; it should be an object")
            case _:
                faults.append(f"{place} is {met}; {fault['msg'].replace('Input should', 'it should', 1)}")
    return "; ".join(faults)
