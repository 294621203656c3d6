"""Checkpoints before prompts on a slow machine: a first snapshot goes on, and removing old ones is not waited for."""

from contextlib import closing
from pathlib import Path
from time import sleep

import pytest

from brim.checkpoints import Checkpoints
from brim.checkpoints.git import Git
from brim.hooks import prompt_checkpoints
from brim.hooks.events import HookInput, OutOfTime, run_jobs
from brim.sessions import open_store
from steps.file_cells import git

FILES = 200


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> HookInput:
    """A prompt in a project of some files."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.delenv("BRIM_HOME", raising=False)
    monkeypatch.setattr(prompt_checkpoints, "SECONDS", 60_000)
    project = tmp_path / "project"
    project.mkdir()
    for number in range(FILES):
        (project / str(number)).write_text(f"{number}\n")
    return HookInput("user-prompt-submit", None, prompt="Paint it.", session="session-1", folder=project)


def names(given: HookInput) -> list[str]:
    """Return the checkpoints of the project, and require that the newest has all files."""
    with closing(open_store()) as store, store.open("claude-code-session-1") as session:
        checkpoints = Checkpoints(given.folder or "", session)
        found = [one.name for one in checkpoints.list()]
        for path in (given.folder or Path()).iterdir():
            path.unlink()
        checkpoints.restore(found[0], "files")
    assert len([*Path(given.folder).iterdir()]) == FILES
    return found


def test_a_first_snapshot_that_takes_too_long_is_completed_by_a_later_prompt(given, monkeypatch):
    """The files that were recorded are kept."""
    run, recorded = Git.run, list[bytes]()

    def limited(git, *arguments, **options):
        if arguments[0] == "update-index" and recorded:
            raise OutOfTime(f"given up after 1 s; {prompt_checkpoints.STOPPED}")
        recorded.extend(options["given"].split(b"\0")[:-1] if arguments[0] == "update-index" else [])
        return run(git, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(Git, "run", limited)
        stopped = run_jobs(given, ["checkpoints"])
    assert "the next prompt goes on with them" in stopped.notes[0]
    assert len(recorded) == 50
    assert run_jobs(given, ["checkpoints"]).notes == ()
    assert names(given) == ["Before: Paint it...."]


def test_where_python_took_all_the_time_to_start_a_checkpoint_has_some(given, monkeypatch):
    """A slow machine gets its checkpoints, too."""
    monkeypatch.setattr(prompt_checkpoints, "SECONDS", 0.0)
    monkeypatch.setattr(prompt_checkpoints, "LEAST_SECONDS", 60_000)
    assert run_jobs(given, ["checkpoints"]).notes == ()
    assert names(given) == ["Before: Paint it...."]


def test_old_checkpoints_are_removed_while_the_agent_goes_on(given, tmp_path, monkeypatch):
    """By a process of its own, for which the hook does not wait."""
    settings = tmp_path / ".config" / "brim" / "brim.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("[checkpoints]\nkeep_checkpoints = 2\n")
    with monkeypatch.context() as patch:
        patch.setattr(prompt_checkpoints, "remove_later", lambda _: None)
        for number in range(12):
            (Path(given.folder) / "0").write_text(f"again {number}\n")
            assert run_jobs(given, ["checkpoints"]).notes == ()
    (Path(given.folder) / "0").write_text("last\n")
    monkeypatch.setattr(Checkpoints, "gc", lambda _: pytest.fail("the hook waits"))
    assert run_jobs(given, ["checkpoints"]).notes == ()
    [store] = [path.parent for path in tmp_path.rglob("last.json")]
    for _ in range(600):
        kept = git(tmp_path, f"--git-dir={store}", "for-each-ref", "refs/brim/").splitlines()
        if len(kept) == 2:
            return
        sleep(0.1)
    pytest.fail(f"{len(kept)} snapshots are left")
