"""Recording: usages, refused thinking, and a full disk; log and conversation stay alike."""

from __future__ import annotations

import errno
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from brim import Compactor, Conversation, ModelLimits
from brim.conversation.messages import CLOSING, CONTINUATION
from brim.errors import BrimError, StoreFailed
from brim.sessions import log, open_store
from steps.engine.recording import RecordingAgent
from steps.stored_sessions import nearly_full

LIMITS = ModelLimits(context_window=16_000, max_output_tokens=4_000)


CALL: Any = {"type": "tool_use", "id": "one", "name": "read", "input": {}}
ANSWER = {"role": "assistant", "content": [CALL]}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "one", "content": "Notes."}]}


def refuse_usages(monkeypatch, failures):
    """Let so many writes of a usage fail, as on a full disk."""
    write, left = log.write_synced, [OSError(errno.ENOSPC, "No space left on device")] * failures

    def full(file: int, data: bytes) -> None:
        if b'"kind":"usage"' in data and left:
            raise left.pop()
        write(file, data)

    monkeypatch.setattr(log, "write_synced", full)


def test_a_usage_that_cannot_be_written_later_leaves_its_answer_in_both(tmp_path, monkeypatch):
    """The usage comes after its answer was appended, and the disk is full: that is a warning."""
    refuse_usages(monkeypatch, 1)
    with closing(open_store(tmp_path)) as store, store.create() as session:
        conversation = Conversation(Compactor(limits=LIMITS), session=session)
        conversation.append({"role": "user", "content": "Read."})
        conversation.prepare()
        conversation.append(ANSWER)
        with pytest.warns(UserWarning, match="a usage could not be recorded"):
            conversation.record({"input_tokens": 900, "output_tokens": 20})
        conversation.append(RESULT)
        assert [one.raw for one in session.view().messages] == conversation.messages


@pytest.fixture
def session(tmp_path):
    """A session of a store."""
    with closing(open_store(tmp_path)) as store, store.create() as session:
        yield session


def asked(session, *opening: Any):
    """A conversation whose request was prepared, behind which the agent may have begun the answer."""
    conversation = Conversation(Compactor(limits=LIMITS), session=session)
    conversation.extend([{"role": "user", "content": "Go"}, *opening])
    conversation.prepare()
    return conversation


def held_by_another_process(session):
    """The tokens that the window of another process holds before its request."""
    session.close()
    with session.store.open(session.id) as resumed:
        return Conversation(Compactor(limits=LIMITS), session=resumed).prepare().verdict.held


@pytest.mark.parametrize(
    ("opening", "written", "finished", "appended", "held"),
    [
        ((), 500, True, 0, 1_400),
        ((), 500, True, 1, 1_400),
        (({"role": "assistant", "content": "{"},), 500, True, 0, 1_400),
        ((), 1, False, 0, 1_400),
        ((), 1, False, 1, 1_400),
        ((), 500, True, 2, 501),
    ],
    ids=["whole", "late", "the agent wrote its opening", "closed early", "closed early, late", "too late"],
)
def test_a_usage_measures_the_request_and_its_whole_answer(session, *, opening, written, finished, appended, held):
    """An answer of 500 tokens to a request of 900, recorded before, after, or too late after its message (SES_18)."""
    conversation = asked(session, *opening)
    messages = [{"role": "assistant", "content": "x" * 2_000}, {"role": "user", "content": "On"}]
    conversation.extend(messages[:appended])
    conversation.record({"usage": {"input_tokens": 900, "output_tokens": written}}, finished=finished)
    conversation.extend(messages[appended:1])
    assert held_by_another_process(session) == held


@pytest.mark.parametrize("has_usage", [False, True])
def test_a_full_disk_refuses_messages_that_are_appended_again(session, has_usage):
    """With room for the answer alone neither is written; at last the session shows each once (SES_18)."""
    conversation = asked(session)
    if has_usage:
        conversation.record({"input_tokens": 900, "output_tokens": 20})
    result = {"type": "tool_result", "tool_use_id": "one", "content": "Notes. " * 2_000}
    messages = [ANSWER, {"role": "user", "content": [result]}]
    with nearly_full(Path(session.info.transcript).stat().st_size + 2_000), pytest.raises(StoreFailed):
        conversation.extend(messages)
    conversation.extend(messages)
    assert [one.raw for one in session.view().messages] == conversation.messages
    assert [one["role"] for one in conversation.messages] == ["user", "assistant", "user"]
    kinds = [one.kind for one in session.records()][-3:]
    assert kinds == (["message", "usage", "message"] if has_usage else ["message"] * 3)


def thinking_refused(tmp_path, moment, until, *, in_loop=False, **settings):
    """An agent whose thinking the provider refused once, and that worked until something happened."""
    with closing(open_store(tmp_path)) as store:
        agent = RecordingAgent(store, thinks=True, in_loop=in_loop)
        agent.refused, agent.settings = {"before its first answer": 3, "in its second turn": 5}[moment], settings
        with agent.working():
            while [event for event in agent.events if event in ("compacted", "pruned")] != until:
                assert agent.turns < 50
                agent.works("1")
            yield agent


def spoken(messages):
    """The messages without thinking, and without what brim wrote behind a loop that it closed."""
    said = [(one["role"], one["content"]) for one in messages if one["content"] not in (CLOSING, CONTINUATION)]
    blocks = [(role, [content] if isinstance(content, str) else content) for role, content in said]
    return [(role, [one for one in content if "thinking" not in one]) for role, content in blocks]


CLEARING = {"prune_protect": 3_000, "prune_minimum": 500}


@pytest.mark.parametrize(
    ("moment", "until", "options"),
    [
        ("in its second turn", ["compacted"], {"prune": False}),
        ("before its first answer", ["compacted"], {"prune": False}),
        ("before its first answer", ["compacted"], {"prune": False, "in_loop": True}),
        ("in its second turn", ["pruned"] * 3, CLEARING),
        ("before its first answer", ["pruned"] * 3, CLEARING),
    ],
)
def test_after_refused_thinking_compactions_and_cleared_outputs_are_recorded(tmp_path, moment, until, options):
    """The window of the session holds what the last request said, thinking aside (SES_18)."""
    for agent in thinking_refused(tmp_path, moment, until, **options):
        kinds = [one.kind for one in agent.session.records() if one.kind in ("compaction", "pruning")]
        assert len(kinds) == len(until)
        assert agent.refused == 0
        assert spoken(agent.shown[:-1]) == spoken(agent.sent)
    assert agent.warned == []


def test_a_compaction_that_the_session_cannot_hold_is_a_warning(tmp_path):
    """Another program rewinds the session, and the request goes out (SES_18)."""
    with closing(open_store(tmp_path)) as store:
        agent = RecordingAgent(store)
        first = agent.session.append({"role": "user", "content": "Read this."})
        agent.session.append({"role": "assistant", "content": "Read."})
        agent.settings = {"prune": False}
        with agent.working():
            agent.session.rewind(first)
            agent.works_until("compacted")
    (warned,) = agent.warned
    assert "a compaction could not be recorded" in warned
    assert "this compaction is not of what the session shows" in warned


@pytest.mark.parametrize(
    ("given", "cure"),
    [
        (lambda store, id_: store.read(id_), "open it with the store's open"),
        (lambda _, id_: id_, "it is what a store's create or open returned"),
    ],
    ids=["only read", "no session"],
)
def test_a_session_that_cannot_be_written_is_refused(tmp_path, given, cure):
    """The error names the cure (SES_18)."""
    with closing(open_store(tmp_path)) as store:
        with store.create() as made:
            pass
        with pytest.raises(BrimError, match=cure):
            Conversation(Compactor(limits=LIMITS), session=given(store, made.id))
