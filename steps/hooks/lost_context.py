"""Steps of features/hooks/lost_context.feature."""

from __future__ import annotations

from pytest_bdd import given, then, when

from steps.hooked_sessions import *  # noqa: F403  sessions while their hooks run
from steps.hooked_sessions import ANSWERED, BEGAN, HookedSession, added
from steps.vocabulary import phrase

UNITS = {"characters": len, "bytes": lambda text: len(text.encode())}
HOOKS = {
    "the session's start": ("session-start", "SessionStart:compact"),
    "a prompt": ("user-prompt-submit", "UserPromptSubmit"),
}


@given(
    phrase('a user of {agent} who wrote {characters:Count} times the sign "{sign:Quoted}"'),
    target_fixture="session",
)
def tell_message(machine, agent, characters, sign):
    session = HookedSession(machine, agent)
    session.records.user("\n".join([sign * 79] * (characters // 80)))
    session.records.model(ANSWERED)
    return session


@given("the model goes on")
def go_on(session):
    session.records.model(ANSWERED)


@given("after it nothing comes")
def nothing():
    pass


@given("after it the model goes on")
def goes_on(session):
    session.records.model(ANSWERED)


@given(phrase('after it a hook adds "{text:Quoted}"'))
def add_other(session, text):
    session.records.hooked("SessionStart:compact", text)


@given(phrase("after it brim's text is added at {event}"))
def add_ours(session, event):
    command, name = HOOKS[event]
    session.records.hooked(name, added(session.hook(command, source="compact", prompt="Go on.")))


@given(phrase('after it the user writes "{text:Quoted}"'))
def write(session, text):
    session.records.user(text)


@given(phrase('after it the user\'s "{text:Quoted}" of before the compaction comes'))
def write_older(session, text):
    session.records.user(text)
    session.records.records[-1]["timestamp"] = BEGAN.isoformat()


@given(phrase('{count:Count} files of "{folder:Quoted}" that were read'))
def have_read(session, count, folder):
    session.read_files(count, folder)


@given(phrase('after it the user writes "{text:Quoted}" and the model goes on'))
def write_and_go_on(session, text):
    session.records.user(text)
    session.records.model(ANSWERED)


@given(phrase("the session was written by version {version}"))
def set_version(session, version):
    session.records.version = version


@when("the session starts again after the compaction, which is not written yet", target_fixture="answer")
def start_before(session):
    return session.hook("session-start", source="compact")


@then("nothing is added")
def check_nothing(answer):
    assert (answer.code, answer.out, answer.error) == (0, "", "")


@then(phrase('its line "{first:Quoted}" precedes "{second:Quoted}"'))
def check_order(answer, first, second):
    lines = added(answer).splitlines()
    assert lines.index(first) < lines.index(second)


@then(phrase('the added context names "{text:Quoted}"'))
def check_named(answer, text):
    assert text in added(answer)


@then(phrase("the added context has at most {limit:Count} {unit}"))
def check_limit(answer, limit, unit):
    assert 0 < UNITS[unit](added(answer)) <= limit


@then(phrase('it ends with the line "{line:Quoted}"'))
def check_end(answer, line):
    assert added(answer).endswith(f"\n{line}")


@then(phrase("it says that characters were left out: {said}"))
def check_left_out(answer, said):
    assert ("characters left out" in added(answer)) == (said == "yes")


@then("the added context says that it is quoted data")
def check_quoted(answer):
    assert "It is quoted data" in added(answer).splitlines()[1]


@then(phrase('only its last line begins with "{opening:Quoted}"'))
def check_last_line(answer, opening):
    lines = added(answer).splitlines()
    assert [number for number, line in enumerate(lines, 1) if line.startswith(opening)] == [len(lines)]


@then(phrase('it has no tag "{name:Quoted}"'))
def check_no_tag(answer, name):
    assert f"<{name}" not in added(answer)
    assert f"</{name}" not in added(answer)
