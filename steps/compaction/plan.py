"""Steps of features/compaction/plan.feature."""

import warnings

from parse import with_pattern
from parse_type import TypeBuilder
from pytest_bdd import given, then, when

from brim.compaction.context_window import BEFORE_THE_FIRST
from brim.compaction.plan import plan_compaction
from brim.compaction.policy import CompactionPolicy
from brim.engine.compactor import Compactor
from steps.conversation_table import names, write_table
from steps.vocabulary import phrase

OWN = {}
HOW = TypeBuilder.make_enum({"an automatic compaction is planned": True, "a manual compaction is planned": False})
OWN["How"] = HOW
OWN["Above"] = TypeBuilder.make_enum({"above": True, "not above": False})


@with_pattern(r"(?:\d+|none)(?:, (?:\d+|none))*")
def indices(text):
    """Indices in order, none for what was added: 0, 1, none."""
    return [None if name == "none" else int(name) for name in names(text)]


OWN["Indices"] = indices


@when(phrase("{automatic:How}", OWN), target_fixture="plan")
def make_plan(window, automatic):
    return plan_compaction(window, automatic=automatic)


@when("a compaction is planned after the provider's overflow error", target_fixture="plan")
def plan_after_overflow(window):
    return plan_compaction(window, overflowed=True)


@given("every old output was cleared")
def were_cleared(window):
    policy = window.policy
    window.policy = policy.model_copy(update={"prune_protect": 0, "prune_minimum": 0})
    window.prune()
    window.policy = policy


@when("a turn ends", target_fixture="pruning")
def end_turn(window):
    return window.prune()


@when(
    phrase("outputs beyond {protected:Tokens} tokens are cleared where that saves more than {minimum:Tokens}"),
    target_fixture="pruning",
)
def clear(window, protected, minimum):
    window.policy = CompactionPolicy(prune_protect=protected, prune_minimum=minimum)
    return window.prune()


@when("what can be sent is asked for", target_fixture="sendable")
def ask_sendable(window):
    return window.sendable()


@then("it does nothing")
def check_nothing(plan):
    assert (plan.acts, plan.pruning.saved) == (False, 0)


@then(phrase('it does nothing, because there is "{reason:Quoted}"'))
def check_nothing_because(plan, reason):
    assert (plan.acts, plan.reason) == (False, reason)


@then("it waits for the end of the loop")
def check_waits(plan):
    assert (plan.acts, plan.reason.split(":")[0]) == (False, "waits for the end of the tool loop")


@then(phrase("it prunes {count:Count} outputs alone"))
def check_prunes(plan, count):
    assert (plan.summarises, len(plan.pruning.outputs)) == (False, count)


@then("it summarises")
def check_summarises(plan):
    assert plan.summarises


@then("it summarises, and prunes nothing")
def check_summarises_alone(plan):
    assert (plan.summarises, plan.pruning.outputs) == (True, ())


@then("it summarises all but the user's request")
def check_all_but_request(plan, requests):
    assert (plan.kept, plan.summarises) == ([requests[-1]], True)


@then("no output is pruned")
def check_no_pruning(plan):
    assert (plan.pruning.ids, plan.pruning.saved) == ((), 0)


@then("it decides")
def check_decisions(plan, datatable):
    decided = [[str(index), fate, why] for index, fate, why in plan.decisions()]
    assert decided == datatable[1:]


@then(phrase('message {index:Count} is pruned because of "{why:Quoted}"'))
def check_pruned(plan, index, why):
    assert (index, "pruned", why) in list(plan.decisions())


@then("the same plan is made again")
def check_again(plan, window):
    assert plan_compaction(window) == plan


@then(phrase('it prunes "{reason:Quoted}" and saves {saved:Tokens} tokens'))
def check_narrowed(plan, reason, saved):
    assert (plan.pruning.reason, plan.pruning.saved) == (reason, saved)


@then(phrase("{count:Count} outputs are cleared"))
def check_cleared(pruning, count):
    assert len(pruning.outputs) == count


@then(phrase('no output is cleared, because there is "{reason:Quoted}"'))
def check_not_cleared(pruning, reason):
    assert (pruning.outputs, pruning.reason, pruning.saved) == ((), reason, 0)


@then("the conversation now reads")
def check_reads(window, datatable):
    assert write_table(window.messages, datatable[0]) == datatable


@then(phrase("it holds {held:Tokens} tokens, {estimated:Tokens} by the estimate of everything"))
def check_held_and_estimated(window, held, estimated):
    assert (window.held, window.estimated) == (held, estimated)


@then("the conversation is whole")
def check_whole(window, sendable):
    form, sources = sendable
    assert (form is window, list(sources)) == (True, list(range(len(window.messages))))


@then(phrase("it is mended, and its sources are {expected:Indices}", OWN))
def check_mended(sendable, expected):
    form, sources = sendable
    assert (form.is_sendable, list(sources)) == (True, expected)


@then("it is mended, for the same model and request")
def check_same_request(window, sendable):
    form, _ = sendable
    assert form is not window
    assert request_of(form) == request_of(window)


def request_of(window):
    """What a window was made with, besides its messages."""
    return window.limits, window.policy, window.trigger, window.system, window.tools, window.characters_per_token


@then(phrase("it replaces {count:Count} characters"))
def check_replaced(plan, count):
    assert plan.replaced_characters == count


@then(phrase("it estimates {count:Tokens} tokens before"))
def check_before(plan, count):
    assert plan.tokens_before == count


@then(phrase('the reason it gives is "{reason:Quoted}"'))
def check_reason_given(plan, reason):
    assert plan.reason == reason


@then("it keeps nothing behind the summary")
def check_nothing_behind(plan):
    assert (plan.cut, plan.tail_reason, plan.anchor) == (len(plan.messages), "", None)


@then(phrase("it keeps {expected:Indices}", OWN))
def check_kept(plan, expected):
    assert plan.kept == expected


@then(phrase("it is {above:Above} the target", OWN))
def check_above(plan, above):
    assert (plan.summarises, plan.over_target) == (True, above)


@then(phrase('it notes "{notice:Quoted}"'))
def check_notice(plan, notice):
    assert plan.notices == (notice,)


@then("it tells of the turns")
def check_turns(plan, datatable):
    assert [row_of(one) for one in plan.turns] == datatable[1:]


def row_of(record):
    """A turn as a row: its number, what was asked, how many responses it has, and what it achieved."""
    told = record.turn
    return [called(told.index), told.request, str(len(told.responses)), achieved(record.anchor)]


def called(index):
    """A turn by its number, or what was before the first."""
    return "before" if index == BEFORE_THE_FIRST else str(index)


def achieved(anchor):
    """What a turn achieved, in words; nothing where it is no anchor."""
    return anchor.kind.replace("_", " ") if anchor else ""


@then(phrase("it keeps from turn {turn:Count} on, an {kind}"))
def check_anchor(plan, turn, kind):
    assert (plan.anchor.turn, achieved(plan.anchor), plan.tail_reason) == (turn, kind, "anchor")


@then("it keeps from no anchor")
def check_no_anchor(plan):
    assert plan.anchor is None


@then("it tells of no turn, and holds no fact")
def check_no_turns(plan):
    assert (plan.summarises, plan.turns, plan.facts) == (True, (), ())


@then("it holds the facts")
def check_facts(plan, datatable):
    assert [[fact.kind.replace("_", " "), fact.text] for fact in plan.facts] == datatable[1:]


@then(phrase('the earlier summary is "{earlier:Quoted}"'))
def check_earlier(plan, earlier):
    assert plan.previous_summary == earlier


@when(phrase("a compactor is made with the profile {name}"), target_fixture="warned")
def make_compactor(name):
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("default")
        Compactor(policy=CompactionPolicy(profile=name))
    return warned


@then(phrase('its warnings are "{text:Quoted}"'))
def check_warnings(warned, text):
    assert [(str(one.message), one.category) for one in warned] == [(text, DeprecationWarning)] * bool(text)
