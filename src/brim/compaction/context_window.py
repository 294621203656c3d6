"""The context window: a running account of a conversation, kept message by message.

Appending costs what the message costs; the verdict costs the same at any length (TRG_17, TOK_08).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import partial
from itertools import accumulate, pairwise, zip_longest
from typing import Any, Final

from brim.compaction.policy import CompactionPolicy, read_policy, target_of
from brim.conversation.cuts import is_legal_cut
from brim.conversation.messages import (
    Message,
    Part,
    Raw,
    Thinking,
    ToolCall,
    ToolResult,
    changes_tools,
    is_sendable,
    mark_answer,
    read_message,
    sendable,
    with_harness_tags,
)
from brim.conversation.thinking import loop_needs_thinking, thinking_indices
from brim.conversation.tool_pairs import PairTracker, pair_tools, results_of
from brim.conversation.turns import Turn, TurnReader, begins_turn
from brim.errors import reading
from brim.evidence.evidence import Evidence, read_use
from brim.evidence.tools import EDITING_TOOLS
from brim.models import NO_LIMIT, ModelLimits
from brim.pruning.tool_outputs import DISABLED, PLACEHOLDER, Output, Pruning, ToolOutputs, cleared_messages
from brim.selection.anchors import THRESHOLD, Anchor, detect, turn_failed
from brim.summary.facts import Fact, FactCollector, TurnWork, turn_work
from brim.summary.identifiers import NO_IDENTIFIERS, Identifiers, NameReader, collect_identifiers, texts_of
from brim.tokens.calibration import Calibration, Calibrations
from brim.tokens.estimation import (
    CHARACTERS_PER_TOKEN,
    EMPTY_SIZE,
    Size,
    measure,
    measure_extras,
    measure_part,
    tokens_of,
)
from brim.tokens.exact import Number, exact
from brim.tokens.usage import read_usage
from brim.tokens.window import WindowAccount
from brim.trigger.overflow import Verdict


class OpenTurn:
    """A turn as it grows, and what its tool uses did, as far as anybody has asked."""

    __slots__ = ("_evidence", "reader")

    def __init__(self, evidence: list[list[Evidence]] | None = None) -> None:
        self.reader = TurnReader()
        self._evidence = evidence or []

    def evidence(self, editing_tools: Collection[str]) -> list[list[Evidence]]:
        """Return what each tool use did, by response; each is read once, and again where its result came since."""
        answers, known = self.reader.responses, self._evidence
        known += [[] for _ in answers[len(known) :]]
        self._evidence = [
            [
                old if old is not None and old.use == use else read_use(use, editing_tools)
                for use, old in zip_longest(uses, before[: len(uses)])
            ]
            for (_, _, uses), before in zip(answers, known, strict=False)
        ]
        return self._evidence

    def again(self) -> OpenTurn:
        """Return the same turn before its first message; what a tool use did is not read again."""
        return OpenTurn(self._evidence)


@dataclass(slots=True)
class TurnRecord:
    """A turn of a window: where it stands, what was asked and done in it, and its anchor."""

    turn: Final[Turn]
    work: Final[TurnWork]
    """The user's request and the model's work, from which facts and summaries are made (SUM_13)."""
    anchor: Final[Anchor | None]
    """What was achieved in it; None where it is no anchor."""
    failed: Final[bool]
    """Whether a tool failed in it: an error before, for the next turn (ANC_05)."""
    source: Final[OpenTurn] = field(repr=False, compare=False)
    """Its messages, as they were read."""


BEFORE_THE_FIRST: Final = -1
"""The turn index of messages before the first turn, as a compacted conversation has them."""


class TurnLog:
    """The turns of a window, numbered from 0: where each begins, and a record and the facts of each that has ended.

    What a tool use did is read once, when a plan first asks: who only asks whether compaction is due pays nothing. What
    the model did before the first user message belongs to no turn (CNV_03), but the summary reports its work: it has
    the first record, whose turn has the index BEFORE_THE_FIRST.
    """

    __slots__ = ("_closed", "_count", "_current", "_detect", "_editing_tools", "_ended", "_facts_so_far", "starts")

    def __init__(
        self,
        inherited: Iterable[Fact] = (),
        *,
        anchor_confidence: Number = THRESHOLD,
        editing_tools: Collection[str] = EDITING_TOOLS,
    ) -> None:
        """Begin before the first message, with the facts that an earlier compaction has left (SUM_09).

        `anchor_confidence`, from 0 to 1, and `editing_tools`, names of tools, are those of the policy (ANC_02, ANC_05).
        """
        self._detect = partial(detect, threshold=exact(anchor_confidence), editing_tools=editing_tools)
        self._editing_tools = editing_tools
        self.starts: list[int] = []
        """For each turn, the index in the window of the user's message that it begins with, ascending."""
        self._closed: list[TurnRecord] = []
        self._facts_so_far = FactCollector(inherited)
        """The inherited facts, and those of the turns in `_closed`."""
        self._ended: list[tuple[OpenTurn, Turn]] = []
        """The turns that have ended and are not read yet."""
        self._current = OpenTurn()
        self._count = 0

    def append(self, message: Message, *, opens_turn: bool) -> None:
        """Take in the next message; `opens_turn`: a turn begins with it, and the one before it has ended."""
        if opens_turn:
            self._current.reader.take_results(message)
            if turn := self._turn():
                self._ended.append((self._current, turn))
            self.starts.append(self._count)
            self._current = OpenTurn()
        reader = self._current.reader
        if self.starts or reader.responses or message.role == "assistant":
            reader.add(message, self._count)
        self._count += 1

    def reread(self, messages: Sequence[Message]) -> None:
        """Read the current turn anew, of which a message was replaced; `messages` are all of the window."""
        self._current, self._count = self._current.again(), self.start
        for message in messages[self.start :]:
            self.append(message, opens_turn=False)

    @property
    def start(self) -> int:
        """The index of the message with which the current turn begins; 0 before the first."""
        return self.starts[-1] if self.starts else 0

    @property
    def closed(self) -> list[TurnRecord]:
        """The records of what has ended, oldest first."""
        ended, self._ended = self._ended, []
        for source, turn in ended:
            self._closed.append(self._record(source, turn, self._closed))
            self._facts_so_far.add(self._closed[-1].work)
        return self._closed

    def current(self) -> TurnRecord | None:
        """Return the record of the current turn, so far; None before the first answer or turn."""
        turn = self._turn()
        return self._record(self._current, turn, self.closed) if turn else None

    def _turn(self) -> Turn | None:
        reader = self._current.reader
        if self.starts:
            return reader.turn(len(self.starts) - 1, self.starts[-1], self._count)
        return reader.turn(BEFORE_THE_FIRST, reader.responses[0][0], self._count) if reader.responses else None

    def _record(self, source: OpenTurn, turn: Turn, before: Sequence[TurnRecord]) -> TurnRecord:
        with reading(turn.start):
            evidence = source.evidence(self._editing_tools)[: len(turn.responses)]
            anchor, uses = None, [one for response in evidence for one in response]
            if turn.index != BEFORE_THE_FIRST:
                failed = bool(before) and before[-1].failed
                anchor = self._detect(turn, previous_error=failed, evidence=uses)
            return TurnRecord(turn, turn_work(turn, evidence=evidence), anchor, turn_failed(turn), source)

    def records_before(self, cut: int, records: Sequence[TurnRecord]) -> tuple[TurnRecord, ...]:
        """Return those of these records, which are all, before a cut; one that it goes through as far as the cut."""
        whole = bisect_right(records, cut, key=lambda record: record.turn.stop)
        before = tuple(records[:whole])
        if whole == len(records) or records[whole].turn.start >= cut:
            return before
        parted = records[whole]
        turn = parted.source.reader.turn(parted.turn.index, parted.turn.start, cut)
        return (*before, self._record(parted.source, turn, before))

    def records(self) -> list[TurnRecord]:
        """Return the records of all turns, oldest first; the last may be of the current turn."""
        last = self.current()
        return [*self.closed, last] if last else [*self.closed]

    def facts(self) -> tuple[Fact, ...]:
        """Return the facts of the whole window, the inherited among them."""
        last = self.current()
        return self._facts_so_far.facts(last.work if last else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a caller sends with one request. Nothing of it is copied or changed."""

    model: str = ""
    """The model that the request names; empty where only what goes with the messages is known."""
    messages: Sequence[Any] = field(default=(), repr=False)
    """Message dictionaries, as the caller has them; empty where only what goes with them is known."""
    system: Any = field(default=None, repr=False)
    """The system prompt: a text or text blocks."""
    tools: Sequence[Any] | None = field(default=None, repr=False)
    """Tool definitions; None where the request has none."""
    parameters: Mapping[str, Any] = field(default_factory=dict)
    """Every other parameter that the summary call repeats, such as `thinking`, `tool_choice`, `output_config`."""
    headers: Mapping[str, str] = field(default_factory=dict)
    """The header `anthropic-beta`, where betas are named."""
    pinned: tuple[int, ...] = ()
    """Indices of the messages that are kept verbatim (CNV_08)."""
    foreign: bool = False
    """Whether the messages are in a format that the summarizer does not send (ADP_03)."""

    @property
    def warm_prefix_blocker(self) -> str:
        """Return why no summary can be asked for with this request's prefix, in words; empty where one can (SUM_16)."""
        if self.foreign:
            return "the summarizer does not send messages of this format"
        choice = self.parameters.get("tool_choice")
        if isinstance(choice, Mapping) and choice.get("type") not in {"auto", "none"}:
            return "the requests force a tool call"
        config = self.parameters.get("output_config")
        if self.parameters.get("output_format") or (isinstance(config, Mapping) and config.get("format")):
            return "the requests set an output format"
        return ""


class ContextWindow:
    """What a conversation holds of its model's context window, and whether compaction is due.

    Append every message that will be sent, and record the usage of every response after its message. `limits` are the
    model's, `policy` says when compaction is due and what it keeps; `system` and `tools` are what every request carries
    besides.
    Characters a token are learned from the responses and kept in `calibrations`, which windows may share; until the
    first response they are those of `model`. `facts` and `identifiers` are known from an earlier compaction; none is
    read from the text of a summary (SUM_09).
    """

    def __init__(
        self,
        limits: ModelLimits = NO_LIMIT,
        policy: CompactionPolicy | None = None,
        *,
        system: Any = None,
        tools: Iterable[Mapping[str, Any]] | None = None,
        characters_per_token: Number | None = None,
        calibrations: Calibrations | None = None,
        model: str = "",
        messages: Iterable[Raw | Message] = (),
        facts: Iterable[Fact] = (),
        identifiers: Identifiers = NO_IDENTIFIERS,
    ) -> None:
        self.policy = read_policy(policy)
        self.limit(limits)
        self.request = Request(system=system, tools=None if tools is None else tuple(tools))
        """What the requests carry besides the messages; see set_request."""
        self.length = self.policy.text_length
        """Measures texts: in characters, or by the policy's token counter (TOK_07)."""
        self.extras = measure_extras(self.system, self.tools or (), self.length)
        self.messages: list[Message] = []
        self.weights = [0]
        """For each message, the characters of all before it; media count as the characters they stand for."""
        self.cuts: list[int] = []
        """Positions before which the conversation may be cut (CNV_05), ascending."""
        self.pins: list[int] = []
        """Positions of the pinned messages (CNV_08)."""
        self.summaries: list[int] = []
        """Positions of the summaries of earlier compactions."""
        self.facts = tuple(facts)
        """The facts that are known from before its first message."""
        self.identifiers = identifiers
        """The identifiers of what was removed before its first message (REC_02)."""
        self.reader = NameReader()
        """Reads its messages for identifiers, each text once."""
        self.turns = TurnLog(
            self.facts, anchor_confidence=self.policy.anchor_confidence, editing_tools=self.policy.editing_tools
        )
        self.all_sendable = True
        """Whether every message so far can be sent as it is (CNV_09)."""
        self._pairs = PairTracker()
        self._repaired: ContextWindow | None = None
        self._find_outputs()
        self._account = WindowAccount(
            measure=self.trigger.measure,
            characters_per_token=characters_per_token if self.length is len else CHARACTERS_PER_TOKEN,
            held_ratio=self.trigger.profile.characters_per_token if self.length is len else None,
            calibrations=calibrations if self.length is len else None,
            model=model,
        )
        self._account.append(self.extras)
        self._unreported = EMPTY_SIZE
        for message in messages:
            self.append(message)

    @property
    def system(self) -> Any:
        """The system prompt of every request."""
        return self.request.system

    @property
    def tools(self) -> Sequence[Any] | None:
        """The tool definitions of every request."""
        return self.request.tools

    def set_request(self, request: Request) -> None:
        """Take in what the next request carries besides its messages; a system prompt or tools that changed count.

        Record the usage of the last response first: it measured those of before.
        """
        before, self.request = self.request, replace(request, messages=())  # a client makes each list anew
        if (before.system, before.tools) != (request.system, request.tools):
            measured = measure_extras(request.system, request.tools or (), self.length)
            self._account.append(measured - self.extras)
            self.extras = measured

    def replace(self, index: int, message: Message) -> None:
        """Replace one message, such as one whose reminder the caller refreshed, and count the difference in size.

        Record the usage of the last response first: it measured the former message.
        """
        message = with_harness_tags(message, self.policy.harness_tags)
        is_same = _calls_and_results(self.messages[index]) == _calls_and_results(message)
        self._change({index: message})
        if index >= self.turns.start:
            self.turns.reread(self.messages)
        if not is_same:
            self._find_outputs()

    def refresh(self, raws: Iterable[Raw]) -> None:
        """Take each message as its caller has it now. Its cache marks alone may differ, so that nothing is counted."""
        for index, (message, raw) in enumerate(zip(self.messages, raws, strict=True)):
            if raw is not message.raw and raw != message.raw:
                newer = read_message(raw, message.marks, key=message.key)
                self.messages[index] = with_harness_tags(newer, self.policy.harness_tags)

    def _change(self, changed: Mapping[int, Message]) -> None:
        """Replace the messages of these indices, and account for what each has grown or shrunk by."""
        grown = {n: measure(new, self.length) - measure(self.messages[n], self.length) for n, new in changed.items()}
        for index, message in changed.items():
            self.messages[index] = message
        first = min((index for index, size in grown.items() if size != EMPTY_SIZE), default=len(self.messages))
        sizes = [stop - start for start, stop in pairwise(self.weights[first:])]
        for index, size in grown.items():
            if size != EMPTY_SIZE:
                sizes[index - first] += size.weight
                self._account.append(size)
        self.weights[first:] = accumulate(sizes, initial=self.weights[first])

    def limit(self, limits: ModelLimits) -> None:
        """Judge by the limits of another model from now on. Raises Refused for limits that leave no room (TRG_07)."""
        checked = self.policy.checked(limits, target_of(self.policy, limits))
        self.limits = limits
        self.trigger = checked.trigger
        self.target = checked.target
        """Tokens to keep word for word; None where the window has no limit, and it depends on what is held."""
        self.notices = checked.warnings if self.policy.sets_target else checked.trigger.notices
        """What was corrected in the policy for this model, and a deprecated profile (TRG_21)."""

    def pin(self, indices: Collection[int]) -> None:
        """Pin the messages at these indices, and release all others but those that change tools (CNV_08)."""
        changing = (n for n in self.pins if self.messages[n].role == "system" and changes_tools(self.messages[n].parts))
        indices = {*indices, *changing}
        changed = {*self.pins} ^ indices
        for index in changed:
            message = self.messages[index]
            self.messages[index] = replace(message, marks=replace(message.marks, pinned=index in indices))
        self.pins = sorted(indices)
        if any(results_of(self.messages[index]) for index in changed):  # outputs of pinned messages stay (PRN_05)
            self._find_outputs()

    def _find_outputs(self) -> None:
        """Look for the outputs that may be cleared anew, in all messages."""
        self._outputs = ToolOutputs(protected_tools=self.policy.protected_tools, length=self.length)
        for message in self.messages:
            self._outputs.append(message)

    @property
    def is_sendable(self) -> bool:
        """Whether it can be sent as it is: every call has its result, and nothing is in it that the API refuses."""
        return self.all_sendable and self._pairs.is_paired

    @property
    def waits_for_provider(self) -> bool:
        """Return whether a tool that the provider runs may still answer, or has answered in a later response."""
        elsewhere = self._pairs.orphan_results.values()
        calls = (one for one in self._pairs.missing.values() if one.call.server)
        return any(one.index[0] >= self.turns.start or one.call.id in elsewhere for one in calls)

    @property
    def held(self) -> int:
        """Tokens the window holds now, as the profile measures them (TOK_08)."""
        account = self._account
        return account.held_with(self._unreported) if self.trigger.profile.counts_appended else account.reported

    @property
    def estimated(self) -> int:
        """The estimate of all that is sent now, system prompt and tools included; no usage counts."""
        return self._account.estimated_with(self._unreported)

    @property
    def characters_per_token(self) -> int | Fraction:
        """The ratio that estimates are made with (TOK_09)."""
        return self._account.characters_per_token

    @property
    def calibration(self) -> tuple[str, Calibration]:
        """The model of the last usage, and what was learned of its characters a token (TOK_09)."""
        return self._account.calibration

    def verdict(self) -> Verdict:
        """Return whether compaction is due now, before the next request (TRG_17)."""
        return self.trigger.judge(self.held, disabled=not self.policy.enabled, empty=not self.messages)

    def append(self, message: Raw | Message) -> None:
        """Take in the next message, as a dictionary or as read. Raises InvalidInput."""
        messages = self.messages
        index = len(messages)
        if not isinstance(message, Message):
            message = read_message(message, source=index)
        if index:
            message = mark_answer(messages[-1], message)
        message = with_harness_tags(message, self.policy.harness_tags)
        size = measure(message, self.length)
        if index and is_legal_cut(messages[-1], message):
            self.cuts.append(index)
        messages.append(message)
        opens_turn = message.role == "user" and begins_turn(message)
        self.turns.append(message, opens_turn=opens_turn)
        if message.marks.pinned:
            self.pins.append(index)
        if message.marks.summary:
            self.summaries.append(index)
        if not is_sendable(message):
            self.all_sendable = False
        self._pairs.append(message)
        self._outputs.append(message, opens_turn=opens_turn)
        self.weights.append(self.weights[-1] + size.weight)
        self._count(message, size)

    def _count(self, message: Message, size: Size) -> None:
        """Count a message. An assistant's waits for its usage; the next user message counts an estimate of it."""
        unreported = self._unreported
        if message.role == "assistant":
            self._unreported = size if unreported is EMPTY_SIZE else unreported + size
            return
        if unreported is not EMPTY_SIZE:
            self._account.append(unreported)
            self._unreported = EMPTY_SIZE
        self._account.append(size)

    def record(self, usage: object, *, model: str = "") -> bool:
        """Take in the usage of the response appended last; returns whether it measures the window (TOK_10).

        It is what the SDK reported, or a TokenUsage. Raises InvalidInput.
        """
        read = read_usage(usage)
        size, self._unreported = self._unreported, EMPTY_SIZE
        return self._account.record(read, model=model, response=size)

    def sendable(self) -> tuple[ContextWindow, Sequence[int | None]]:
        """Return this window where it can be sent as it is, else one of the repaired conversation (CNV_04, CNV_09).

        Also returns, for each of its messages, the index in this window; None for an added message. The repaired window
        is the same one each time, with what was appended since, as long as the earlier messages are repaired alike.
        """
        if self.is_sendable:
            return self, range(len(self.messages))
        kept = sendable(self.messages)
        repaired = pair_tools(kept.messages)
        origin_indices = [None if source is None else kept.sources[source] for source in repaired.sources]
        window = self._repaired
        known = len(window.messages) if window is not None else 0
        if window is None or window.messages != [*repaired.messages[:known]]:
            self._repaired = window = self.with_messages(repaired.messages)
            return window, origin_indices
        window.limit(self.limits)
        window.set_request(self.request)
        window.identifiers = self.identifiers
        for message in repaired.messages[known:]:
            window.append(message)
        window.measure_anew(self._account.renewed())
        return window, origin_indices

    def measure_anew(self, account: WindowAccount) -> None:
        """Count everything that it holds in this empty account, which no usage has measured yet."""
        sizes = (measure(message, self.length) for message in self.messages)
        account.append(sum(sizes, self.extras))
        self._account, self._unreported = account, EMPTY_SIZE

    def with_messages(
        self,
        messages: Iterable[Message],
        *,
        facts: Iterable[Fact] | None = None,
        identifiers: Identifiers | None = None,
    ) -> ContextWindow:
        """Return a window of the same model and request with these messages, which no usage has measured yet (TOK_11).

        It knows from before what this window does, unless `facts` or `identifiers` are others, as those of the plan
        that made these messages are.
        """
        window = ContextWindow(
            self.limits,
            self.policy,
            system=self.system,
            tools=self.tools,
            facts=self.facts if facts is None else facts,
            identifiers=self.identifiers if identifiers is None else identifiers,
            messages=messages,
        )
        window.request = self.request
        window.measure_anew(self._account.renewed())
        return window

    def prunable(self) -> Pruning:
        """Return what a pruning would clear now; nothing is changed. Nothing where pruning is off (PRN_08)."""
        if not self.policy.prune:
            return DISABLED
        pruning = self._outputs.decide(protect=self.policy.prune_protect, minimum=self.policy.prune_minimum)
        if not pruning.outputs:
            return pruning
        # the provider's cache holds everything so far, and is broken from the first cleared message on (PRN_09)
        freed = self._freed(pruning.outputs)
        behind = self.weights[-1] - self.weights[pruning.outputs[-1].message] - freed.weight
        reread = tokens_of(Size(behind), self.characters_per_token)
        return replace(pruning, saved=self._saved(freed), reread=reread)

    def saved_by(self, outputs: Iterable[Output]) -> int:
        """Return the tokens that clearing these outputs saves, by the ratio of the window, rounded down (PRN_09)."""
        return self._saved(self._freed(outputs))

    def _saved(self, freed: Size) -> int:
        return max(-tokens_of(EMPTY_SIZE - freed, self.characters_per_token), 0)

    def _freed(self, outputs: Iterable[Output]) -> Size:
        """Measure what clearing these outputs frees: less than nothing where the placeholders are longer."""
        parts = (self.messages[output.message].parts[output.part] for output in outputs)
        placeholder = Size(self.length(PLACEHOLDER))
        return sum((measure_part(part, self.length) - placeholder for part in parts), EMPTY_SIZE)

    def prune(self) -> Pruning:
        """Clear old tool outputs in place (PRN_01 to PRN_07), and say which, and what it saves.

        Thinking behind the first of them is bound to a history that is no more and goes too (CNV_06); in the middle of
        a tool loop that needs its thinking nothing is cleared.
        """
        pruning = self.prunable()
        if not pruning.outputs:
            return pruning
        if loop_needs_thinking(self.messages):
            return Pruning((), 0, "waits for the end of the tool loop: its thinking would be lost")
        self.identifiers = self._identifiers_with(pruning.outputs)
        changed = cleared_messages(self.messages, pruning)
        for index in thinking_indices(self.messages, pruning.outputs[-1].message):
            changed[index] = changed.get(index, self.messages[index]).without_kind(Thinking)
            self.all_sendable = self.all_sendable and bool(changed[index].parts)
        self._change(changed)
        self._outputs.mark_pruned(pruning)
        return pruning

    def _identifiers_with(self, outputs: Iterable[Output]) -> Identifiers:
        """Return the identifiers of what was removed, and of cleared outputs, if the policy wants them (REC_02)."""
        if not self.policy.identifiers_share:
            return self.identifiers
        texts = [
            (bisect_right(self.turns.starts, one.message), origin, text)
            for one in sorted(outputs)
            for origin, text in texts_of(self.messages[one.message], [self.messages[one.message].parts[one.part]])
        ]
        return collect_identifiers(texts, self.identifiers, reader=self.reader)


def _calls_and_results(message: Message) -> list[tuple[int, Part]]:
    """Return the calls and results of a message, each with its place in it."""
    return [(n, part) for n, part in enumerate(message.parts) if type(part) in (ToolCall, ToolResult)]
