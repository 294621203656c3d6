"""Recording where the disk is full: what is in the log and what the conversation holds stay alike."""

from __future__ import annotations

import errno
from contextlib import closing
from typing import Any

import pytest

from brim import Compactor, Conversation, ModelLimits
from brim.sessions import log, open_store

LIMITS = ModelLimits(context_window=16_000, max_output_tokens=4_000)


def test_a_usage_that_cannot_be_written_leaves_its_answer_in_both(tmp_path, monkeypatch):
    """The disk is full only when the usage is written: the answer is in the log, and must not be given again."""
    write = log.write_synced

    def full(file: int, data: bytes) -> None:
        if b'"kind":"usage"' in data:
            raise OSError(errno.ENOSPC, "No space left on device")
        write(file, data)

    monkeypatch.setattr(log, "write_synced", full)
    call: Any = {"type": "tool_use", "id": "one", "name": "read", "input": {}}
    with closing(open_store(tmp_path)) as store, store.create() as session:
        conversation = Conversation(Compactor(limits=LIMITS), session=session)
        conversation.append({"role": "user", "content": "Read."})
        conversation.prepare()
        conversation.record({"input_tokens": 900, "output_tokens": 20})
        with pytest.warns(UserWarning, match="a usage could not be recorded"):
            conversation.append({"role": "assistant", "content": [call]})
        conversation.append(
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "one", "content": "Notes."}]}
        )
        assert [one.raw for one in session.view().messages] == conversation.messages
