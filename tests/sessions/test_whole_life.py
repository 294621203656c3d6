"""A session, its compactions and its checkpoints together, in any order, on the disk; processes die, clocks go back.

Nothing acknowledged is lost, what is shown can be sent, a restore brings the very bytes, and each undo can be undone.
"""

import json
import shutil
import tempfile
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule, run_state_machine_as_test

from brim.checkpoints import Checkpoints
from brim.conversation.messages import PLAIN
from brim.conversation.tool_pairs import with_unique_ids
from brim.sessions import open_store, paths
from brim.sessions.importing import import_transcript
from brim.sessions.lineage import fork
from brim.sessions.records import MessageRecord
from brim.testing import complaints
from brim.transcripts import read_transcript
from steps.checkpointed_projects import listing
from steps.prerequisites import sized
from tests import strict_api
from tests.sessions.memory import thinks, user
from tests.sessions.test_view import WINDOWS, Acts


class Life(Acts):
    """The acts of a session that is a file, and those of checkpoints, other processes and other sessions."""

    @initialize(window=st.sampled_from(WINDOWS))
    def begin(self, window):
        """Make a project and its first session."""
        super().begin(window)
        self.folder = Path(tempfile.mkdtemp(prefix="brim-life-"))
        self.project = self.folder / "project"
        self.project.mkdir()
        self.store = open_store(self.folder / "home")
        self.patch = pytest.MonkeyPatch()
        self.acknowledged = {}
        """For each session its messages, in order."""
        self.go_on_with(self.store.create(project=str(self.project)))
        self.add([user(), thinks()])

    def teardown(self):
        """Leave nothing behind."""
        self.patch.undo()
        self.session.close()
        shutil.rmtree(self.folder)

    def go_on_with(self, session):
        """Begin to write a session; what it has is acknowledged. What was seen in another one is forgotten."""
        self.session, view = session, session.view()
        self.acknowledged[session.id] = messages_of(session)
        self.seen, self.marked = {}, {}
        self.before = {name: (view, place) for place, name in enumerate(view.ids)}
        self.checkpoints = Checkpoints(self.project, session, home=self.folder / "home")

    def add(self, messages, marks=PLAIN):
        """Add messages, which are acknowledged."""
        self.acknowledged[self.session.id] += zip(super().add(messages, marks), messages, strict=True)

    @rule(
        path=st.sampled_from(["a", "b", "d/x", "d/y/z"]), content=st.sampled_from([None, b"", b"1\n", b"2\r\n\0\xff"])
    )
    def write(self, path, content):
        """Make, replace or delete a file."""
        file = self.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.unlink(missing_ok=True) if content is None else file.write_bytes(content)

    @rule(hours=st.sampled_from([-240, -1, 0, 240]))
    def set_clock(self, hours):
        """Set the clock back or forth."""
        self.patch.setattr(paths, "time", SimpleNamespace(time_ns=lambda: time.time_ns() + hours * 3_600 * 10**9))

    @rule()
    def mark(self):
        """Make a checkpoint."""
        made = self.checkpoints.create()
        self.marked[made.id] = self.now()

    @precondition(lambda self: self.marked)
    @rule(data=st.data(), what=st.sampled_from(["files", "conversation", "both"]), is_undone=st.booleans())
    def restore(self, data, what, is_undone):
        """Go back to a checkpoint: its very bytes come back, and what was shown. An undo is undone, too."""
        name, before = data.draw(st.sampled_from(sorted(self.marked))), self.now()
        after = self.restored(before, self.marked[name], what)
        self.checkpoints.restore(name, what)
        assert self.now() == after
        if is_undone:
            undo, undone = self.checkpoints.undo(), self.restored(after, before, what)
            assert self.now() == undone
            self.checkpoints.restore(undo.safety.id, what)
            assert self.now() == self.restored(undone, after, what)

    def now(self):
        """The files of the project, and what is shown."""
        return listing(self.project), self.session.view()

    def restored(self, now, target, what):
        """What there is after a restore: files that no checkpoint holds stay."""
        held = {*target[0], *(path for files, _ in self.marked.values() for path in files)}
        files = {**{path: one for path, one in now[0].items() if path not in held}, **target[0]}
        return now[0] if what == "conversation" else files, now[1] if what == "files" else target[1]

    @rule(torn=st.sampled_from([b"", b'{"v":2,"kind":"mess', b"\0\0\0"]))
    def die(self, torn):
        """End the process, in the middle of a write or not; another one goes on."""
        before, log = self.session.view(), Path(self.session.info.transcript)
        self.session.journal.close()
        with log.open("ab") as file:
            file.write(torn)
        self.store = open_store(self.folder / "home")
        self.session = self.store.open(self.session.id)
        self.checkpoints = Checkpoints(self.project, self.session, home=self.folder / "home")
        assert self.session.view() == before

    @precondition(lambda self: self.seen)
    @rule(data=st.data(), is_fork=st.booleans())
    def branch(self, data, is_fork):
        """Go on in a fork at a message, or in what a file of the messages is imported as; it begins with the same."""
        view = self.session.view()
        if is_fork:
            at = data.draw(st.sampled_from(sorted(self.seen)))
            made, view = fork(self.store, self.session.id, at), self.seen[at]
        else:
            file = self.folder / "messages.json"
            file.write_text(json.dumps(sent(view)), encoding="utf-8")
            made = import_transcript(self.store, read_transcript(file), project=str(self.project)).session
        self.session.close()
        self.go_on_with(self.store.open(made))
        assert sent(self.session.view()) == sent(view)

    @invariant()
    def nothing_is_lost(self):
        """A process that begins now reads every acknowledged message of each session, and may send what it is shown."""
        for name, known in self.acknowledged.items():
            with open_store(self.folder / "home").read(name) as session:
                view = session.view()
                assert messages_of(session) == known
                assert complaints(sent(view)) == strict_api.complaints(sent(view)) == []
                assert name != self.session.id or self.session.view() == view


def messages_of(session):
    """The messages of a session, with the ids of their records."""
    return [(one.id, one.message) for one in session.records() if isinstance(one, MessageRecord)]


def sent(view):
    """What is sent of a view: the log keeps the ids that calls came with, a request has each once."""
    return [one.raw for one in with_unique_ids(view.messages)]


@pytest.mark.timeout(20_000)
def test_nothing_is_lost_in_any_life():
    """A sample of lives; in the nightly run 200 of up to 60 acts."""
    of = settings(max_examples=sized(4, nightly=200), stateful_step_count=sized(25, nightly=60), deadline=None)
    run_state_machine_as_test(Life, settings=settings(of, suppress_health_check=[*HealthCheck]))
