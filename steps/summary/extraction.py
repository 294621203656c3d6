"""Steps of features/summary/extraction.feature."""

from __future__ import annotations

from types import SimpleNamespace

from pytest_bdd import when

from brim.summary.extraction import worth_summarizing
from steps.vocabulary import phrase


@when(phrase('the summary is taken out of "{answer:Quoted}"'), target_fixture="outcome")
def take_out(implementation, answer):
    return SimpleNamespace(summary=implementation("extract_summary", text=answer))


@when("what is worth summarizing is gathered", target_fixture="outcome")
def gather(conversation):
    """The messages that are kept are the very same, in their order."""
    gathered = worth_summarizing(conversation)
    kept = [index for index, one in enumerate(conversation) if any(one is other for other in gathered)]
    assert gathered == tuple(conversation[index] for index in kept)
    return SimpleNamespace(messages_kept=kept)
