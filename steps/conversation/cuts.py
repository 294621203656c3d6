"""Steps of features/conversation/cuts.feature."""

from pytest_bdd import then, when

from brim.compaction.context_window import ContextWindow
from steps.conversation_table import names
from steps.vocabulary import phrase


@when("its legal cuts are found", target_fixture="cuts")
def find_cuts(conversation):
    inside = ContextWindow(messages=conversation).cuts
    return [0, *inside, *([len(conversation)] if conversation else [])]


@then(phrase('it may be cut before "{places:Quoted}"'))
def check_cuts(cuts, conversation, places):
    assert ["end" if cut == len(conversation) else str(cut) for cut in cuts] == names(places)
