"""What surrounds a project: its repository, the environment of git, and other sessions that work on it at once."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from brim.checkpoints import Checkpoints
from brim.sessions import open_store
from steps.checkpointed_projects import Workshop, listing
from steps.file_cells import git
from steps.prerequisites import sized

ROOT = Path(__file__).parents[2]
HOOKS = ("pre-commit", "post-checkout", "post-index-change", "reference-transaction", "post-rewrite", "pre-auto-gc")
TEXTS = {
    "unix": b"a\nb\n",
    "windows": b"a\r\nb\r\n",
    "mixed": b"a\r\nb\nc\r",
    "keyword": b"$Id: mine $\n",
    "binary": bytes(range(256)),
    "deep/er/windows": b"a\r\n",
    "deep/er/caf\udce9": b"\r\n",
}
ASTRAY = {
    "GIT_DIR": "{project}/.git",
    "GIT_COMMON_DIR": "{project}/.git",
    "GIT_WORK_TREE": "{elsewhere}",
    "GIT_INDEX_FILE": "{project}/.git/index",
    "GIT_OBJECT_DIRECTORY": "{project}/.git/objects",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES": "{project}/.git/objects",
    "GIT_NAMESPACE": "theirs",
    "GIT_PREFIX": "deep/",
    "GIT_CEILING_DIRECTORIES": "{project}",
    "GIT_CONFIG": "{project}/.git/config",
    "GIT_CONFIG_GLOBAL": "{elsewhere}/config",
    "GIT_CONFIG_SYSTEM": "{elsewhere}/config",
    "GIT_CONFIG_PARAMETERS": "'core.autocrlf'='input' 'core.fsmonitor'='touch {elsewhere}/ran'",
    "GIT_CONFIG_COUNT": "2",
    "GIT_CONFIG_KEY_0": "core.autocrlf",
    "GIT_CONFIG_VALUE_0": "true",
    "GIT_CONFIG_KEY_1": "core.hooksPath",
    "GIT_CONFIG_VALUE_1": "{elsewhere}/hooks",
    "GIT_ATTR_SOURCE": "HEAD",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_ICASE_PATHSPECS": "1",
    "GIT_EXTERNAL_DIFF": "touch {elsewhere}/ran",
    "GIT_TEMPLATE_DIR": "{elsewhere}",
    "GIT_TRACE": "{elsewhere}/trace",
    "GIT_DEFAULT_HASH": "sha256",
    "GIT_INDEX_VERSION": "4",
    "GIT_OPTIONAL_LOCKS": "1",
    "GIT_EDITOR": "false",
}
"""Every variable of git that leads it elsewhere, or lets it convert or run something."""
SETS = (*((name,) for name in ASTRAY), (), tuple(ASTRAY))
"""Each alone, none, and all of them."""


@pytest.fixture
def elsewhere(tmp_path):
    """A folder that nothing may be written to, with a configuration and hooks that would."""
    made = tmp_path / "elsewhere"
    (made / "hooks").mkdir(parents=True)
    (made / "config").write_text(f"[core]\n\tautocrlf = true\n\tfsmonitor = touch {made / 'ran'}\n")
    for name in HOOKS:
        hook = made / "hooks" / name
        hook.write_text(f"#!/bin/sh\ntouch {made / 'ran'}\n")
        hook.chmod(0o755)
    return made


@pytest.fixture
def workshop(tmp_path, monkeypatch, elsewhere):
    """A repository whose attributes and configuration convert every file, with a stash, hooks and a work tree."""
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user" / ".config"))
    made = Workshop(tmp_path)
    git(made.project, "init")
    for name, value in {
        "core.autocrlf": "true",
        "core.safecrlf": "false",
        "filter.loud.clean": "tr a-z A-Z",
        "filter.loud.smudge": "tr A-Z a-z",
        "diff.odd.textconv": f"touch {elsewhere / 'ran'}; cat",
        "core.fsmonitor": f"touch {elsewhere / 'ran'}; false",
        "user.name": "me",
        "user.email": "me@example.com",
    }.items():
        git(made.project, "config", name, value)
    made.write(".gitattributes", "* text=auto\nwindows eol=lf\nkeyword ident filter=loud diff=odd\n")
    for name, text in TEXTS.items():
        made.write(name, text)
    git(made.project, "-c", "core.fsmonitor=false", "add", "-A")
    git(made.project, "-c", "core.fsmonitor=false", "commit", "-m", "first")
    made.write("unix", "to be stashed\n")
    git(made.project, "-c", "core.fsmonitor=false", "stash")
    git(made.project, "tag", "v1")
    git(made.project, "-c", "core.fsmonitor=false", "worktree", "add", "--detach", "../second")
    for name in HOOKS:
        shutil.copy(elsewhere / "hooks" / name, made.project / ".git" / "hooks" / name)
    for name, text in TEXTS.items():
        made.write(name, text)
    (elsewhere / "ran").unlink(missing_ok=True)
    made.outside = {one: listing(tmp_path / one) for one in ("second", "elsewhere")}
    made.repository = everything(made.project / ".git")
    yield made
    made.session.close()


def everything(folder: Path) -> dict[str, tuple]:
    """Every file below a folder with its permissions and its time, byte for byte."""
    return {
        str(path): (path.lstat().st_mode, path.lstat().st_mtime_ns, path.read_bytes() if path.is_file() else b"")
        for path in sorted(folder.rglob("*"))
    }


def go_through_all(made: Workshop) -> None:
    """Everything that checkpoints do."""
    made.mark("start")
    for name in [*TEXTS][1:]:
        made.write(name, b"later\r\n")
    (made.project / "unix").unlink()
    made.write("added", b"added\r\n")
    made.mark("later")
    checkpoints = made.checkpoints
    assert checkpoints.diff("start")
    assert "later" in checkpoints.patch("start")
    assert checkpoints.plan("start")
    checkpoints.restore("start", "files")
    assert listing(made.project) == made.seen["start"]
    for name, text in TEXTS.items():
        assert (made.project / name).read_bytes() == text
    checkpoints.undo()
    assert listing(made.project) == made.seen["later"]
    checkpoints.restore("start", "files", paths=["deep"])
    checkpoints.undo()
    checkpoints.gc()
    checkpoints.restore("start")
    assert listing(made.project) == made.seen["start"]


@pytest.mark.parametrize("astray", sized(SETS[-2:], nightly=SETS), ids=lambda one: "-".join(one)[:40] or "none")
def test_nothing_of_the_repository_changes(workshop, elsewhere, tmp_path, monkeypatch, astray):
    """Index, HEAD, stash, refs, configuration and hooks, whatever variables of git are set; no program runs."""
    for name in astray:
        monkeypatch.setenv(name, ASTRAY[name].format(project=workshop.project, elsewhere=elsewhere))
    go_through_all(workshop)
    assert everything(workshop.project / ".git") == workshop.repository
    assert {one: listing(tmp_path / one) for one in workshop.outside} == workshop.outside


@pytest.mark.parametrize("loss", ["collected", "deleted"])
def test_checkpoints_outlive_what_the_repository_loses(workshop, loss):
    """After `git gc --prune=now` with nothing that needs the objects, and without the repository."""
    workshop.mark("start")
    if loss == "collected":
        for name in TEXTS:
            (workshop.project / name).unlink()
        git(workshop.project, "-c", "core.fsmonitor=false", "checkout", "-q", "--orphan", "empty")
        git(workshop.project, "rm", "-q", "-r", "--cached", ".")
        git(workshop.project, "stash", "drop")
        git(workshop.project, "tag", "-d", "v1")
        git(workshop.project, "worktree", "remove", "--force", "../second")
        git(workshop.project, "branch", "-D", "main")
        git(workshop.project, "reflog", "expire", "--expire=now", "--expire-unreachable=now", "--all")
        for hook in (workshop.project / ".git" / "hooks").iterdir():
            hook.unlink()
        git(workshop.project, "gc", "--prune=now")
        assert not git(workshop.project, "count-objects", "-v").count("in-pack: 1")
    else:
        shutil.rmtree(workshop.project / ".git")
    for name in TEXTS:
        workshop.write(name, "later\n")
    workshop.checkpoints.restore("start", "files")
    assert listing(workshop.project) == workshop.seen["start"]


def test_ignore_files_that_include_again(workshop):
    """What git itself would add is recorded, and nothing else, with patterns and exceptions in several folders."""
    workshop.write(".gitignore", "*.log\n!kept.log\n/build/*\n!/build/keep/\nlogs/\n!logs/inside\n")
    workshop.write("deep/.gitignore", "!back.log\n*.tmp\n!er/\n")
    names = [
        "a.log",
        "kept.log",
        "build/out",
        "build/keep/in",
        "logs/inside",
        "deep/back.log",
        "deep/er/x.tmp",
        "deep/kept.log",
    ]
    for name in names:
        workshop.write(name)
    git(workshop.project, "config", "--unset", "core.fsmonitor")
    told = git(workshop.project, "ls-files", "--others", "--exclude-standard").split("\n")
    recorded = {one for one in names if one in told}
    assert recorded == {"kept.log", "build/keep/in", "deep/back.log", "deep/kept.log"}
    workshop.mark("start")
    for name in names:
        workshop.write(name, "later\n")
    workshop.checkpoints.restore("start", "files")
    back = {name for name in names if (workshop.project / name).read_bytes() == b"at first\n"}
    assert back == recorded


ROUNDS = sized(5, nightly=12)
WORK = """
import sys
from pathlib import Path
from brim.checkpoints import Checkpoints
from brim.errors import Refused
from brim.sessions import open_store

home, project, own = map(Path, sys.argv[1:4])
with open_store(home).create(project=str(project)) as session:
    checkpoints = Checkpoints(project, session, home=home)
    for number in range(int(sys.argv[4])):
        (project / own.name).write_text(f"{number}\\n")
        made = checkpoints.create(str(number))
        (project / own.name).write_text("changed\\n")
        checkpoints.restore(made.id, "files", paths=[own.name])
        assert (project / own.name).read_text() == f"{number}\\n"
        checkpoints.undo()
        assert (project / own.name).read_text() == "changed\\n"
    print(session.id)
"""


def test_two_sessions_on_one_project_at_once(tmp_path, monkeypatch):
    """Each goes back and forth with a file of its own; every checkpoint of both restores in the end."""
    monkeypatch.setenv("HOME", str(tmp_path))
    home, project = tmp_path / "home", tmp_path / "project"
    project.mkdir()
    (project / "both").write_text("of both\n")
    running = [
        subprocess.Popen(
            [sys.executable, "-c", WORK, home, project, name, str(ROUNDS)],
            env={**os.environ, "PYTHONPATH": f"{ROOT / 'src'}:{ROOT}"},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for name in ("one", "two", "three")
    ]
    answers = [one.communicate(timeout=300) for one in running]
    assert [one.returncode for one in running] == [0, 0, 0], answers
    for name, (told, _) in zip(("one", "two", "three"), answers, strict=True):
        with open_store(home).open(told.strip()) as session:
            checkpoints = Checkpoints(project, session, home=home)
            for number in range(ROUNDS):
                checkpoints.restore(str(number), "files", paths=[name, "both"])
                assert (project / name).read_text() == f"{number}\n"
                assert (project / "both").read_text() == "of both\n"
            assert not checkpoints.gc().removed
