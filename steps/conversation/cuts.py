"""Steps of features/conversation/cuts.feature."""

from pytest_bdd import then, when

from brim.conversation.cuts import legal_cuts
from steps.conversation_table import names
from steps.vocabulary import phrase


@when("its legal cuts are found", target_fixture="cuts")
def find_cuts(conversation):
    return legal_cuts(conversation)


@then(phrase('it may be cut before "{places:Quoted}"'))
def check_cuts(cuts, conversation, places):
    assert ["end" if cut == len(conversation) else str(cut) for cut in cuts] == names(places)
