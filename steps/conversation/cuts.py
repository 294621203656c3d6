"""Steps of features/conversation/cuts.feature."""

from types import SimpleNamespace

from pytest_bdd import when

from brim.compaction.context_window import ContextWindow


@when("the legal cuts are found", target_fixture="outcome")
def find_cuts(conversation):
    inside = ContextWindow(messages=conversation).cuts
    return SimpleNamespace(places_of_legal_cuts=[*[0] * bool(conversation), *inside, "end"])
