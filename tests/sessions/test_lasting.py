"""What is on the disk when an act returns: the order of writing, of bringing to the disk and of naming (SES_07).

Nobody can pull the plug of the machine here. What is looked at instead is what the operating system is asked for, and
when; each call is carried out all the same.
"""

import errno
import os
from pathlib import Path

import pytest

from brim.sessions.records import ModelRecord
from tests.sessions.memory import user


def identity(of):
    """What a file or a folder is known by, whatever it is called; `of` is its path, or it is open under this number."""
    told = os.fstat(of) if isinstance(of, int) else Path(of).stat()
    return told.st_dev, told.st_ino


class Calls(list):
    """What was asked of the system, each time the act and the file or folder that it was done to."""

    def record(self, monkeypatch):
        """From here on."""
        for name in ("write", "ftruncate", "fsync"):
            self._watch(monkeypatch, name, lambda file, *_: file)
        for name in ("link", "replace"):
            self._watch(monkeypatch, name, lambda _beside, path: path)
        self._watch(monkeypatch, "mkdir", lambda path, *_: path)

    def _watch(self, monkeypatch, name, to):
        real = getattr(os, name)

        def call(*arguments, **options):
            done = real(*arguments, **options)
            self.append((name, identity(to(*arguments))))
            return done

        monkeypatch.setattr(os, name, call)

    def places(self, of, *names):
        """Where these calls about a file or a folder stand."""
        return [place for place, call in enumerate(self) if call[0] in names and call[1] == identity(of)]

    def is_on_disk(self, path):
        """Whether what was written to a file last was brought to the disk after it."""
        return self.places(path, "write", "ftruncate")[-1] < max(self.places(path, "fsync"), default=-1)

    def is_named_whole(self, path):
        """Whether a file was on the disk before it got its name, and the name was there soon after."""
        (named,) = self.places(path, "link", "replace")
        written = self.places(path, "write")[-1]
        return any(written < place < named for place in self.places(path, "fsync")) and self.has_name_on_disk(path)

    def has_name_on_disk(self, path):
        """Whether the name of a file or folder was brought to the disk."""
        (named,) = self.places(path, "link", "replace", "mkdir")
        return max(self.places(path.parent, "fsync"), default=-1) > named


@pytest.fixture
def calls():
    """Nothing was asked for yet."""
    return Calls()


def log_of(store, session):
    """The file of a session's log."""
    return next(store.root.glob(f"sessions/*/{session.id}.jsonl"))


ACTS = {
    "a message": lambda session: session.append(user()),
    "messages together": lambda session: session.extend([user("one"), user("two")]),
    "a change": lambda session: session.write(ModelRecord, model="m"),
}


@pytest.mark.parametrize("act", ACTS)
def test_a_record_is_on_the_disk_when_the_act_returns(store, session, calls, monkeypatch, act):
    """What an act wrote to the log was brought to the disk before it was acknowledged."""
    calls.record(monkeypatch)
    ACTS[act](session)
    assert calls.is_on_disk(log_of(store, session))


def test_one_write_and_one_wait_for_the_disk(store, session, calls, monkeypatch):
    """Messages that are added together cost one of each."""
    calls.record(monkeypatch)
    session.extend([user(str(number)) for number in range(50)])
    assert [call[0] for call in calls] == ["write", "fsync"]


def no_links(*_):
    """What a disk says that knows no hard links."""
    raise OSError(errno.ENOTSUP, "Operation not supported")


@pytest.mark.parametrize("links", [True, False], ids=["hard links", "one name a file"])
def test_a_new_log_is_on_the_disk_before_it_has_its_name(store, calls, monkeypatch, links):
    """It is whole before anybody can find it, and then its name lasts too."""
    store.create(project="/p", name="first").close()
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    calls.record(monkeypatch)
    with store.create(project="/p") as session:
        assert calls.is_named_whole(log_of(store, session))


def test_the_folders_of_a_new_log_last_too(store, calls, monkeypatch):
    """The name of each folder that was made is brought to the disk."""
    calls.record(monkeypatch)
    with store.create(project="/p") as session:
        log = log_of(store, session)
    for folder in (log.parent, log.parent.parent, store.root):
        assert calls.has_name_on_disk(folder)


def test_what_was_cut_off_stays_cut_off(store, session, calls, monkeypatch):
    """A torn line that is cut off when a session is opened does not come back."""
    session.close()
    log = log_of(store, session)
    with log.open("ab") as handle:
        handle.write(b'{"v":2,"kind":"mess')
    calls.record(monkeypatch)
    with store.open(session.id):
        assert calls.places(log, "ftruncate")
        assert calls.is_on_disk(log)
