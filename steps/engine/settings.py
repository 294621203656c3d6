"""Steps of features/engine/settings.feature."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from types import SimpleNamespace
from typing import Any

from pytest_bdd import given, then, when

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
from steps.vocabulary import attempt, phrase
from steps.worlds.agents import MODEL, ListingAgent, notes_read

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
    """The policy without the setting, and the one with it."""
    yield CompactionPolicy(**both)
    yield CompactionPolicy(**{**both, field: value_of(field, value)})


@when(
    phrase('a conversation of {held:Tokens} tokens is judged, once with "{field:Quoted}" set to "{value:Quoted}"'),
    target_fixture="both",
)
def judge(limits, settings, held, field, value):
    said = [{"role": "user", "content": "Mend the door."}, {"role": "assistant", "content": "It is mended."}]
    made = [Compactor(limits=ModelLimits(**limits), policy=one) for one in policies(field, value, **settings)]
    return [one.should_compact(said, usage={"input_tokens": held, "output_tokens": 0}).due for one in made]


@then(phrase("it is {default:Verdict}, and with the setting {changed:Verdict}"))
def check_judged(both, default, changed):
    assert both == [default, changed]


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
    "a conversation of long turns": lambda: raw_turns(16, 5_000),
    "a conversation with notes": with_notes,
    "a conversation in a tool loop": in_a_loop,
    "a conversation with passing tests": lambda: worked("Edit"),
    "a conversation with a tool of its own": lambda: worked("Mend"),
}


@when(phrase('an agent makes a request, once with "{field:Quoted}" set to "{value:Quoted}"'), target_fixture="both")
def offer(field, value):
    return [tools_under(policy) for policy in policies(field, value)]


def tools_under(policy: CompactionPolicy) -> list[str]:
    """The names of the tools that an agent's request offers under a policy."""
    with MessagesServer(models={MODEL: (1_000_000, 64_000)}) as server, server.client() as plain:
        agent = ListingAgent(server, notes_read(6))
        agent.client = compacting(plain, policy=policy)
        agent.sends(None)
        return [tool["name"] for tool in server.requests[-1].body.get("tools", ())]


@then(phrase('it offers no tool, and with the setting "{name:Quoted}"'))
def check_offered(both, name):
    assert both == [[], [name]]


@when(phrase('{conversation} is compacted, once with "{field:Quoted}" set to "{value:Quoted}"'), target_fixture="both")
def compact(limits, conversation, field, value):
    messages = CONVERSATIONS[conversation]()
    made = [Compactor(limits=ModelLimits(**limits), policy=one) for one in policies(field, value)]
    return [len(one.compact(messages).plan.kept) for one in made]


@then(phrase("{default:Count} messages are kept, and with the setting {changed:Count}"))
@then(phrase("{default:Count} outputs are cleared, and with the setting {changed:Count}"))
@then(phrase("the summary shows {default:Count} of them, and with the setting {changed:Count}"))
@then(phrase("it costs {default:Count} summaries, and with the setting {changed:Count}"))
@then(phrase("its field is {default:Count}, and with the setting {changed:Count}"))
def check_counts(both, default, changed):
    assert both == [default, changed]


LONG: dict[str, Callable[[int], tuple[str, str]]] = {
    "requests": lambda number: (f"Request {number}. {'Take care of the pier. ' * 40}", "I shall."),
    "answers": lambda number: ("Go on.", f"Answer {number}: {'the pier stands well ' * 9}"),
    "tickets": lambda number: ("Go on.", f"{'The pier stands well ' * 9}\n\nSee PIER-{number}."),
}


SHOWN = {"requests": "Request {}.", "answers": "Answer {}:", "tickets": "PIER-{} ("}
ROLES = ("user", "assistant")


@when(
    phrase('the template summarizes {count:Count} long {kind}, once with "{field:Quoted}" set to "{value:Quoted}"'),
    target_fixture="both",
)
def write_template(limits, count, kind, field, value):
    turns = [LONG[kind](number) for number in range(count)]
    messages = [{"role": role, "content": text} for turn in turns for role, text in zip(ROLES, turn, strict=True)]
    summaries = [
        Compactor(limits=ModelLimits(**limits), policy=one).compact(messages).summary for one in policies(field, value)
    ]
    return [sum(SHOWN[kind].format(number) in summary for number in range(count)) for summary in summaries]


@when(
    phrase(
        "{count:Count} outputs of {tokens:Tokens} tokens are cleared when that is due, "
        'once with "{field:Quoted}" set to "{value:Quoted}"'
    ),
    target_fixture="both",
)
def clear(limits, count, tokens, field, value):
    messages = raw_turns(count, tokens)
    made = [Compactor(limits=ModelLimits(**limits), policy=one) for one in policies(field, value)]
    return [str(one.compact(messages, cause="automatic").messages).count(PLACEHOLDER) for one in made]


ANSWERS = {
    'says "All went well."': SummaryAnswer(text="All went well.", stop_reason="end_turn"),
    "fails": SummaryAnswer(failure="permanent", reason="the key is not known"),
}


@when(
    phrase('a summarizer that {answers} is asked for a summary, once with "{field:Quoted}" set to "{value:Quoted}"'),
    target_fixture="both",
)
def summarize(answers, field, value):
    made = []
    for policy in policies(field, value):
        summarizer = ScriptedSummarizer([ANSWERS[answers]], repeat=True)
        compactor = Compactor(model="large", limits=LARGE, summarizer=summarizer, policy=policy, sleep=lambda _: None)
        made.append((compactor.compact(raw_turns(6, 200)), summarizer.requests[0]))
    return made


@then(phrase("the compaction {default}, and with the setting it {changed}"))
def check_summaries(both, default, changed):
    for (compaction, request), said in zip(both, (default, changed), strict=True):
        prompt = compaction.plan.call.prompt.partition("-")[0]
        told = "names" if "the lexer" in str(request.messages) else "does not name"
        assert said in {
            f'asks "{request.model}"',
            f'asks with "{prompt}"',
            f'{told} "the lexer"',
            f'{"holds" if "port 8080" in compaction.text else "does not hold"} "port 8080"',
            f"asks for {request.max_tokens:,} tokens",
            f'is made by "{compaction.summary_source}"',
        }


@when(
    phrase('a conversation in which "{tool}" edited a file is summarized, once with "{field}" set to "{value}"'),
    target_fixture="both",
)
def summarize_edit(limits, tool, field, value):
    messages = [*change_by((tool, {"file_path": "a.py"}, "Done.")), *raw_turns(6, 200)]
    made = [Compactor(limits=ModelLimits(**limits), policy=one) for one in policies(field, value)]
    return [one.compact(messages).summary for one in made]


@then(phrase("the summary names {default}, and with the setting {changed}"))
def check_files(both, default, changed):
    lines = [[line in summary for line in ("- modified: a.py", "✓ Modified a.py")] for summary in both]
    assert lines == [[one == "the file"] * 2 for one in (default, changed)]


ANSWERED = ({"role": "user", "content": "Go on."}, {"role": "assistant", "content": filler(20_000)})
"""A turn with a long answer, which no pruning removes."""


@when(
    phrase('an agent goes on until its window is half full, once with "{field:Quoted}" set to "{value:Quoted}"'),
    target_fixture="both",
)
def half_full(field, value):
    counts = []
    for policy in policies(field, value):
        summarizer = ScriptedSummarizer("All went well.", repeat=True)
        running = Conversation(Compactor(limits=LARGE, summarizer=summarizer, policy=policy))
        is_half_full = False
        while not is_half_full:
            running.extend(ANSWERED)
            verdict = running.prepare().verdict
            is_half_full = 2 * verdict.held > verdict.threshold
        for thread in [one for one in threading.enumerate() if one.name == "brim-ahead"]:
            thread.join()
        counts.append(len(summarizer.requests))
    return counts


@when(
    phrase(
        'a compactor compacts {count:Count} conversations in turn, once with "{field:Quoted}" set to "{value:Quoted}"'
    ),
    target_fixture="both",
)
def many_conversations(count, field, value):
    counts = []
    for policy in policies(field, value):
        compactor = Compactor(summarizer=ScriptedSummarizer("All went well.", repeat=True), policy=policy)
        known: list[set[str]] = []
        asked = ([{"role": "user", "content": f"Never touch pier {n}."}] for n in range(count))
        talks: list[list[Any]] = [[*one, {"role": "assistant", "content": "No."}, *raw_turns(6, 500)] for one in asked]
        for _ in range(2):
            results = [compactor.compact(talk) for talk in talks]
            known = [{fact.text for fact in one.plan.facts} for one in results]
            talks = [[*one.messages, *raw_turns(6, 500)] for one in results]
        counts.append(sum(f"Never touch pier {n}." in facts for n, facts in enumerate(known)))
    return counts


@then(phrase("the facts of {default:Count} are in their next compaction, and with the setting of {changed:Count}"))
def check_remembered(both, default, changed):
    assert both == [default, changed]


@when(
    phrase('a policy with the profile {profile} is made, once with "{field:Quoted}" set to "{value:Quoted}"'),
    target_fixture="both",
)
def preset(profile, field, value):
    return [getattr(one, field) for one in policies(field, value, profile=profile)]


@when(
    phrase("a policy with the profile {profile} and no field is copied with the profile {other}"), target_fixture="copy"
)
def copy_preset(profile, other):
    return CompactionPolicy(profile=profile).model_copy(update={"profile": other})


@when(
    phrase(
        'a policy with the profile {profile} and "{field:Quoted}" of {value:Count} is copied with the profile {other}'
    ),
    target_fixture="copy",
)
def copy_set(profile, field, value, other):
    return CompactionPolicy(**{"profile": profile, field: value}).model_copy(update={"profile": other})


@then(phrase('its field "{field:Quoted}" is {value:Count}'))
def check_field(copy, field, value):
    assert getattr(copy, field) == value


@when(phrase('a policy with "{field:Quoted}" set to "{value:Quoted}" is made'), target_fixture="outcome")
def make(field, value):
    return attempt(CompactionPolicy.model_validate, {field: value_of(field, value)})


@then(phrase('it is refused, and the error says "{error:Quoted}"'))
def check_error(outcome, error):
    assert isinstance(outcome, BrimError)
    assert error in str(outcome)


@given(
    phrase(
        'a policy with the threshold {threshold}, the focus "{focus:Quoted}" and the summary model '
        '"{model:Quoted}", which keeps {kept:Tokens} tokens'
    ),
    target_fixture="use",
)
def policy_of_use(limits, threshold, focus, model, kept):
    policy = CompactionPolicy(threshold=threshold, focus=focus, summary_model=model, keep_tokens=kept)
    return Use(policy, ModelLimits(**limits))


@given("a summarizer that is busy once")
def is_busy_once(use):
    use.is_busy = True


@when(phrase("a request is made through {entry_point}"))
def make_request(use, entry_point):
    ENTRY_POINTS[entry_point](use)


@then(
    phrase(
        '{count:Count} summary requests with the focus "{focus:Quoted}" go to "{model:Quoted}", '
        "after waits of {waits:Waits} milliseconds",
        {"Waits": lambda text: [int(wait.replace(",", "")) for wait in text.split(" and ")]},
    )
)
def check_asked(use, count, focus, model, waits):
    assert [(asked, focus in words) for asked, words in use.asked] == [(model, True)] * count
    assert [0, *(1_000 * wait for wait in use.waits)] == waits


@then(phrase('the listener receives "{kinds:Quoted}", with the model "{model:Quoted}"'))
def check_events(use, kinds, model):
    assert {event.model for event in use.events if event.kind == "summarizing"} == {model}
    assert ", ".join(event.kind for event in use.events if event.kind != "summary_delta") == kinds


@then(phrase("{count:Count} messages are sent"))
def check_sent(use, count):
    assert use.sent == count


@then("no summary request is sent")
def check_not_asked(use):
    assert use.asked == []
