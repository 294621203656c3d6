"""Steps of features/cli/listing.feature."""

from __future__ import annotations

from pytest_bdd import then

from steps.vocabulary import phrase


@then(phrase('the sessions began with "{began:Quoted}"'))
def check_sessions(answer, began):
    assert ", ".join(one["began"] for one in answer.json["sessions"]) == began
