"""Events: what an agent tells a hook on standard input, and what the jobs of brim answer; the agent is never stopped.

Specified by features/hooks/events.feature (HOK_03).
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from os import SEEK_END
from pathlib import Path
from types import FrameType
from typing import Any, Final, TypeAlias

from brim.errors import BrimError, InvalidInput, described, shown

EVENTS: Final = {"session-start": "SessionStart", "user-prompt-submit": "UserPromptSubmit"}
"""The events, by the names of their commands."""
COMPACTED: Final = "compact"
"""The source of a session's start after a compaction."""
NEWEST_BYTES: Final = 6 * 1024 * 1024
"""Bytes at the end of a transcript that are read at most: what can be read and compared in half a second."""
CPU_SECONDS: Final = 0.7
"""Seconds of the processor that a job has."""
WAIT_SECONDS: Final = 5
"""Seconds of the clock that it has, where the disk or the machine is slow."""
AGAIN_SECONDS: Final = 0.1
"""Seconds until it is stopped again: Python ignores an error that is raised while it deletes an object."""


MARK: Final = "[brim] Recovered from this session's transcript after a compaction."
"""How an answer begins; a transcript that holds it after the compaction shows that it arrived."""
BOUNDARIES: Final = (b'"compact_boundary"', b'"compacted"')
"""What a line holds that records a compaction, in Claude Code and in Codex; inside a text the quotes are escaped."""


class OutOfTime(BrimError):
    """A job took too long for a hook, which the agent waits for."""


@dataclass(frozen=True, slots=True)
class HookInput:
    """What an agent tells a hook."""

    event: str
    """The event, by the name of its command."""
    transcript: Path | None
    """The session's transcript; None where the agent keeps none."""
    source: str = ""
    """Why the session starts: startup, resume, clear or compact."""
    prompt: str = ""
    """What the user has just written."""
    session: str = ""
    """The agent's id of its session."""
    folder: Path | None = None
    """The folder that the agent works in."""


@dataclass(frozen=True, slots=True)
class HookAnswer:
    """What the jobs came to."""

    context: str
    """What is added to the conversation; empty for nothing."""
    notes: tuple[str, ...]
    """Why a job added nothing where it should have, or added less."""


Note: TypeAlias = Callable[[str], None]
Job: TypeAlias = Callable[[HookInput, Note], str]
"""What a job adds to the conversation at an event, empty for nothing; it may note something, and raise anything."""


def read_input(event: str, raw: bytes) -> HookInput:
    """Read what an agent tells a hook. Raises InvalidInput."""
    import json  # noqa: PLC0415  see brim.cli: a command imports what it needs

    try:
        given = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InvalidInput("standard input is not JSON; an agent gives a hook its input there") from error
    if not isinstance(given, dict):
        raise InvalidInput(f"standard input is {shown(given)}; it should be a JSON object")
    named = given.get("hook_event_name", EVENTS[event])
    if named != EVENTS[event]:
        raise InvalidInput(f"this is the hook of {EVENTS[event]}, and the agent's event is {shown(named)}")
    texts = {name: text for name in ("source", "prompt") if isinstance(text := given.get(name), str)}
    session = given.get("session_id")
    return HookInput(
        event,
        _path(given, "transcript_path", "a file"),
        **texts,
        session=session if isinstance(session, str) else "",
        folder=_path(given, "cwd", "a folder"),
    )


def _path(given: Mapping[str, Any], name: str, what: str) -> Path | None:
    """A path that the agent names; None where it names none. Raises InvalidInput."""
    place = given.get(name)
    if place is None:
        return None
    if not (isinstance(place, str) and place and "\0" not in place):
        raise InvalidInput(f"{name} is {shown(place)}; it should be the path of {what}")
    try:
        return Path(place).expanduser()
    except RuntimeError as error:
        raise InvalidInput(f"{name} is {shown(place)}, and there is no such user") from error


def give_back_context(given: HookInput, note: Note) -> str:
    """The job `context`: what the conversation lacks after a compaction (HOK_01, HOK_02)."""
    if given.event == "session-start" and given.source != COMPACTED:
        return ""
    if given.transcript is None:
        raise InvalidInput("the agent names no transcript_path, so that nothing can be given back")
    newest = newest_bytes(given.transcript)
    if given.event == "user-prompt-submit" and not may_lack(newest):
        return ""
    from brim.hooks import lost_context as lost  # noqa: PLC0415
    from brim.transcripts.formats import read_transcript  # noqa: PLC0415

    transcript = read_transcript(given.transcript, newest_bytes=NEWEST_BYTES)
    if transcript.format not in lost.FORMATS:
        raise InvalidInput(
            f"{given.transcript} is a transcript of {transcript.format}; hooks read {' and '.join(lost.FORMATS)}"
        )
    if given.event == "session-start":
        text = lost.lost_at_start(transcript)
    else:
        text = lost.lost_at_prompt(transcript, given.prompt)
    size = given.transcript.stat().st_size
    if text and size > NEWEST_BYTES:
        note(f"of {given.transcript} the newest {NEWEST_BYTES // 2**20} of {size // 2**20} MiB were read")
    return text


def may_lack(newest: bytes) -> bool:
    """Whether the end of a transcript holds a compaction, and no answer of brim after it.

    Each prompt of the user waits for this, so that no reader is loaded for it.
    """
    at = max(newest.rfind(boundary) for boundary in BOUNDARIES)
    return at >= 0 and MARK.encode() not in newest[at:]


def make_checkpoint(given: HookInput, _note: Note) -> str:
    """The job `checkpoints`: the files as they are before a prompt (HOK_05); it adds nothing."""
    if given.event == "user-prompt-submit":
        from brim.hooks.prompt_checkpoints import checkpoint_before  # noqa: PLC0415

        checkpoint_before(given)
    return ""


def newest_bytes(path: Path) -> bytes:
    """The end of a transcript. Raises InvalidInput."""
    try:
        if path.exists() and not path.is_file():
            raise InvalidInput(f"{path} is no ordinary file; a transcript is one")
        with path.open("rb") as file:
            size = file.seek(0, SEEK_END)
            if size == 0:  # a file of the kernel's has no size, and reading it may wait for ever
                raise InvalidInput(f"{path} is empty; a transcript holds at least one message")
            file.seek(max(size - NEWEST_BYTES, 0))
            return file.read(NEWEST_BYTES)
    except OSError as error:
        raise InvalidInput(f"{path}: {error.strerror or error}; nothing can be given back without it") from error


JOBS: Final[Mapping[str, Job]] = {"context": give_back_context, "checkpoints": make_checkpoint}
"""The jobs, by their names."""
DEFAULT_JOBS: Final = ("context",)
"""Those that are done where none is named."""
AT_PROMPTS: Final = ("checkpoints",)
"""Those that do nothing when a session starts."""


def job_named(name: str) -> Job:
    """The job of this name. Raises InvalidInput."""
    if name not in JOBS:
        raise InvalidInput(f"there is no job {shown(name)}; there are: {', '.join(JOBS)}")
    return JOBS[name]


def run_jobs(given: HookInput, names: Sequence[str]) -> HookAnswer:
    """Run jobs one after another; one that fails is noted, and the others run."""
    texts: list[str] = []
    notes: list[str] = []
    for name in names:
        try:
            job = job_named(name)
            with time_limit(CPU_SECONDS, WAIT_SECONDS):
                text = job(given, notes.append)
            texts += [text] if text else []
        except BrimError as error:
            notes.append(str(error))
        except Exception as error:  # noqa: BLE001  a hook never stops the agent
            notes.append(f"the job {name} failed: {described(error)}")
    return HookAnswer("\n\n".join(texts), tuple(notes))


@contextmanager
def time_limit(cpu_seconds: float, seconds: float, so: str = "nothing is given back") -> Iterator[None]:
    """Raise OutOfTime in what runs inside for longer than so many seconds of the processor, or of the clock.

    The error ends with `so`, what follows of it.

    A thread cannot; there the limit of what is read bounds the time.
    """
    ended = False

    def stop(number: int, _frame: FrameType | None) -> None:
        if ended:  # an error would keep the timers from being stopped
            return
        spent = f"{cpu_seconds:.2g} s of work" if number == signal.SIGPROF else f"{seconds:.2g} s"
        raise OutOfTime(f"given up after {spent}, so that the agent need not wait; {so}")

    try:
        before = {number: signal.signal(number, stop) for number in (signal.SIGPROF, signal.SIGALRM)}
    except ValueError:
        yield
        return
    try:
        signal.setitimer(signal.ITIMER_PROF, cpu_seconds, AGAIN_SECONDS)
        signal.setitimer(signal.ITIMER_REAL, seconds, AGAIN_SECONDS)
        yield
    finally:
        ended = True
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def written(event: str, context: str) -> dict[str, Any]:
    """The answer in the form that Claude Code and Codex document."""
    return {"hookSpecificOutput": {"hookEventName": EVENTS[event], "additionalContext": context}}
