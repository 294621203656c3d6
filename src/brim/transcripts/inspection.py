"""An inspection: what a transcript holds, what fills its window, and when each profile would have compacted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, Final

from brim.compaction.policy import DEFAULT_POLICY, CompactionPolicy
from brim.conversation.messages import Message, Part, Thinking, ToolCall, ToolResult
from brim.conversation.tool_pairs import pair_tools
from brim.conversation.turns import find_turns
from brim.errors import Refused
from brim.models import ModelLimits
from brim.selection.anchors import Anchor, find_anchors
from brim.tokens.estimation import EMPTY_SIZE, Size, measure_extras, measure_part, tokens_of
from brim.transcripts.values import Damaged, Transcript
from brim.transcripts.window import RECORDS, HeldWindow, Walk, held_before_compactions, response_before, view
from brim.trigger.overflow import Trigger, trigger_for
from brim.trigger.profiles import PROFILES, Profile, profile_named

SHARES: Final = ("system", "user", "assistant", "thinking", "tool_input", "tool_output", "summaries", "other")
"""What a window is made of; `other` is what a harness wrote, and what the file does not hold."""
OF_KIND: Final = {Thinking: "thinking", ToolCall: "tool_input", ToolResult: "tool_output"}


@dataclass(frozen=True, slots=True)
class Composition:
    """Tokens of the window by what they are, estimated from the texts."""

    shares: dict[str, int]
    tools: int
    """The definitions of the tools, part of `system`."""
    by_tool: dict[str, int]
    """The tool outputs by tool, the largest first."""
    unseen: int
    """Tokens reported beyond the estimate of the file's texts, part of `other`: a system prompt, tools, what came
    before a file that begins in mid-session."""


def composition(
    messages: Iterable[Message],
    now: int,
    ratio: int | Fraction,
    *,
    system: Any = None,
    tools: Sequence[Mapping[str, Any]] = (),
) -> Composition:
    """Return what `now` tokens in the window are made of; by the estimate where that is more."""
    sizes = dict.fromkeys(SHARES, EMPTY_SIZE)
    by_tool: dict[str, Size] = {}
    names: dict[str, str] = {}
    for message in messages:
        for part in message.parts:
            size, share = measure_part(part), _share_of(message, part)
            sizes[share] += size
            if type(part) is ToolCall:
                names[part.id] = part.name
            elif type(part) is ToolResult:
                tool = names.get(part.call_id, "unknown")
                by_tool[tool] = by_tool.get(tool, EMPTY_SIZE) + size
    sizes["system"] = measure_extras(system, tools)
    shares = {name: tokens_of(size, ratio) for name, size in sizes.items()}
    unseen = max(now - sum(shares.values()), 0)
    shares["other"] += unseen
    outputs = Counter({tool: tokens_of(size, ratio) for tool, size in by_tool.items()})
    definitions = tokens_of(measure_extras(None, tools), ratio)
    return Composition(shares, definitions, dict(outputs.most_common()), unseen)


def _share_of(message: Message, part: Part) -> str:
    if message.marks.summary:
        return "summaries"
    return OF_KIND.get(type(part)) or ("other" if message.marks.synthetic else message.role)


@dataclass(frozen=True, slots=True)
class Boundary:
    """A compaction the transcript records: who asked for it, the tokens it says and those measured, the line.

    Where what was compacted is not in the file, what was held is what the file says of it, else 0.
    """

    kind: str
    """Who asked for it, or what was done."""
    recorded: int | None
    """Tokens that the window held, as the file says."""
    held: int
    """The same, as measured."""
    line: int
    """Where it stands."""
    response: int | None = None
    """The index of the last response before it; None where the file begins with what it left."""


@dataclass(frozen=True, slots=True)
class Due:
    """A profile for the model: its threshold, and the first response after which it was due; None where it was not."""

    threshold: int | None
    """Tokens from which it is due."""
    first_due: int | None
    """The index of the first response after which it was."""
    note: str | None = None
    """Why it has no threshold."""
    notices: tuple[str, ...] = ()
    """Warnings about the profile and the threshold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Inspection:
    """What a transcript holds. Tokens are counts, indices from 0, lines from 1."""

    format: str
    version: str | None
    model: str | None
    window: int | None
    messages: int
    turns: int
    tool_calls: int
    damaged: tuple[Damaged, ...]
    left_out: Mapping[str, int]
    """How many records of which kind are no part of the main chain."""
    unpaired: tuple[str, ...]
    """Ids of calls without a result, and of results without a call."""
    responses: int
    context_peak: int | None
    """The largest input with cache read of one response: what the model read."""
    window_peak: int | None
    """The largest total, with the output (TOK_01, TOK_02)."""
    window_now: int
    """What the window holds at the end (TOK_08)."""
    characters_per_token: int | Fraction
    composition: Composition
    compactions: tuple[Boundary, ...]
    anchors: tuple[Anchor, ...]
    profiles: dict[str, Due]
    settings: Due
    """The same for the policy that the transcript was looked at with."""
    uncalled: tuple[str, ...] = ()
    """Those of `unpaired` that results named and no call."""
    counted: str = "line"
    """What the numbers count that tell where something stands: lines, or messages in a list."""
    conversations: int = 1
    """How many stand in the file, one after another; the window is that of the last."""
    notes: tuple[str, ...] = ()
    """What the file cannot tell, in sentences."""
    lacks: str | None = None
    """What came before and could not be read, one of `notes`; None where the file has all, or does not say."""


def inspect_transcript(
    transcript: Transcript,
    limits: ModelLimits | None = None,
    policy: CompactionPolicy = DEFAULT_POLICY,
    *,
    own: Profile | None = None,
) -> Inspection:
    """Look at a transcript; `limits` are those of its model, None where they are unknown: then the file's window.

    `own` is the profile of the tool that wrote it, which is judged beside those that have a name.
    """
    if limits is None and transcript.window:
        limits = ModelLimits(context_window=transcript.window)
    walked = _Walks(transcript)
    profiles = {**PROFILES, **({own.name: own} if own else {})}
    walk = walked.by(PROFILES["usable"])[0]
    usages = [response.usage for response in transcript.responses if response.usage is not None]
    now = walk.account.held
    paired = pair_tools(transcript.messages)
    turns = find_turns(transcript.messages)
    return Inspection(
        format=transcript.format,
        version=transcript.version,
        model=transcript.model,
        window=limits.context_window if limits else None,
        messages=len(transcript.messages),
        turns=len(turns),
        tool_calls=sum(type(part) is ToolCall for message in transcript.messages for part in message.parts),
        damaged=transcript.damaged,
        left_out=transcript.left_out,
        unpaired=(*paired.answered, *paired.left_out),
        responses=len(transcript.responses),
        context_peak=max((usage.input + usage.cache_read for usage in usages), default=None),
        window_peak=max((usage.total for usage in usages), default=None),
        window_now=now,
        characters_per_token=walk.account.characters_per_token,
        composition=composition(
            view(transcript).messages,
            now,
            walk.account.characters_per_token,
            system=transcript.system,
            tools=transcript.tools or (),
        ),
        compactions=_boundaries(walked),
        anchors=find_anchors(turns),
        profiles={name: _due(walked, one, partial(trigger_for, one), limits) for name, one in profiles.items()},
        settings=_due(walked, profile_named(policy.profile), lambda limits: policy.checked(limits).trigger, limits),
        uncalled=paired.left_out,
        counted=transcript.counted,
        conversations=len(transcript.begins) + 1,
        notes=transcript.notes,
        lacks=transcript.lacks,
    )


class _Walks:
    """The walks over a transcript, one for all profiles that count alike."""

    def __init__(self, transcript: Transcript) -> None:
        self.transcript = transcript
        self._done: dict[tuple[Hashable, ...], tuple[Walk, list[HeldWindow]]] = {}

    def by(self, profile: Profile) -> tuple[Walk, list[HeldWindow]]:
        """Return the walk with a profile's measure, at its end, and what the window held on the way."""
        counts = (profile.measure, profile.characters_per_token, profile.counts_appended)
        if counts not in self._done:
            walk = Walk(self.transcript, profile)
            self._done[counts] = walk, list(walk.held())
        return self._done[counts]


def _boundaries(walks: _Walks) -> tuple[Boundary, ...]:
    made = walks.transcript.compactions
    measured = held_before_compactions(walks.by(PROFILES[RECORDS])[1] if made else ())
    return tuple(
        Boundary(
            one.kind,
            one.recorded,
            measured[number] if one.after_message else one.recorded or 0,
            one.line,
            response_before(walks.transcript, one),
        )
        for number, one in enumerate(made)
        if number in measured
    )


def _due(
    walks: _Walks, profile: Profile, trigger_of: Callable[[ModelLimits], Trigger], limits: ModelLimits | None
) -> Due:
    """Return when a trigger acts, also where the window is unknown if its threshold does not depend on it."""
    if limits is None or not limits.context_window:
        narrow, limits = (ModelLimits(context_window=size) for size in (10**9, 2 * 10**9))
        if trigger_of(narrow).threshold != trigger_of(limits).threshold:
            return Due(None, None, "the model's window is unknown")
    try:
        trigger = trigger_of(limits)
    except Refused as refusal:
        return Due(None, None, str(refusal))
    windows = (held for held in walks.by(profile)[1] if held.response is not None)
    first = next((held.response for held in windows if trigger.judge(held.tokens).due), None)
    return Due(trigger.threshold, first, notices=trigger.notices)
