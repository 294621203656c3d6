"""Steps of features/sessions/resume.feature."""

from __future__ import annotations

import json

from pytest_bdd import given, then, when

from brim.sessions.records import CompactionRecord, Copy, SummaryRecord
from brim.testing.strictness import complaints
from steps.stored_sessions import user
from steps.vocabulary import phrase

SUMMARY = SummaryRecord(content="What was done.", generated=1, summarized=1, tokens_before=2)
OPENING = (Copy(message=user("What was done.")),)


@given(phrase("a session of {count:Count} messages of which {visible:Count} are visible"))
def aged(shelf, count, visible):
    shelf.make([])
    names = shelf.open().extend(user() for _ in range(count))
    shelf.session.write(CompactionRecord, summary=SUMMARY, opening=OPENING, tail=names[-visible])
    shelf.close()


@then(phrase("no more than {count:Count} bytes of its log were read"))
def check_read(outcome, count):
    assert outcome.journal.bytes_read <= count


@when(phrase("brim {command} writes its messages to a file"), target_fixture="written")
def write_messages(shelf, run_sessions, tmp_path, command):
    path = tmp_path / "next.json"
    code, page, error = run_sessions(command, shelf.name, "-o", str(path))
    assert (code, error) == (0, "")
    return json.loads(path.read_text(encoding="utf-8"))["messages"], " ".join(page.split())


@then(phrase("the API accepts the {count:Count} messages in it"))
def check_accepted(written, count):
    assert (complaints(written[0]), len(written[0])) == ([], count)


@then(phrase('the page has the note "{note:Quoted}"'))
def check_note(written, note):
    assert written[1].partition("Note: ")[2] == note
