"""Steps of features/pruning/pruning_cost.feature."""

import pytest
from pytest_bdd import given, parsers, then, when

from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.pruning.pruning_cost import PruningCost, pruning_cost
from brim.pruning.tool_outputs import NO_PRUNING, Output, Pruning
from steps.compaction_windows import raw_turns
from steps.conversation_table import names
from steps.vocabulary import attempt, phrase


@pytest.fixture
def cached():
    """The tokens that are cached; all of them, until a step says how many."""
    return


@given(phrase("messages of {size:Tokens} tokens each, {count:Count} of them"), target_fixture="totals")
def messages_of(size, count):
    return range(0, size * count + 1, size)


@given(
    phrase('a pruning of the outputs in messages "{numbers:Quoted}" that saves {saved:Tokens} tokens'),
    target_fixture="pruning",
)
def pruning_of(numbers, saved):
    outputs = tuple(Output(int(number) - 1, 0, number, saved) for number in reversed(names(numbers)))
    return Pruning(outputs, saved, "by example")


@given("a pruning that clears nothing", target_fixture="pruning")
def empty_pruning():
    return NO_PRUNING


@given(parsers.parse("{count} tokens are cached"), target_fixture="cached")
def cached_tokens(count):
    return int(count.replace(",", ""))


@when("the cost of the pruning is worked out", target_fixture="outcome")
def work_out(pruning, totals, cached):
    return attempt(pruning_cost, pruning, totals.__getitem__, totals[-1], cached=cached)


@then(phrase("{saved:Tokens} tokens are saved and {broken:Tokens} cached tokens are broken"))
def check_cost(outcome, saved, broken):
    assert outcome == PruningCost(saved, broken)


@when(phrase("{count:Count} outputs of {tokens:Tokens} tokens are pruned"), target_fixture="events")
def prune_outputs(limits, count, tokens):
    events = []
    compactor = Compactor(limits=ModelLimits(**limits), on_event=events.append)
    compactor.compact(raw_turns(count, tokens), automatic=True)
    return [str(event) for event in events]


@then(phrase('the event reads "{words:Quoted}"'))
def check_event(events, words):
    assert words in events
