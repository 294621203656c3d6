"""Steps of features/engine/settings.feature."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

from pytest_bdd import parsers, when

from brim.compaction.policy import CompactionPolicy
from brim.engine.compacting import compacting
from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.errors import BrimError
from brim.models import ModelLimits
from brim.pruning.tool_outputs import PLACEHOLDER
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import MessagesServer, ScriptedSummarizer
from steps.compaction_windows import filler, raw_turns
from steps.entry_points import ENTRY_POINTS, Use
from steps.policies import with_policy
from steps.vocabulary import attempt, phrase, tokens
from steps.worlds.agents import MODEL, SUMMARY, ListingAgent, notes_read

LARGE = ModelLimits(context_window=200_000, max_output_tokens=64_000)
COUNTERS = {"a character a token": SimpleNamespace(count=len)}
"""Token counters by their names."""
LISTS = {"harness_tags", "protected_tools", "editing_tools", "required_facts"}
"""Fields that hold several texts."""
TEXTS = {"proactive_share", "keep_share", "anchor_confidence"}
"""Fields whose numbers are written as they stand: 0.92."""


def value_of(field: str, text: str) -> Any:
    """The value of a field, written as in JSON, or as a text."""
    if field in LISTS:
        return [text]
    if field == "token_counter":
        return COUNTERS.get(text, text)
    if field not in TEXTS:
        with suppress(ValueError):
            return json.loads(text)
    return text


def policies(field: str, value: str, **both: Any) -> Iterator[CompactionPolicy]:
    """Yield the policy without the setting, and the one with it."""
    yield CompactionPolicy(**both)
    yield CompactionPolicy(**{**both, field: value_of(field, value)})


SAID = [{"role": "user", "content": "Mend the door."}, {"role": "assistant", "content": "It is mended."}]
MEASURES: dict[str, Callable[..., Any]] = {}
"""What is looked at under each of two policies, by the patterns of what it is called."""


def _uncaptured(pattern: str) -> str:
    return re.sub(r"\((?!\?)", "(?:", pattern)


def measure(pattern: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Note a measure: a function of the policy, the model's limits and the groups of its pattern."""

    def note(function: Callable[..., Any]) -> Callable[..., Any]:
        MEASURES[pattern] = function
        return function

    return note


@measure("([0-9,]+) tokens are judged")
def judge(policy: CompactionPolicy, limits: ModelLimits, held: str) -> str:
    """Return whether they are due."""
    made = Compactor(limits=limits, policy=policy)
    return "due" if made.should_compact(SAID, usage={"input_tokens": tokens(held)}).due else "not due"


def worked(tool: str) -> list[Any]:
    """Seven long turns, one in which a tool changes a file and the tests pass, and five short ones."""
    calls = [(tool, {"file_path": "a.py"}, "Done."), ("Bash", {"command": "pytest"}, "5 passed in 0.1s")]
    return [*raw_turns(7, 7_000), *change_by(*calls), *raw_turns(12, 2_000)[28:]]


def change_by(*calls: tuple[str, dict[str, str], str]) -> list[Any]:
    """A turn of these tools, inputs and outputs."""
    change: list[Any] = [{"role": "user", "content": "Mend it."}]
    for number, (name, given_to, answer) in enumerate(calls):
        call = {"type": "tool_use", "id": f"change-{number}", "name": name, "input": given_to}
        result = {"type": "tool_result", "tool_use_id": f"change-{number}", "content": answer}
        change += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return [*change, {"role": "assistant", "content": "It is mended."}]


def with_notes() -> list[Any]:
    """Sixteen turns, with a note of the harness after each."""
    note = {"role": "user", "content": "<note>Be brief.</note>"}
    answer = {"role": "assistant", "content": "I shall."}
    turns = raw_turns(16, 2_000)
    return [one for first in range(0, len(turns), 4) for one in (*turns[first : first + 4], note, answer)]


def in_a_loop() -> list[Any]:
    """A long turn, and a tool loop with thinking of forty calls."""
    loop: list[Any] = []
    for number in range(40):
        called = {"type": "tool_use", "id": f"loop-{number}", "name": "Bash", "input": {"command": "make"}}
        thinking = {"type": "thinking", "thinking": "Hm.", "signature": "signed"}
        result = {"type": "tool_result", "tool_use_id": f"loop-{number}", "content": "text" * 1_500}
        loop += [{"role": "assistant", "content": [thinking, called]}, {"role": "user", "content": [result]}]
    return [*raw_turns(1, 5_000), {"role": "user", "content": "Mend it."}, *loop]


CONVERSATIONS: dict[str, Callable[[], list[Any]]] = {
    "long turns": lambda: raw_turns(16, 5_000),
    "turns with notes": with_notes,
    "turns with passing tests": lambda: worked("Edit"),
    "turns with its own tool": lambda: worked("Mend"),
}


@measure(f"({'|'.join(CONVERSATIONS)}) are compacted")
def compact(policy: CompactionPolicy, limits: ModelLimits, conversation: str) -> int:
    """Return how many messages are kept."""
    return len(Compactor(limits=limits, policy=policy).compact(CONVERSATIONS[conversation]()).plan.kept)


@measure("old outputs are cleared")
def clear(policy: CompactionPolicy, limits: ModelLimits) -> int:
    """Return how many are."""
    made = Compactor(limits=limits, policy=policy).compact(raw_turns(6, 30_000), cause="automatic")
    return str(made.messages).count(PLACEHOLDER)


LONG: dict[str, Callable[[int], tuple[str, str]]] = {
    "requests": lambda number: (f"Request {number}. {'Take care of the pier. ' * 40}", "I shall."),
    "answers": lambda number: ("Go on.", f"Answer {number}: {'the pier stands well ' * 9}"),
    "tickets": lambda number: ("Go on.", f"{'The pier stands well ' * 9}\n\nSee PIER-{number}."),
}


SHOWN = {"requests": "Request {}.", "answers": "Answer {}:", "tickets": "PIER-{},"}
ROLES = ("user", "assistant")


@measure(f"([0-9]+) ({'|'.join(LONG)}) are summarized")
def write_template(policy: CompactionPolicy, limits: ModelLimits, count: str, kind: str) -> int:
    """Return how many of them the template shows."""
    turns = [LONG[kind](number) for number in range(int(count))]
    messages = [{"role": role, "content": text} for turn in turns for role, text in zip(ROLES, turn, strict=True)]
    summary = Compactor(limits=limits, policy=policy).compact(messages).summary
    return sum(SHOWN[kind].format(number) in summary for number in range(int(count)))


@measure("a file that (.+) edited is summarized")
def summarize_edit(policy: CompactionPolicy, limits: ModelLimits, tool: str) -> str:
    """Return whether the summary names it, as a fact and as an action."""
    messages = [*change_by((tool, {"file_path": "a.py"}, "Done.")), *raw_turns(6, 200)]
    summary = Compactor(limits=limits, policy=policy).compact(messages).summary
    (named,) = {line in summary for line in ("- modified: a.py", "✓ Modified a.py")}
    return "the file" if named else "no file"


FAILS = SummaryAnswer(failure="permanent", reason="the key is not known")
SUMMARIES: dict[str, tuple[Any, Callable[[Any, Any], Any]]] = {
    "the model that is asked is looked at": (SUMMARY, lambda _, request: request.model),
    "the prompt is looked at": (SUMMARY, lambda made, _: made.plan.call.prompt),
    '"the lexer" is asked for': (SUMMARY, lambda _, request: "the lexer" in str(request.messages)),
    "the longest answer that is asked for is looked at": (SUMMARY, lambda _, request: request.max_tokens),
    "the author is looked at": (SUMMARY, lambda made, _: made.summary_source),
    "the author of a note is looked at": (FAILS, lambda made, _: made.summary_source),
}
"""What a summarizer answers, and what is looked at of the compaction and of its first request."""


@measure("|".join(f"({one})" for one in SUMMARIES))
def summarize(policy: CompactionPolicy, _limits: ModelLimits, *matched: str) -> Any:
    """Return what is looked at."""
    answer, look = SUMMARIES[next(filter(None, matched))]
    summarizer = ScriptedSummarizer([answer], repeat=True)
    made = Compactor(model="large", limits=LARGE, summarizer=summarizer, policy=policy, sleep=lambda _: None)
    return look(made.compact(raw_turns(6, 200)), summarizer.requests[0])


@measure("an agent makes a request")
def tools_under(policy: CompactionPolicy, _limits: ModelLimits) -> list[str]:
    """Return the names of the tools that it offers."""
    with MessagesServer(models={MODEL: (1_000_000, 64_000)}) as server, server.client() as plain:
        agent = ListingAgent(server, notes_read(6))
        agent.client = compacting(plain, policy=policy)
        agent.sends(None)
        return [tool["name"] for tool in server.requests[-1].body.get("tools", ())]


ANSWERED = ({"role": "user", "content": "Go on."}, {"role": "assistant", "content": filler(20_000)})
"""A turn with a long answer, which no pruning removes."""


@measure("an agent goes on until its window is half full")
def half_full(policy: CompactionPolicy, _limits: ModelLimits) -> int:
    """Return how many summaries it costs."""
    summarizer = ScriptedSummarizer(SUMMARY, repeat=True)
    running = Conversation(Compactor(limits=LARGE, summarizer=summarizer, policy=policy))
    is_half_full = False
    while not is_half_full:
        running.extend(ANSWERED)
        verdict = running.prepare().verdict
        is_half_full = 2 * verdict.held > verdict.threshold
    for thread in [one for one in threading.enumerate() if one.name == "brim-prefetch"]:
        thread.join()
    return len(summarizer.requests)


@measure("([0-9]+) conversations are compacted twice for their facts")
def many_conversations(policy: CompactionPolicy, _limits: ModelLimits, count: str) -> int:
    """Return of how many the facts of the first compaction are in the second."""
    compactor = Compactor(summarizer=ScriptedSummarizer(SUMMARY, repeat=True), policy=policy)
    known: list[set[str]] = []
    asked = ([{"role": "user", "content": f"Never touch pier {n}."}] for n in range(int(count)))
    talks: list[list[Any]] = [[*one, {"role": "assistant", "content": "No."}, *raw_turns(6, 500)] for one in asked]
    for _ in range(2):
        results = [compactor.compact(talk) for talk in talks]
        known = [{fact.text for fact in one.plan.facts} for one in results]
        talks = [[*one.messages, *raw_turns(6, 500)] for one in results]
    return sum(f"Never touch pier {n}." in facts for n, facts in enumerate(known))


@measure("the messages to keep are read(?: after a change to the profile (.+))?")
def read_setting(policy: CompactionPolicy, _limits: ModelLimits, profile: str | None) -> int:
    """Return how many they are."""
    return (policy.model_copy(update={"profile": profile}) if profile else policy).keep_messages


@when(
    parsers.re(f'"(?P<field>[a-z_]+)" is "(?P<value>[^"]*)" and (?P<what>{"|".join(map(_uncaptured, MEASURES))})'),
    target_fixture="outcome",
)
def measure_both(limits, settings, field, value, what):
    """By a policy without the setting, and by one with it, which may be refused."""
    made = attempt(lambda: [*policies(field, value, **settings)])
    if isinstance(made, BrimError):
        return made
    pattern = next(one for one in MEASURES if re.fullmatch(one, what))
    groups = re.fullmatch(pattern, what).groups()  # type: ignore[union-attr]
    default, changed = (MEASURES[pattern](one, ModelLimits(**limits) if limits else LARGE, *groups) for one in made)
    return SimpleNamespace(default=default, set=changed)


@when(phrase("a request is made through {entry_points}"), target_fixture="outcome")
def make_requests(limits, settings, entry_points):
    """All of them do the same."""
    fields = {
        **with_policy(settings)["policy"].model_dump(exclude_unset=True),
        "keep_share": CompactionPolicy().keep_share,
    }
    policy = CompactionPolicy(**fields, focus="the lexer", summary_model="small")
    every = entry_points == "every entry point"
    outcomes = []
    for name in ENTRY_POINTS if every else entry_points.split(", "):
        use = Use(policy, ModelLimits(**limits), is_busy=True)
        ENTRY_POINTS[name](use)
        outcomes.append(
            SimpleNamespace(
                models_asked=[model for model, _ in use.asked],
                focus=all("the lexer" in words for _, words in use.asked),
                seconds_waited=[str(float(one)) for one in use.waits],
                events=[event.kind for event in use.events if event.kind != "summary_delta"],
                model=[*{event.model for event in use.events if event.kind == "summarizing"}],
                messages_sent=use.sent,
            )
        )
    first, *others = outcomes
    assert others == [first] * len(others)
    return first
