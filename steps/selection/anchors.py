"""Steps of features/selection/anchors.feature.

Turns in a line: `Bash failed; Edit, Bash runs "make" "12 passed"; talk`. Between semicolons stands a turn, between
commas a call of a tool, with its output in quotation marks. Behind the tool: failed, unanswered; runs "a command"; on a
file, as in another agent's field; paths or a patch in quotation marks; 2 open 3
closed items; 101 characters. Among the calls of a turn: talk (none), marked (by the user), answers "with words".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from pytest_bdd import given, parsers, when

from brim import CompactionPolicy, Compactor, Conversation
from brim.checkpoints import CheckpointSettings
from brim.cli import main
from brim.conversation.turns import Response, ToolUse, Turn
from brim.errors import BrimError
from brim.evidence.tools import EDITING_TOOLS, touched_files
from brim.models import ModelLimits
from brim.selection.anchors import THRESHOLD, Anchor, anchor_turns, find_anchors, weightiest_first
from brim.sessions import open_store
from brim.sessions.lineage import fork
from steps.checkpointed_projects import workshop
from steps.conversation_table import names
from steps.implementation import Refusal
from steps.turn_table import portable_turn
from steps.vocabulary import attempt, quoted
from steps.worlds.conversation_line import OUTSIDE_QUOTES
from steps.worlds.notation import Notation, Unread

__all__ = ["workshop"]

STATES = (("pending", "open"), ("completed", "closed"))
LIST_FIELDS = {"update_plan": "plan"}
WORDS: dict[str, Any] = {
    "failed": lambda: {"succeeded": False},
    "unanswered": lambda: {"succeeded": None},
    r'runs "([^"]*)"': lambda command: {"input": {"command": command}},
    r'on "([^"]*)"': lambda path: {"input": {"file_path": path}},
    r'paths "([^"]*)"': lambda paths: {"input": {"paths": names(paths)}},
    r'patch "([^"]*)"': lambda patch: {"input": {"patch": patch}},
    r"(\d+) (open|closed)": lambda count, state: {state: int(count)},
    r"(\d+) characters": lambda count: {"length": int(count)},
    r'"([^"]*)"': lambda output: {"output": output},
}
LIMITS = ModelLimits(context_window=20_000, max_output_tokens=1_000)
LARGE = "Words that do not matter. " * 700
"""A request that fills most of what the compaction is due from."""


def read_turns(line: str) -> tuple[Turn, ...]:
    """Read the turns of a line. Raises Unread with the first word that is not of the notation."""
    told = [] if line == "none" else re.split("; " + OUTSIDE_QUOTES, line)
    return tuple(_turn(index, re.split(", " + OUTSIDE_QUOTES, one)) for index, one in enumerate(told))


def _turn(index: int, items: list[str]) -> Turn:
    answers = [one.removeprefix("answers ").strip('"') for one in items if one.startswith("answers ")]
    uses = tuple(_use(one) for one in items if one not in {"talk", "marked"} and not one.startswith("answers "))
    responses = (Response("", uses), Response(*answers or ["Done."]))
    return Turn(index, index, index + 1, "Do it.", responses, marked="marked" in items)


def _use(text: str) -> ToolUse:
    tool, left = re.fullmatch(r'("[^"]*"|\S+) ?(.*)', text, re.DOTALL).groups()  # type: ignore[union-attr]
    said: dict[str, Any] = {"input": {}, "succeeded": True, "output": ""}
    while left:
        found, read = max(
            ((found, read) for one, read in WORDS.items() if (found := re.match(rf"{one}(?: |$)", left))),
            key=lambda one: one[0].end(),
            default=(None, None),
        )
        if found is None or read is None:
            raise Unread(f"{left!r} behind {tool!r} begins with none of {', '.join(WORDS)}")
        told = read(*map(quoted, found.groups()))
        said |= told | {"input": said["input"] | told.get("input", {})}
        left = left[found.end() :]
    items = [{"content": "x", "status": status} for status, of in STATES for _ in range(said.get(of, 0))]
    lists = {LIST_FIELDS.get(tool.strip('"'), "todos"): items} if {"open", "closed"} & said.keys() else {}
    return ToolUse(tool.strip('"'), said["input"] | lists, _output(said), said["succeeded"])


def _output(said: dict[str, Any]) -> str:
    """Return what a call printed: words, filled up to a length by blanks, or so many characters; nothing yet."""
    printed = said["output"].replace("␛", "\x1b")
    if said["succeeded"] is None:
        return ""
    return printed.ljust(said["length"]) if printed and "length" in said else printed or "x" * said.get("length", 0)


class Found:
    """The anchors of turns, in the words of the feature."""

    def __init__(self, anchors: tuple[Anchor, ...], last: int) -> None:
        self.anchor = ", ".join(_told(one) for one in anchors if one.turn == last)
        self.anchors = [f"{one.turn}: {_told(one)}" for one in anchors]
        self.weights = [one.weight for one in anchors]
        self.selection_may_begin_at = anchor_turns(anchors)
        self.order_of_telling = [one.turn for one in weightiest_first(anchors)]


def _told(anchor: Anchor) -> str:
    return f"{'synthetic ' * anchor.synthetic}{anchor.kind.replace('_', ' ')} {anchor.confidence}"


@when(parsers.re("the weight of an? (?P<kind>[a-z ]+) is asked for"), target_fixture="outcome")
def ask_weight(implementation, kind):
    return implementation("anchor_weight", kind=kind.replace(" ", "_"))


@given(Notation("the turns {line}", read_turns), target_fixture="turns")
def turns_in_a_line(line):
    return read_turns(line)


@when("the turns are searched for anchors", target_fixture="outcome")
def search(request, implementation, turns, settings):
    """By the operation, too, if other implementations run the rule; brim's own search of all turns agrees with it."""
    least, editing_tools = settings.get("anchor_confidence", THRESHOLD), settings.get("editing_tools", EDITING_TOOLS)
    own = attempt(find_anchors, turns, threshold=least, editing_tools=editing_tools)
    if request.node.get_closest_marker("portable") is None:
        return own if isinstance(own, BrimError) else Found(own, len(turns) - 1)
    options = {"confidence_threshold": float(least)} if "anchor_confidence" in settings else {}
    answers = [implementation("detect_anchor", turn=given, **options) for given in portable_turns(turns)]
    if refusals := [one for one in answers if isinstance(one, Refusal)]:
        return refusals[0]
    found = tuple(Anchor(index, one["kind"], one["confidence"]) for index, one in enumerate(answers) if one is not None)
    if request.getfixturevalue("portable_program") is None:
        assert found == tuple(one for one in own if not one.synthetic)
    return Found(found, len(turns) - 1)


def portable_turns(turns: tuple[Turn, ...]) -> Iterator[dict[str, Any]]:
    """Yield each turn as the operation takes it."""
    failed = False
    for turn in turns:
        told = portable_turn(turn.request, turn.tool_uses, turn.answer)
        yield told | ({"previous_error": failed} if turn.index else {})
        failed = any(use.succeeded is False for use in turn.tool_uses)


@when("the files of the last call are asked for", target_fixture="outcome")
def ask_files(turns, settings):
    touched = touched_files(turns[-1].tool_uses[-1], settings.get("editing_tools", EDITING_TOOLS))
    return {"files": [f"{one.act} {one.path}" for one in touched]}


class SixTurns:
    """Six turns in a session about a project, in the second of which something happens; the last makes one due."""

    def __init__(self, workshop: Any, happens: str) -> None:
        self.workshop = workshop
        self.conversation: Conversation | None = None
        self.before = happens.endswith(BEFORE)
        self.happens = HAPPENS[happens.removesuffix(BEFORE)]
        workshop.told["settings"] = CheckpointSettings(snapshots=False)

    def take_place(self, *, in_conversation: bool) -> None:
        """Let the user ask and the agent answer, six times; a conversation has not got its last answer yet."""
        self.conversation = self.conversing() if in_conversation else None
        for turn in range(6):
            self.say({"role": "user", "content": f"Request {turn}. " + {0: LARGE, 5: "Mind it. " * 40}.get(turn, "")})
            if self.conversation is not None:
                if turn == 5:
                    return
                assert self.conversation.prepare().compaction is None
            if turn == 1 and self.before:
                self.happens(self)
            self.say({"role": "assistant", "content": "Done."})
            if turn == 1 and not self.before:
                self.happens(self)

    def say(self, message: dict[str, str]) -> None:
        """Put a message to the conversation, or to the session."""
        (self.workshop.session if self.conversation is None else self.conversation).append(message)

    def conversing(self) -> Conversation:
        """Return a conversation of the session that the last of the turns makes due."""
        compactor = Compactor(limits=LIMITS, policy=CompactionPolicy(threshold=4_600))
        return Conversation(compactor, session=self.workshop.session)

    def by_hand(self) -> None:
        """The user makes a checkpoint in a program."""
        self.workshop.checkpoints.create("mine")

    def rewound(self) -> None:
        """The user makes one, and goes back to before it."""
        *_, newest = self.workshop.session.view().ids
        self.by_hand()
        self.workshop.session.rewind(newest)

    def forked(self) -> None:
        """The user makes one, and the conversation goes on in a fork."""
        self.by_hand()
        name, store = self.workshop.session.id, self.workshop.session.store
        self.workshop.session.close()
        self.workshop.session = store.open(fork(store, name))

    def continued(self) -> None:
        """The user makes one, and another process goes on with the session."""
        self.by_hand()
        with self.closed():
            pass
        self.conversation = self.conversing()

    def before_restore(self) -> None:
        """A checkpoint is made before a restore of the files."""
        self.workshop.told.clear()
        self.workshop.checkpoints.before_prompt("Go on.")
        self.workshop.checkpoints.restore(self.workshop.checkpoints.list()[0].id, "files")

    @contextmanager
    def closed(self) -> Iterator[None]:
        """Let no program write the session meanwhile."""
        self.workshop.session.close()
        yield
        self.workshop.session = open_store(self.workshop.home).open(self.workshop.session.id)

    def run(self, *words: str) -> None:
        """Run the command about the session's store."""
        with self.closed():
            assert main([*words, "--store", str(self.workshop.home)]) == 0


BEFORE = " before the answer"
HAPPENS = {
    "the user makes a checkpoint": SixTurns.by_hand,
    "the user runs brim checkpoints create": lambda six: six.run(
        "checkpoints", "create", "mine", "--project", str(six.workshop.project)
    ),
    "the user makes a checkpoint that is rewound": SixTurns.rewound,
    "the user makes a checkpoint, and the session is forked": SixTurns.forked,
    "the user makes a checkpoint, and another process goes on": SixTurns.continued,
    "brim makes a checkpoint before a prompt": lambda six: six.workshop.checkpoints.before_prompt("Go on."),
    "brim makes a checkpoint before a restore": SixTurns.before_restore,
    "the program marks the newest message": lambda six: six.conversation.mark_checkpoint(),
}


@given(
    parsers.re(rf"6 turns, in turn 1 of which (?P<happens>(?:{'|'.join(HAPPENS)})(?:{BEFORE})?)"),
    target_fixture="six_turns",
)
def turns_in_which(workshop, happens):
    return SixTurns(workshop, happens)


@when(parsers.re("(?P<who>a program|the command|an agent's conversation) compacts them"), target_fixture="outcome")
def compact(six_turns, who):
    six_turns.take_place(in_conversation="conversation" in who)
    session = six_turns.workshop.session
    if six_turns.conversation is not None:
        sent = six_turns.conversation.prepare()
        assert sent.compaction is not None, sent.verdict
        return turns_in(sent.messages)
    if who == "a program":
        session.compacted(Compactor(limits=LIMITS).compact(session.view().window(LIMITS)))
    else:
        six_turns.run("sessions", "compact", session.id, "--window", "20k", "--max-output", "1000")
    view = six_turns.workshop.session.view()
    assert view.compaction is not None
    return turns_in([one.raw for one in view.messages])


def turns_in(messages: Any) -> dict[str, list[int]]:
    """Return the turns of which the request is there."""
    return {"turns_kept": [n for n in range(6) if any(one["content"].startswith(f"Request {n}.") for one in messages)]}
