"""The note of who holds a session: it is believed as far as it can be true, and nothing comes of any other."""

import json
import os
import socket

import pytest

from brim.errors import SessionHeld
from brim.sessions.locking import Holder, parse_holder

HERE = socket.gethostname()
DAMAGED = {
    "no JSON": "{ no",
    "nested": "[" * 100_000,
    "no number": '{"pid":"1","host":"h","since":1}',
    "a group of processes": '{"pid":-1,"host":"h","since":1}',
    "no time": '{"pid":1,"host":"h","since":"today"}',
    "a time that no calendar has": '{"pid":1,"host":"h","since":253402300800000}',
    "two lines": '{"pid":1,"host":"a\\nb","since":1}',
    "no machine": '{"pid":1,"since":1}',
}


@pytest.mark.parametrize("note", DAMAGED)
def test_a_note_that_cannot_be_true_names_nobody(store, session, note):
    """The refusal says in one line that another process writes it."""
    (store.root / "locks" / f"{session.id}.holder").write_text(DAMAGED[note], encoding="utf-8")
    with pytest.raises(SessionHeld) as met:
        store.open(session.id)
    assert str(met.value).startswith(f"session {session.id} is being written by another process; ")
    assert "\n" not in str(met.value)


@pytest.mark.parametrize("since", [0, 253_402_300_799_999])
def test_a_note_at_the_ends_of_time_is_told(since):
    """Every date that there is can be shown."""
    holder = parse_holder(json.dumps({"pid": 7, "host": "h", "since": since}))
    assert holder == Holder(pid=7, host="h", since=since)
    assert str(holder).startswith("process 7 on h since ")


def test_this_process_of_another_machine_is_not_this_one():
    """The number of a process says nothing without its machine."""
    assert Holder(pid=os.getpid(), host=HERE, since=1).is_oneself
    assert not Holder(pid=os.getpid(), host=f"{HERE}-2", since=1).is_oneself
    assert not Holder(pid=os.getpid() + 1, host=HERE, since=1).is_oneself
