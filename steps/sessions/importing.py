"""Steps of features/sessions/importing.feature."""

from __future__ import annotations

import json

from pytest_bdd import given, then, when

from brim.conversation.messages import ToolResult
from brim.pruning.tool_outputs import PLACEHOLDER
from brim.sessions.expand import expand
from brim.sessions.importing import Imported, anthropic_messages, import_transcript
from brim.summary.identifiers import HEADING
from brim.transcripts import read_transcript
from steps.foreign_transcripts import ANSWERED, ASKED, SUMMARY, write_transcript
from steps.stored_sessions import imported, nearly_full
from steps.vocabulary import attempt, phrase


def shown(shelf, name):
    with shelf.store.read(name) as session:
        return session.view()


def texts(messages):
    return [one.text for one in messages if one.text]


@given(phrase("a transcript of {agent}"), target_fixture="file")
def transcript(tmp_path, agent):
    return write_transcript(tmp_path, agent)


@given(phrase('a file that reads "{text:Quoted}"'), target_fixture="file")
def reads(tmp_path, text):
    path = tmp_path / "transcript"
    path.write_text(text, encoding="utf-8")
    return path


@given(phrase("a damaged transcript of {agent}"), target_fixture="file")
def damaged(tmp_path, agent):
    path = write_transcript(tmp_path, agent)
    path.write_text(path.read_text(encoding="utf-8") + "{ no\n", encoding="utf-8")
    return path


@when("it is imported", target_fixture="outcome")
def import_it(shelf, file):
    before = None if file.is_dir() else file.read_bytes()
    outcome = attempt(imported, shelf, file)
    shelf.before = before
    return outcome


@when(phrase("it is imported and there is room for {size:Count} bytes in a file"), target_fixture="outcome")
def import_without_room(shelf, file, size):
    with nearly_full(size):
        return attempt(imported, shelf, file)


@when("it is exported and imported again", target_fixture="outcome")
def there_and_back(shelf, tmp_path):
    path = tmp_path / "messages.json"
    path.write_text(json.dumps(anthropic_messages(shown(shelf, shelf.name)).request), encoding="utf-8")
    return import_transcript(shelf.store, read_transcript(path))


@when("it is looked at", target_fixture="view")
def look(shelf):
    return shown(shelf, shelf.name)


@when("its summary is opened", target_fixture="outcome")
def open_summary(shelf):
    return expand(shelf.store, shelf.name)


@then(phrase("its result is a placeholder for {what}"))
def check_cleared(view, what):
    (result,) = [part for message in view.messages for part in message.parts if type(part) is ToolResult]
    assert (result.text, result.failed) == (PLACEHOLDER, what == "a failure")


@then(phrase("the new session shows {count:Count} messages, from the question to the answer"))
def check_shown(shelf, outcome, count):
    assert isinstance(outcome, Imported), outcome
    messages = shown(shelf, outcome.session).messages
    assert (len(messages), texts(messages)) == (count, [ASKED, ANSWERED])


@then("there is no session")
def check_no_session(shelf):
    assert shelf.store.sessions() == []


@then("the second session shows the same")
def check_same(shelf, outcome):
    again = [one.raw for one in shown(shelf, outcome.session).messages]
    assert again == [one.raw for one in shown(shelf, shelf.name).messages]


@then("it begins with the summary of the other agent")
def check_summary(view):
    assert (view.messages[0].text, view.messages[0].marks.summary) == (SUMMARY, True)


@then(phrase("all {count:Count} messages from the question to the answer are there"))
def check_opened(outcome, count):
    assert (len(outcome.messages), texts(outcome.messages)) == (count, [ASKED, ANSWERED])


@then(phrase('the index of the summary names "{entry:Quoted}"'))
def check_index(shelf, entry):
    assert entry in shelf.made.summary.partition(HEADING)[2]


@then("the session shows the question, the answer and what was said since")
def check_undone(shelf):
    assert texts(shelf.view().messages) == [ASKED, ANSWERED, "Go on."]
