"""Recording where the disk is full: what is in the log and what the conversation holds stay alike."""

from __future__ import annotations

import errno
from contextlib import closing
from typing import Any

import pytest

from brim import Compactor, Conversation, ModelLimits
from brim.errors import StoreFailed
from brim.sessions import log, open_store

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


@pytest.mark.parametrize("failures", [1, 3])
def test_an_answer_that_cannot_be_written_with_its_usage_is_appended_again_once(tmp_path, monkeypatch, failures):
    """The disk is full when the usage is written: neither log nor conversation holds the answer until it fits."""
    refuse_usages(monkeypatch, failures)
    with closing(open_store(tmp_path)) as store, store.create() as session:
        conversation = Conversation(Compactor(limits=LIMITS), session=session)
        conversation.append({"role": "user", "content": "Read."})
        conversation.prepare()
        conversation.record({"input_tokens": 900, "output_tokens": 20})
        for _ in range(failures):
            with pytest.raises(StoreFailed, match="No space left"):
                conversation.extend([ANSWER, RESULT])
            assert [one.raw for one in session.view().messages] == conversation.messages
        conversation.extend([ANSWER, RESULT])
        assert [one.raw for one in session.view().messages] == conversation.messages
        assert [one.kind for one in session.records()][-3:] == ["message", "usage", "message"]


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
