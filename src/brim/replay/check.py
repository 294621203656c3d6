"""Check: the compactions that a profile predicts for a transcript, compared with those that the transcript records.

Specified by features/replay/check.feature (RPL_02).
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from types import MappingProxyType
from typing import Any, Final

from brim.errors import Refused
from brim.models import ModelLimits
from brim.tokens.estimation import CHARACTERS_PER_TOKEN, EMPTY_SIZE, measure, tokens_of
from brim.tokens.usage import billed
from brim.transcripts.values import ResponseRecord, Transcript
from brim.transcripts.window import HeldWindow, Walk, extras_of, response_before
from brim.trigger.overflow import Trigger, trigger_for
from brim.trigger.profiles import PROFILES, Profile, profile_named

PI: Final = Profile(
    name="pi",
    description="pi: more than the window less 16,384 in the last response.",
    buffer=16_384,
    counts_appended=False,
)
"""From its source: badlogic/pi-mono, packages/coding-agent/src/core/compaction/compaction.ts. No policy names it."""
TOOL_PROFILES: Final[Mapping[str, tuple[tuple[tuple[int, ...], Profile | None], ...]]] = MappingProxyType(
    {
        "claude-code": (((2, 1, 25), PROFILES["claude-code-2.1"]), ((0,), PROFILES["claude-code-2.0"])),
        "pi": (((0,), PI),),
        "opencode": (((1, 1), None), ((1, 0), PROFILES["opencode-2025"])),
    }
)
"""By format: the profile of a tool, observed or documented, from which version on, the newest first."""
ASKER_UNKNOWN: Final = "compaction"
"""The trigger of a compaction of which the file does not say who asked: it meets a prediction, and is never missed."""
CLEARED: Final = frozenset({"micro", "prune"})
"""Kinds of records that clear old tool outputs and summarize nothing: no profile predicts them."""
JUDGED: Final = "automatic ones, at most one response early, or short by 1% of the threshold"
"""What counts as predicted, in words; a response early, since a tool may finish its answer first."""
UNSEEN: Final = 100_000
"""Tokens before the first response and not in the file, from which on it begins in the middle of a session: system
prompts and tools were never seen to be as large."""


@dataclass(frozen=True, slots=True)
class Predicted:
    """A compaction that the profile predicts: the last response before it, and the tokens held then.

    Fewer than the threshold are held where a compaction is recorded, and the estimate fell short by at most a hundredth
    of the threshold.
    """

    response: int
    """Index of the response after which the window is due."""
    held: int
    """Tokens that the window holds then."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """A compaction or clearing in the file."""

    response: int | None
    """Index of the last response before it; None where the file begins with what it left."""
    held: int | None
    """Tokens before it: as the record says, else as measured; None where the file has neither."""
    trigger: str
    """Who asked for it, or what it cleared: auto, manual, compaction (not recorded), micro, prune."""
    measured: int | None
    """Tokens before it by the last usage and the estimate of what came since; None where the file holds none of it."""
    after: int | None
    """Tokens that the next response read; None where none tells."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A transcript replayed under the profile of its tool. Responses are indices from 0."""

    profile: str | None
    """None where no profile of the tool and version is known: then nothing is predicted."""
    window: int | None
    """Tokens of the window that the profile is judged by; None where it is unknown."""
    threshold: int | None = None
    """Tokens from which the profile is due; None where it could not be judged."""
    unjudged: str | None = None
    """Why nothing is predicted; None where the profile could be judged."""
    predicted: tuple[Predicted, ...] = ()
    """The predictions, in the order of time."""
    recorded: tuple[Recorded, ...] = ()
    """The compactions of the file."""
    cleared: tuple[Recorded, ...] = ()
    """The clearings of old tool outputs in the file; they free room, and no profile predicts them."""
    missed: tuple[int, ...] = ()
    """Last responses before automatic compactions that were not predicted."""
    early: tuple[int, ...] = ()
    """Responses of predictions that no automatic compaction followed within one response."""
    notes: tuple[str, ...] = ()
    """What the file lacks of what was sent."""

    @property
    def passed(self) -> bool:
        """Whether every automatic compaction was predicted, and no other."""
        return not self.missed and not self.early

    def answer(self) -> dict[str, Any]:
        """Return the check as JSON."""
        return asdict(self)


def profile_of_tool(transcript: Transcript) -> Profile | None:
    """Return the profile of the tool and version that wrote a transcript; None where none is known (CMD_18)."""
    version = tuple(map(int, re.findall(r"\d+", transcript.version or "")[:3]))
    known = TOOL_PROFILES.get(transcript.format, ())
    return next((profile for since, profile in known if version >= since or not version), None)


def check(
    transcript: Transcript,
    limits: ModelLimits | None,
    profile: str | None = None,
    *,
    characters_per_token: int | Fraction = CHARACTERS_PER_TOKEN,
) -> Check:
    """Compare what a profile, the observed one unless named, predicts with what a transcript records (RPL_02).

    A prediction is the first response since the compaction before after which the window is due. Manual compactions are
    not predicted; like clearings they free room as recorded. By the ratio is estimated what the file lacks.
    """
    chosen = profile_named(profile) if profile else profile_of_tool(transcript)
    windows = [*Walk(transcript, chosen or "usable").held()]
    recorded = [_recorded(transcript, held) for held in windows if held.compaction is not None]
    made = Check(
        profile=chosen.name if chosen else None,
        window=limits.context_window if limits else None,
        recorded=tuple(one for one in recorded if one.trigger not in CLEARED),
        cleared=tuple(one for one in recorded if one.trigger in CLEARED),
        notes=tuple(_lacking(transcript, unseen_tokens(transcript, characters_per_token))),
    )
    if chosen is None:
        reason = f"no profile of {transcript.format} {transcript.version or ''}".rstrip() + " is known"
    elif limits is None or not limits.context_window:
        reason = f"the context window of {transcript.model or 'the model'} is unknown"
    else:
        try:
            return _judged(made, transcript, windows, trigger_for(chosen, limits))
        except Refused as refusal:
            reason = str(refusal)
    return replace(made, unjudged=f"nothing is predicted: {reason}")


def _judged(made: Check, transcript: Transcript, windows: list[HeldWindow], trigger: Trigger) -> Check:
    nearly = trigger.due_from - trigger.threshold // 100  # the estimate of what was appended may fall short
    predicted: list[Predicted] = []
    missed: list[int] = []
    met: set[int] = set()
    """Responses of predictions that a recorded compaction followed in time, or the end of the conversation."""
    open_since: int | None = None
    conversations = [bisect_right(transcript.begins, one.message) for one in transcript.responses]
    last = {number: response for response, number in enumerate(conversations)}
    before: int | None = None
    for held in windows:
        record = transcript.compactions[held.compaction] if held.compaction is not None else None
        automatic = record is not None and record.kind == "auto"
        predictable = automatic or (record is not None and record.kind == ASKER_UNKNOWN)
        due = held.tokens >= (nearly if automatic else trigger.due_from)
        response = held.response if record is None else response_before(transcript, record)
        if response is not None and before is not None and conversations[response] != conversations[before]:
            open_since = None
        before = before if response is None else response
        if due and open_since is None and response is not None and (record is None or predictable):
            open_since = response
            predicted.append(Predicted(response, held.tokens))
        if predictable and response is not None:
            if open_since is not None and response - open_since <= 1:
                met.add(open_since)
            elif automatic and open_since is None:
                missed.append(response)
        if record is not None and record.kind not in CLEARED:
            open_since = None
    met |= {one.response for one in predicted if one.response + 1 >= last[conversations[one.response]]}
    early = tuple(one.response for one in predicted if one.response not in met)
    return replace(made, threshold=trigger.threshold, predicted=tuple(predicted), missed=tuple(missed), early=early)


def _recorded(transcript: Transcript, held: HeldWindow) -> Recorded:
    record = transcript.compactions[held.compaction or 0]
    following = (one for one in transcript.responses if one.message >= record.after_message and not one.summary)
    after = next((read_tokens(one) for one in following if one.usage is not None), None)
    measured = held.tokens if record.after_message else None
    held_before = record.recorded if record.recorded is not None else measured
    return Recorded(response_before(transcript, record), held_before, record.kind, measured, after)


def read_tokens(response: ResponseRecord) -> int:
    """What a response read: its context; 0 where its usage is not known."""
    return response.usage.input + response.usage.cache_read if response.usage is not None else 0


def is_estimated(response: ResponseRecord) -> bool:
    """Whether its output in the file is a placeholder, and its text and calls are estimated in its place."""
    return response.usage is not None and not response.finished


def unseen_tokens(transcript: Transcript, characters_per_token: int | Fraction) -> int:
    """Tokens that the first response read and the file does not hold: the system prompt, tools, an earlier part."""
    first = next((one for one in transcript.responses if one.usage is not None and not one.summary), None)
    if first is None:
        return 0
    sent = (index for index in range(first.message) if index not in transcript.unsent)
    size = sum((measure(transcript.messages[index]) for index in sent), EMPTY_SIZE)
    return max(read_tokens(first) - tokens_of(size + extras_of(transcript), characters_per_token), 0)


def _lacking(transcript: Transcript, unseen: int) -> Iterator[str]:
    """What the file lacks of what was sent, in sentences."""
    yield from transcript.notes
    own = [one for one in transcript.responses if not one.summary]
    if unseen >= UNSEEN or (unseen and transcript.lacks):
        yield f"the file begins in the middle of a session: {unseen:,} tokens before its first response are not in it"
    elif unseen and transcript.system is None:
        yield f"the system prompt and the tools are not in the file: about {unseen:,} tokens"
    if aside := transcript.left_out.get("sidechain", 0):
        spent = billed(usage for usage, _ in transcript.aside)
        sent = f"{len(transcript.aside):,} responses, {spent.input + spent.cache_read:,} tokens sent"
        yield f"{aside:,} records of sub-agents are no part of the window: {sent}, {spent.output:,} written as reported"
    without = sum(one.usage is None for one in own)
    if without:
        yield f"{without:,} of {len(own):,} responses tell no usage"
    unfinished = sum(is_estimated(one) for one in own)
    if unfinished:
        yield f"{unfinished:,} of {len(own):,} outputs are placeholders, estimated by their texts and calls"
    if transcript.damaged:
        yield f"{len(transcript.damaged):,} {'line' if len(transcript.damaged) == 1 else 'lines'} could not be read"
    if any(made.after_message == 0 for made in transcript.compactions):
        yield "the file begins with what a compaction left: what stood before is not in it"
    models = {one.model for one in own if one.model}
    if len(models) > 1:
        yield f"{len(models)} models answered: {', '.join(sorted(models))}; the window is that of {transcript.model}"
