"""The store in files: the registry against the logs, many processes, and what a URL may say."""

import errno
import json
import multiprocessing
import os
import socket

import pytest

from brim.errors import InvalidInput, SessionHeld
from brim.sessions.paths import folder_of
from brim.sessions.records import ModelRecord
from steps.clock import frozen, moment
from tests.sessions.memory import user


def test_nothing_is_made_before_the_first_session(store):
    """To look is not to write."""
    assert store.sessions() == []
    with pytest.raises(InvalidInput):
        store.open("nobody")
    assert not store.root.exists()


def test_the_registry_says_what_the_logs_say(store):
    """What is listed from the registry is what is gathered from the logs without it."""
    with frozen(moment("2026-03-01 12:00")) as clock:
        for number in range(5):
            with store.create(project=f"/p{number % 2}", title=f"T{number}", model="m") as session:
                session.append(user())
                session.rename(f"U{number}")
                session.write(ModelRecord, model="n")
            clock.tick()
    listed = store.sessions()
    store.index_path.unlink()
    assert store.sessions() == listed
    assert [one.title for one in listed] == ["U4", "U3", "U2", "U1", "U0"]


def test_an_existing_id_is_not_taken_twice(store, session):
    """A second session of one id is refused, and the first is as it was."""
    session.close()
    with pytest.raises(InvalidInput, match="already"):
        store.create(name=session.id, project="/other")
    assert len(store.sessions()) == 1


def test_the_project_of_a_session_is_safe_as_a_folder():
    """Two projects of one name have two folders, and no project leaves the store."""
    assert folder_of("/a/b") != folder_of("/c/b")
    assert folder_of("/a/b").startswith("b-")
    for odd in ("", "..", "/", "a\0b", "../../x", "é" * 300, "\udcff"):
        folder = folder_of(odd)
        assert folder.isascii()
        assert len(folder) < 60
        assert not folder.startswith(".")


def test_a_process_that_died_is_not_told_as_the_holder(store, session):
    """Who took the lock and has yet to say so is another process, and not the dead one whose note still lies there."""
    child = multiprocessing.get_context("spawn").Process(target=int)
    child.start()
    child.join()
    told = {"pid": child.pid, "host": socket.gethostname(), "since": 1}
    (store.root / "locks" / f"{session.id}.holder").write_text(json.dumps(told), encoding="utf-8")
    with pytest.raises(SessionHeld, match="is being written by another process"):
        store.open(session.id)


@pytest.mark.parametrize("code", [errno.EPERM, errno.ENOTSUP, errno.ENOSYS])
def test_without_hard_links_a_session_is_made_all_the_same(store, monkeypatch, code):
    """Where the disk knows no second names a session is there whole, once, and private."""

    def refuse(*_):
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(os, "link", refuse)
    with store.create(name="one") as session:
        session.append(user())
    with pytest.raises(InvalidInput, match="already"):
        store.create(name="one")
    assert [one.id for one in store.sessions()] == ["one"]
    assert {path.stat().st_mode & 0o077 for path in store.root.rglob("*")} == {0}
