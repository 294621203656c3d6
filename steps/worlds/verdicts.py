"""What is asked of a model's limits and of settings: the usable context, the threshold, the verdict."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace

from pytest_bdd import parsers, when

from brim.engine.compactor import Compactor
from brim.errors import BrimError
from brim.models import ModelLimits, limits_of
from brim.tokens.usage import TokenUsage
from brim.trigger.overflow import CheckedSettings, should_compact
from brim.trigger.profiles import profile_table
from steps.implementation import Refusal
from steps.policies import with_policy
from steps.vocabulary import attempt, phrase, tokens
from steps.worlds.tables import of
from steps.worlds.values import MODEL, read_settings


@when("the usable context is worked out", target_fixture="outcome")
def work_out_usable_context(implementation, limits, settings):
    return implementation("usable_context", **limits, **settings)


@when("the threshold is asked for", target_fixture="outcome")
def ask_threshold(implementation, limits, settings):
    return implementation("threshold", **limits, **settings)


@when("the budget is worked out", target_fixture="outcome")
def work_out_budget(implementation, limits, settings):
    return implementation("summarization_budget", **limits, **settings)


@when(phrase("the conversation holds {held:Tokens} tokens"), target_fixture="outcome")
def judge_held(implementation, limits, settings, held):
    return _judged(implementation("should_compact", held=held, **limits, **settings))


@when(parsers.re("the response is judged(?: as holding (?P<held>[0-9,]+) tokens)?"), target_fixture="outcome")
def judge_response(implementation, limits, settings, usage, held):
    size = {"usage": usage} if usage else {}
    size |= {"held": tokens(held)} if held else {}
    return _judged(implementation("should_compact", **size, **limits, **settings))


def _judged(verdict):
    """Return a verdict, or a refusal: a compaction is due unless the reason is one of those against it."""
    against = {"disabled", "no limit", "nothing to compact", "under threshold"}
    assert isinstance(verdict, Refusal) or of(verdict, "due") == (of(verdict, "reason") not in against)
    return verdict


@when(phrase("{held:Tokens} tokens are shown against a threshold of {threshold:Tokens}"), target_fixture="outcome")
def show_filled(implementation, held, threshold):
    return implementation("window_filled", held=held, threshold=threshold)


@when(phrase("a usage of {held:Tokens} tokens is judged without settings"), target_fixture="outcome")
def judge_by_defaults(limits, held):
    return should_compact(TokenUsage(input=held), ModelLimits(**limits))


@when(
    phrase('a compactor for the model "{model:Quoted}" judges a window of {held:Tokens} tokens'),
    target_fixture="outcome",
)
def judge_by_compactor(model, held):
    """In a thread and in an event loop, which agree."""
    said = [{"role": "user", "content": "Go on."}, {"role": "assistant", "content": "Done."}]
    usage = {"input_tokens": held}
    outcome = attempt(Compactor(model=model).should_compact, said, usage=usage)
    in_loop = attempt(lambda: asyncio.run(Compactor(model=model).ashould_compact(said, usage=usage)))
    assert (type(in_loop), str(in_loop)) == (type(outcome), str(outcome))
    return outcome


@when(
    parsers.re('the limits of the model "(?P<model>[^"]*)" are asked for(?: with (?P<stated>.+))?'),
    target_fixture="outcome",
)
def ask_limits(model, stated):
    given = read_settings(stated, MODEL) if stated else {}
    names = {"context_window": "window", "max_output_tokens": "max_output"}
    return attempt(limits_of, model, **{names[name]: value for name, value in given.items()})


@when("the table of profiles is drawn up", target_fixture="outcome")
def draw_table(limits):
    """Every profile is described."""
    table = attempt(profile_table, ModelLimits(**limits))
    if isinstance(table, BrimError):
        return table
    assert all(row.description for row in table)
    return [
        {
            "profile": row.name,
            "acts": {">": "above", ">=": "at least"}[row.comparison],
            "threshold": row.threshold or "refused",
            "note": row.note,
        }
        for row in table
    ]


@when("a compaction is planned", target_fixture="outcome")
def plan(conversation, limits, settings):
    messages = [one.raw for one in conversation]
    planned = Compactor(limits=ModelLimits(**limits), **with_policy(settings)).plan(messages)
    return SimpleNamespace(
        plan=planned, notices=planned.notices, keeps_the_last_message=planned.kept[-1] == len(messages) - 1
    )


@when("the settings are checked", target_fixture="outcome")
def check_settings(limits, settings):
    target = settings.get("target")
    others = {name: value for name, value in settings.items() if name != "target"}
    checked = attempt(lambda: with_policy(others)["policy"].checked(ModelLimits(**limits), target))
    if not isinstance(checked, CheckedSettings):
        return checked
    return SimpleNamespace(target=checked.target, threshold=checked.trigger.threshold, warnings=checked.warnings)
