"""Conversations to compact, as hypothesis draws them: ordinary work, and whatever else a list of messages may hold."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from brim.compaction.context_window import ContextWindow
from brim.compaction.policy import CompactionPolicy
from brim.conversation.messages import (
    PLAIN,
    SUMMARY,
    SUMMARY_OPENING,
    SYNTHETIC,
    Marks,
    Message,
    ToolResult,
    read_message,
)
from brim.errors import Refused
from brim.models import ModelLimits
from brim.pruning.tool_outputs import PLACEHOLDER
from brim.tokens.usage import TokenUsage
from brim.trigger.overflow import trigger_for
from steps.prerequisites import sized
from tests.conversation import strategies as anything

steady = settings(max_examples=sized(12, nightly=1_000))
"""A busy machine is no failure."""
LENGTHS = (40, 1, 12, 400, 3_000, 30_000, 100_000)
PROFILES = ("usable", "proactive", "opencode-2025", "claude-code-2.1")
WINDOWS = (0, 40, 300, 2_000, 40_000, 200_000, 1_000_000)
OUTPUTS = (0, 10, 8_000, 32_000)


def _fits(profile: str, limits: ModelLimits) -> bool:
    try:
        trigger_for(profile, limits)
    except Refused:
        return False
    return True


SETTINGS = [
    (profile, limits)
    for profile in PROFILES
    for window in WINDOWS
    for output in OUTPUTS
    if _fits(profile, limits := ModelLimits(context_window=window, max_output_tokens=output))
]


def _brief(value: Any) -> Any:
    if isinstance(value, str):
        return value if len(value) < 60 else f"{value[:9]}… {len(value)}"
    if isinstance(value, list):
        return [_brief(item) for item in value]
    return {key: _brief(item) for key, item in value.items()} if isinstance(value, dict) else value


@dataclass(frozen=True, repr=False)
class Case:
    """A conversation, what was reported of it, and the model that it is for."""

    messages: tuple[Message, ...]
    usages: dict[int, TokenUsage]
    """What the response reported that ends with this message."""
    profile: str
    limits: ModelLimits
    system: str | None = None
    tools: list[dict[str, Any]] = field(default_factory=list)

    def __repr__(self) -> str:
        """The case in short: long texts by their length."""
        told = [(message.role, _brief(message.raw["content"]), message.marks) for message in self.messages]
        return f"Case({told}, {self.usages}, {self.profile}, {self.limits})"

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        """What hypothesis shows."""
        printer.text(repr(self))

    def window(self, **settings: Any) -> ContextWindow:
        """A window built of it message by message, under a policy with these settings."""
        window = self.empty(**settings)
        for position, message in enumerate(self.messages):
            window.append(message)
            if position in self.usages:
                window.record(self.usages[position], model="model")
        return window

    def empty(self, **settings: Any) -> ContextWindow:
        """A window with none of its messages."""
        return ContextWindow(
            self.limits,
            policy=CompactionPolicy(profile=self.profile, **settings),
            system=self.system,
            tools=self.tools,
            characters_per_token=4,
        )


@dataclass
class Draft:
    """A conversation that is being made up: every choice is a byte, the first of the choices where none is left."""

    choices: Iterator[int]
    messages: list[Message] = field(default_factory=list)
    late: list[dict[str, Any]] = field(default_factory=list)
    """Results that come at the beginning of a later message."""
    numbers: Iterator[int] = field(default_factory=count)

    def say(self, role: str, content: str | list[dict[str, Any]], marks: Marks = PLAIN) -> None:
        """Append a message."""
        self.messages.append(read_message({"role": role, "content": content}, marks))

    def one(self, *choices: Any) -> Any:
        """One of these."""
        return choices[next(self.choices, 0) % len(choices)]

    def seldom(self, one_in: int = 10) -> bool:
        """Whether something rare happens."""
        return next(self.choices, 0) % one_in == one_in - 1

    def words(self) -> str:
        """A text of some length."""
        length = self.one(*LENGTHS)
        return ("Never mind, go on. " * (length // 19 + 1))[:length]


TURN_MARKS = (*[PLAIN] * 12, Marks(pinned=True), Marks(checkpoint=True), SYNTHETIC, Marks(pinned=True, synthetic=True))
STEP_MARKS = (*[PLAIN] * 12, Marks(pinned=True), Marks(checkpoint=True), Marks(error="overloaded"))
IMAGE = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AAAA"}}


def _prompt(draft: Draft) -> None:
    kind = draft.one("words", "words", "words", "words", "words", "blocks", "image", "empty", "marker", "unknown")
    late, draft.late = draft.late, []
    blocks = {
        "blocks": [{"type": "text", "text": draft.words()}, {"type": "text", "text": ""}],
        "image": [IMAGE, {"type": "text", "text": "What is this?"}],
        "empty": [{"type": "text", "text": " "}],
        "marker": [{"type": "compaction_marker"}],
        "unknown": [{"type": "hologram", "depth": 3}],
        "words": [{"type": "text", "text": draft.words()}],
    }[kind]
    content = draft.words() if kind == "words" and not late else [*late, *blocks]
    draft.say("user", content, draft.one(*TURN_MARKS))


def _step(draft: Draft) -> None:
    blocks: list[dict[str, Any]] = []
    if draft.one(True, False):
        blocks.append(
            draft.one(
                {"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "redacted_thinking", "data": "x"}
            )
        )
    if draft.one(True, True, False):
        blocks.append({"type": "text", "text": draft.one("I look.", "Done.", "", draft.words())})
    ids = [f"call_{next(draft.numbers)}" for _ in range(draft.one(0, 1, 1, 1, 2, 3))]
    blocks += [{"type": "tool_use", "id": one, "name": draft.one(*TOOLS), "input": draft.one(*INPUTS)} for one in ids]
    blocks += draft.one([], [], [], [], _served(draft), [{"type": "hologram"}])
    marks = draft.one(*STEP_MARKS)
    if len(blocks) > 1 and draft.seldom(3):
        marks = Marks(pinned=marks.pinned, response=f"msg_{next(draft.numbers)}")
        for block in blocks:
            draft.say("assistant", [block], marks)
    elif blocks:
        draft.say("assistant", blocks, marks)
    _results(draft, ids)


TOOLS = ("Bash", "Read", "Edit", "skill", "TodoWrite")
INPUTS = (
    {"command": "python -m pytest -q"},
    {"file_path": "/home/dev/app/main.py"},
    {"file_path": "/home/dev/app/main.py", "old_string": "a", "new_string": "b"},
    {"todos": [{"content": "Mend it", "status": "pending"}]},
    {"command": ["not", "a", "text"], "file_path": 3},
)


def _served(draft: Draft) -> list[dict[str, Any]]:
    number = next(draft.numbers)
    call = {"type": "server_tool_use", "id": f"srv_{number}", "name": "web_search", "input": {"query": "brim"}}
    answer = {"type": "web_search_tool_result", "tool_use_id": f"srv_{number}", "content": []}
    return [call] if draft.seldom(2) else [call, answer]


def _results(draft: Draft, ids: list[str]) -> None:
    given: list[dict[str, Any]] = []
    for one in ids:
        fate = draft.one("ok", "ok", "ok", "ok", "failed", "pruned", "missing", "late")
        text = {"failed": "Exit code 1", "pruned": PLACEHOLDER}.get(fate) or draft.words()
        result = {"type": "tool_result", "tool_use_id": one, "content": text, "is_error": fate == "failed"}
        if fate == "late":
            draft.late.append(result)
        elif fate != "missing":
            given.append(result)
    if draft.seldom():
        given.append({"type": "tool_result", "tool_use_id": "stray", "content": "Nobody asked."})
    if draft.seldom(6) and given:
        given.append({"type": "text", "text": "Mind the time."})
    marks = draft.one(*STEP_MARKS)
    if draft.one(True, False):
        for result in given:
            draft.say("user", [result], Marks(pinned=marks.pinned))
    elif given:
        draft.say("user", given, Marks(pinned=marks.pinned, synthetic=draft.one(True, False)))


def _summary(draft: Draft) -> None:
    text = f"{SUMMARY_OPENING}\n\n{draft.words()}"
    if draft.one(True, False):
        draft.say("user", "What happened so far?", SYNTHETIC)
        draft.say("assistant", text, Marks(synthetic=True, summary=True))
    else:
        draft.say("user", text, SUMMARY)


def work(choices: bytes) -> tuple[Message, ...]:
    """A conversation shaped like an agent's: prompts, responses that call tools, results, and an answer."""
    left = iter(choices)
    draft = Draft(left)
    if draft.seldom(3):
        draft.say("user", "<system-reminder>Your notes.</system-reminder>", SYNTHETIC)
    while left.__length_hint__():
        if draft.seldom():
            _summary(draft)
        if not draft.seldom():
            _prompt(draft)
        for _ in range(draft.one(0, 1, 2, 3, 4)):
            _step(draft)
    return tuple(draft.messages)


def _is_possible(message: Message) -> bool:
    """Whether a provider's own results stand in its responses alone: elsewhere the API knows none."""
    return message.role == "assistant" or not any(
        type(part) is ToolResult and part.raw["type"] != "tool_result" for part in message.parts
    )


pinnable = st.builds(
    lambda message, marks: Message(message.role, message.parts, message.raw, marks),
    anything.messages.filter(_is_possible),
    st.builds(
        Marks,
        synthetic=st.booleans(),
        pinned=st.sampled_from([False, False, True]),
        summary=st.sampled_from([False, False, False, True]),
        checkpoint=st.booleans(),
        response=st.sampled_from([None, "one", "two"]),
    ),
)


def _chance(seed: int, length: int) -> tuple[Message, ...]:
    return work(random.Random(seed).randbytes(length))  # noqa: S311 - a conversation, not a secret


short = st.binary(max_size=60).map(work)
long = st.builds(_chance, st.integers(0, 1_000_000), st.integers(50, 500))
conversations = st.one_of(short, long, long, st.lists(pinnable, max_size=8).map(tuple))
usages = st.builds(
    TokenUsage, input=st.sampled_from([0, 9, 900, 30_000, 170_000, 990_000]), output=st.integers(0, 9_000)
)


@st.composite
def cases(draw: Any) -> Case:
    """A conversation, what some of its responses reported, and the limits and the profile it is held against."""
    messages = draw(conversations)
    profile, limits = draw(st.sampled_from(SETTINGS))
    answers = [n for n, message in enumerate(messages) if message.role == "assistant"]
    reporting = draw(st.lists(st.sampled_from(answers), max_size=3)) if answers else []
    return Case(
        messages=messages,
        usages={position: draw(usages) for position in reporting},
        profile=profile,
        limits=limits,
        system=draw(st.sampled_from([None, "You mend programs. " * 40])),
        tools=draw(st.sampled_from([[], [{"name": "Bash", "input_schema": {}}]])),
    )
