"""Steps of features/tokens/window.feature."""

from __future__ import annotations

from pytest_bdd import given, then, when

from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.models import ModelLimits
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import ScriptedSummarizer
from brim.tokens.estimation import Size
from brim.tokens.usage import TokenUsage
from brim.tokens.window import WindowAccount
from steps.compaction_windows import raw_turns
from steps.vocabulary import phrase, tokens


@given("the last response reported", target_fixture="last_usage")
def last_reported(datatable):
    names, counts = datatable
    return {name.replace(" ", "_"): tokens(count) for name, count in zip(names, counts, strict=True)}


@given("no response so far", target_fixture="last_usage")
def no_response():
    return None


@given(phrase("{count:Count} characters were appended since"), target_fixture="appended")
def appended_since(count):
    return "x" * count


@given(phrase("a window that was reported to hold {count:Tokens} tokens"), target_fixture="account")
def reported_window(count):
    account = WindowAccount()
    account.record(TokenUsage(input=count))
    return account


@given(
    phrase(
        "a window of {characters:Count} characters, and {media:Tokens} tokens of media, "
        "reported to hold {count:Tokens} tokens"
    ),
    target_fixture="account",
)
def reported_window_of(characters, media, count):
    account = WindowAccount()
    account.append(Size(characters, media))
    account.record(TokenUsage(input=count))
    return account


@given(phrase("it was compacted to {characters:Count} characters and {media:Tokens} tokens of media"))
def was_compacted(account, characters, media):
    account.compacted(Size(characters, media))


@given(phrase("{count:Count} characters and {media:Tokens} tokens of media came after"))
def came_after_with_media(account, count, media):
    account.append(Size(count, media))


@given(phrase("{count:Count} characters of it were cleared"))
def were_cleared(account, count):
    account.append(Size(-count))


@given(phrase("{count:Count} characters came after"))
def came_after(account, count):
    account.append(Size(count))


@when("the window is measured", target_fixture="outcome")
def measure(implementation, last_usage, appended):
    return implementation("window_held", last_usage=last_usage, appended_text=appended)


@when(phrase("the window is measured at {ratio:Number} characters a token"), target_fixture="outcome")
def measure_at(implementation, last_usage, appended, ratio):
    return implementation("window_held", last_usage=last_usage, appended_text=appended, characters_per_token=ratio)


@given(
    phrase("a conversation that was compacted with a summary whose call reported {count:Tokens} tokens"),
    target_fixture="account",
)
def compacted_conversation(count):
    answer = SummaryAnswer(text="All went well.", usage=TokenUsage(input=count))
    limits = ModelLimits(context_window=20_000, max_output_tokens=2_000)
    conversation = Conversation(Compactor(limits=limits, summarizer=ScriptedSummarizer(answer)))
    conversation.extend(raw_turns(20, 1_000))
    prepared = conversation.prepare()
    assert prepared.compaction.summary.endswith("All went well.")
    return prepared.window


@when("the window is looked at", target_fixture="held")
def look(account):
    return account.held


@when(phrase("a response reports {count:Tokens} tokens"), target_fixture="taken_in")
def response_reports(account, count):
    return account.record(TokenUsage(input=count))


@when(phrase("a response of {characters:Count} characters reports {count:Tokens} tokens"))
def response_of_text_reports(account, characters, count):
    account.record(TokenUsage(input=count), response=Size(characters))


@when(phrase("it is compacted to {characters:Count} characters"), target_fixture="change")
def compact(account, characters):
    return account.compacted(Size(characters))


@when(phrase("{count:Count} characters are cleared"))
def clear(account, count):
    account.append(Size(-count))


@then(phrase("the window holds {held:Tokens} tokens"))
def check_measured(outcome, held):
    assert outcome == held


@then(phrase("the window holds {held:Tokens} tokens in all"))
def check_account(account, held):
    assert account.held == held


@then("the usage is taken in")
def check_taken_in(taken_in):
    assert taken_in is True


@then("the usage is not taken in")
def check_not_taken_in(taken_in):
    assert taken_in is False


@then(phrase("it went from {before:Tokens} tokens to {after:Tokens}"))
def check_change(change, before, after):
    assert (change.before, change.after) == (before, after)
