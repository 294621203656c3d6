"""The view over whatever was recorded: SES_04, CNV_04 and CNV_06 hold for any sequence of acts."""

import json
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from brim.compaction.plan import plan_compaction
from brim.compaction.policy import CompactionPolicy
from brim.compaction.result import compact_without_model
from brim.conversation.messages import CLOSING, CONTINUATION_OPENING, PINNED, PLAIN, Thinking, sendable
from brim.conversation.tool_pairs import pair_tools, results_of, with_unique_ids
from brim.errors import Refused
from brim.models import ModelLimits
from brim.sessions.lines import decode
from brim.sessions.records import (
    ClearedOutput,
    CompactionRecord,
    Copy,
    MessageRecord,
    PruningRecord,
    RewindRecord,
    SummaryRecord,
    UndoRecord,
)
from brim.sessions.view import (
    Clearing,
    replay_from_end,
    view_of,
    visibility_of,
)
from brim.tokens.usage import TokenUsage
from steps.prerequisites import sized
from tests.sessions.memory import WORDS, call, new_session, result, thinks, user

CAUSES = st.sampled_from(["manual", "automatic"])
WINDOWS = (3_000, 9_000, 120_000, 300_000)
LOOP_LINES = (CLOSING, CONTINUATION_OPENING)
"""How brim's lines begin that close a tool loop and go on with it."""
SIZES = (1, 8, 40, 200, 2_500)
"""How many times a text is repeated; the longest has 16,000 tokens."""
SHARES = (Fraction(1, 5), Fraction(1, 2), Fraction(9, 10))


class Acts(RuleBasedStateMachine):
    """Whatever may happen to a session, in any order."""

    @initialize(window=st.sampled_from(WINDOWS))
    def begin(self, window):
        """An empty session, of a window of some size."""
        self.limits = ModelLimits(context_window=window, max_output_tokens=500)
        self.session, self.journal = new_session()
        self.count = 0
        self.seen = {}
        """For each message the view as it was when that had been added."""
        self.before = {}
        """For each message the view in which it was new, and where it stood."""

    def add(self, messages, marks=PLAIN):
        """Add messages one by one, and note what is shown then; the ids of their records."""
        names = [self.session.append(message, marks) for message in messages]
        view = self.session.view()
        self.seen[names[-1]] = view
        self.before |= {name: (view, place) for place, name in enumerate(view.ids) if name in names}
        return names

    @rule(length=st.sampled_from(SIZES), usage=st.booleans(), pinned=st.booleans())
    def exchange(self, length, usage, pinned):
        """A question and an answer with thinking."""
        self.count += 1
        self.add([user(WORDS * length)], PINNED if pinned else PLAIN)
        self.add([thinks(WORDS * length)])
        if usage:
            self.session.record(TokenUsage(input=1 + self.count * 50), model="m")

    @rule(
        length=st.sampled_from(SIZES),
        turns=st.integers(1, 4),
        calls=st.integers(1, 5),
        thinking=st.booleans(),
        end=st.sampled_from(["call", "result", "words"]),
    )
    def loops(self, length, turns, calls, thinking, end):
        """Loops of tool calls; the last of each broken off at a call, at a result, or brought to its end."""
        self.add([one for _ in range(turns) for one in self.loop(length, calls, thinking=thinking, end=end)])

    def loop(self, length, calls, *, thinking, end):
        """The messages of one loop."""
        yield user(WORDS * 3)
        for number in range(calls):
            self.count += 1
            name = f"call-{self.count % 7}"
            yield call(name, thinking=thinking)
            if number < calls - 1 or end != "call":
                yield result(name, WORDS * length)
        if end == "words":
            yield thinks()

    @rule(length=st.sampled_from(SIZES), thinking=st.booleans(), ends=st.booleans())
    def pin_a_result(self, length, thinking, ends):
        """A loop whose result is pinned; the calls around it are not."""
        self.count += 1
        name = f"call-{self.count % 7}"
        self.add([user(WORDS * 3)])
        self.add([call(name, thinking=thinking)])
        self.add([result(name, WORDS * length)], PINNED)
        if ends:
            self.add([thinks()])

    @rule(cause=CAUSES, share=st.sampled_from(SHARES), there_and_back=st.booleans())
    def compact(self, cause, share, there_and_back):
        """What is shown afterwards is what the engine made, and an undo takes it back."""
        window = self.session.view().window(self.limits, CompactionPolicy(keep_share=share))
        compaction = compact_without_model(plan_compaction(window, cause=cause))
        before = self.session.view()
        assert (self.session.compacted(compaction) is None) == (not compaction.plan.changes_anything)
        after = self.session.view()
        expected = pair_tools(sendable(compaction.conversation).messages).messages
        shown = with_unique_ids(after.messages)  # the log keeps the ids that a call came with
        assert [one.raw for one in shown] == [one.raw for one in with_unique_ids(expected)]
        if not any(one.marks.checkpoint and one.text.startswith(LOOP_LINES) for one in before.messages):
            # the mark of a line that goes: the session gives it to the message before, the engine to none
            assert [one.marks for one in after.messages] == [one.marks for one in expected]
        if compaction.plan.changes_anything and there_and_back:
            self.session.undo()
            assert self.session.view() == before
            self.session.redo()
            assert self.session.view() == after

    @rule(cause=CAUSES, share=st.sampled_from(SHARES), said=st.sampled_from(["words", "call", "result"]))
    def compact_while_something_is_said(self, cause, share, said):
        """What is added while a summary is written is shown behind the compaction, with all that was kept."""
        compaction = compact_without_model(
            plan_compaction(self.session.view().window(self.limits, CompactionPolicy(keep_share=share)), cause=cause)
        )
        self.count += 1
        name = f"call-{self.count % 7}"
        added = {
            "words": [user("Meanwhile."), thinks()],
            "call": [call(name, thinking=True)],
            "result": [result(f"call-{(self.count - 1) % 7}", "Late.")],
        }
        before = self.session.view().ids
        self.add(added[said])
        new = [name for name in self.session.view().ids if name is not None and name not in before]
        self.session.compacted(compaction)
        after = self.session.view()
        if said != "result":  # a result goes where its call stands, or with it
            assert set(new) <= set(after.ids)
        plan = compaction.plan
        tail = [one.index for one in plan.kept_pieces if plan.summarizes and one.index >= plan.cut]
        kept = (plan.context.messages[index] for index in tail)
        for message in (one for one in kept if not one.text.startswith(LOOP_LINES)):  # they go once they are answered
            assert not message.text or message.text in {one.text for one in after.messages}

    @rule()
    def prune(self):
        """What is shown afterwards is what the window holds.

        A late result is cleared by its call alone; where a call's id is used twice the other one goes with it.
        """
        window = self.session.view().window(self.limits, CompactionPolicy(prune_protect=100, prune_minimum=10))
        pruning = window.prune()
        self.session.pruned(pruning)
        view = self.session.view()
        late = set(view.repaired.moved)
        held = pair_tools(sendable(window.messages).messages).messages
        for shown, expected in zip(view.messages, held, strict=True):
            assert shown.raw == expected.raw or {one.call_id for one in results_of(shown)} & late

    @rule()
    def undo(self):
        """Undo what stands; refused only where no compaction does, or the one that a fork began with."""
        try:
            self.session.undo()
        except Refused as refused:
            assert self.session.view().compaction is None or "can be undone only there" in str(refused)

    @rule()
    def redo(self):
        """Take an undo back, where there is one."""
        with suppress(Refused):
            self.session.redo()

    @rule()
    def come_to_nothing(self):
        """A compaction that fails changes nothing."""
        before = self.session.view()
        self.session.failed("no answer")
        assert self.session.view() == before

    @precondition(lambda self: self.seen)
    @rule(data=st.data())
    def rewind(self, data):
        """What is shown afterwards is what was shown then; an undo brings back what was shown before."""
        to, before = data.draw(st.sampled_from(sorted(self.seen))), self.session.view()
        self.session.rewind(to)
        assert self.session.view() == self.seen[to]
        if data.draw(st.booleans()):
            self.session.undo()
            assert self.session.view() == before
            self.session.redo()
            assert self.session.view() == self.seen[to]

    @invariant()
    def what_is_shown_can_be_sent(self):
        """Every call has its result, and nothing is in it that the API refuses."""
        view = self.session.view()
        assert sendable(view.messages).messages == view.messages
        assert pair_tools(view.messages).messages == view.messages

    @invariant()
    def who_reads_it_anew_sees_the_same(self):
        """The whole log gives what was kept in memory."""
        view = self.session.view()
        assert view_of(replay_from_end(reversed(list(self.session.records())))) == view

    @invariant()
    def thinking_stands_behind_the_history_it_was_made_behind(self):
        """Thinking that is shown has before it exactly what it had when it was new."""
        view = self.session.view()
        for place, (name, message) in enumerate(zip(view.ids, view.messages, strict=True)):
            if place >= view.opened and any(type(part) is Thinking for part in message.parts):
                then, was_at = self.before[name]
                assert [one.raw for one in view.messages[:place]] == [one.raw for one in then.messages[:was_at]]


TestActs = Acts.TestCase
TestActs.settings = settings(max_examples=sized(20, nightly=300), stateful_step_count=30)


def name_of(number):
    """An id that ascends."""
    return f"{number:026}"


@st.composite
def logs(draw):
    """Records with ascending ids and whatever references, to what is there or not."""
    kinds = st.sampled_from(["message"] * 6 + ["compaction", "failed", "undo", "rewind", "pruning"])
    made = []
    for number, kind in enumerate(draw(st.lists(kinds, max_size=30)), 1):
        other = name_of(draw(st.integers(0, number + 1)))
        head = {"id": name_of(number), "time": number}
        match kind:
            case "message":
                made.append(MessageRecord(**head, message=user(f"{number}")))
            case "undo":
                made.append(UndoRecord(**head, of=other))
            case "rewind":
                made.append(RewindRecord(**head, to=other))
            case "pruning":
                made.append(PruningRecord(**head, cleared=()))
            case _:
                summary = SummaryRecord(content="S", generated=1, summarized=1, tokens_before=1)
                opening = (Copy(of="ahead", message=user("ahead")),)
                tail = draw(st.sampled_from([None, other]))
                error = "no" if kind == "failed" else None
                made.append(CompactionRecord(**head, summary=summary, opening=opening, tail=tail, error=error))
    return made


def visible_forwards(records):
    """The ids of what is visible, worked out from the beginning: a second way to the same answer."""
    states = {"": []}
    now = []
    for record in records:
        if isinstance(record, RewindRecord):
            known = max((name for name in states if name <= record.to and name < record.id), default="")
            now = list(states[known])
        else:
            now = [*now, record]
        states[record.id] = now
    effects = {one.id: (one.id, True) for one in now if isinstance(one, CompactionRecord)}
    counts = dict(effects.values())
    for record in now:
        if isinstance(record, UndoRecord) and record.of in effects and record.of < record.id:
            change, before = effects[record.of]
            effects[record.id] = (change, not before)
            counts[change] = not before
    made = [one for one in now if isinstance(one, CompactionRecord) and one.error is None and counts[one.id]]
    messages = [one.id for one in now if isinstance(one, MessageRecord)]
    if not made:
        return messages
    newest = made[-1]
    return ["ahead", *(name for name in messages if name > newest.id or (newest.tail and name >= newest.tail))]


@settings(max_examples=sized(165, nightly=2_500))
@given(logs())
def test_whatever_was_recorded_the_newest_finished_compaction_counts(records):
    """Walking back sees what reading forwards sees: its opening, its tail, and what came since."""
    assert list(view_of(replay_from_end(reversed(records))).ids) == visible_forwards(records)


@settings(max_examples=sized(100, nightly=1_500))
@given(logs())
def test_no_more_is_read_than_is_visible(records):
    """What is older than the tail of the newest compaction may be anything: it is never asked for."""
    asked = []

    def newest_first():
        for record in reversed(records):
            asked.append(record)
            yield record

    standing = replay_from_end(newest_first())
    made = standing.compaction
    if made is not None:
        behind = [one for one in asked if one.id < min(made.tail or made.id, made.id)]
        assert len(behind) <= 1


def test_a_log_of_before_undos_named_where_they_go_back_to_is_shown_alike():
    """An undo of a rewind was a rewind to the record before it, and a redo an undo of an undo."""
    fields = [
        {"kind": "message", "message": user("one")},
        {"kind": "message", "message": user("two")},
        {"kind": "pruning", "cleared": []},
        {"kind": "undo", "of": name_of(2)},
        {"kind": "undo", "of": name_of(3)},
        {"kind": "rewind", "to": name_of(0)},
        {"kind": "message", "message": user("three")},
        {"kind": "rewind", "to": name_of(4), "of": name_of(5)},
    ]
    lines = [json.dumps({"v": 2, "id": name_of(n), "time": 1, **one}).encode() for n, one in enumerate(fields)]
    visibility = visibility_of([decode(line) for line in lines])
    assert [one.text for one in view_of(visibility).messages] == ["one", "two"]
    assert [one.id for one in visibility.changes] == [name_of(2)]


@pytest.mark.parametrize(
    ("named", "cleared"), [("", [None]), (None, [None, name_of(1), name_of(2)]), (name_of(1), [name_of(1)])]
)
def test_a_pruning_clears_the_output_that_it_saw(named, cleared):
    """Not another one whose call has the same id: a fork may hold the older in its compaction, without a record."""
    pruning = PruningRecord(id=name_of(3), time=1, cleared=(ClearedOutput(call="call-2", message=named),))
    holders = (None, name_of(1), name_of(2))
    assert [one for one in holders if Clearing([pruning]).first(one, "call-2")] == cleared
