"""The servers that the tests start: none of them outlives the run, however that ends, and nobody else's is touched."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from steps import running_postgres as running
from tests.signals import handled

pytestmark = pytest.mark.peers
ROOT = Path(__file__).parents[2]
TEST = """
from steps.postgres import database

def test_it(database):
    print(database.folder, flush=True)
    input()
"""
NOBODY = 2**22 + 1
"""A number that no process has."""


@pytest.mark.nightly
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 2)])
def test_a_run_that_is_told_to_end_leaves_no_server(tmp_path, number, code):
    """Neither the server nor its folder is there afterwards."""
    (tmp_path / "test_it.py").write_text(TEST)
    command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "--rootdir", tmp_path, tmp_path]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    environment = {
        **os.environ,
        "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        "PYTHONPATH": f"{ROOT / 'src'}{os.pathsep}{ROOT}",
    }
    heeded = handled(number, signal.default_int_handler)
    with heeded, subprocess.Popen(command, cwd=tmp_path, env=environment, **pipes) as run:
        folder = Path(next(line for line in run.stdout if running.PREFIX in line).strip())
        server = running.server_in(folder)
        run.send_signal(number)
        assert run.wait(timeout=60) == code
    assert not server.is_running()
    assert not folder.exists()


@pytest.mark.parametrize(
    ("name", "starters", "stays"),
    [
        (f"{running.PREFIX}left", [NOBODY], False),
        (f"{running.PREFIX}used", [NOBODY, os.getpid()], True),
        (f"{running.PREFIX}begun", None, True),
        (f"{running.PREFIX}ending", [], True),
        (f"{running.PREFIX}odd", "{", True),
        ("postgres-of-another", [NOBODY], True),
    ],
)
def test_only_what_a_killed_run_left_is_taken_away(tmp_path, name, starters, stays):
    """A folder that is in use, that says nothing, or that is not of these tests, stays."""
    folder = tmp_path / name
    folder.mkdir()
    if starters is not None:
        (folder / running.STARTERS).write_text(starters if isinstance(starters, str) else json.dumps(starters))
    running.take_away_what_was_left(tmp_path)
    assert folder.exists() == stays


def test_a_folder_that_an_interrupted_run_left_is_taken_away_once_it_is_old(tmp_path):
    """It names no process, and no server runs in it."""
    folder = tmp_path / f"{running.PREFIX}interrupted"
    folder.mkdir()
    (folder / running.STARTERS).write_text("[]")
    long_ago = time.time() - running.OLD_SECONDS - 60
    os.utime(folder / running.STARTERS, (long_ago, long_ago))
    running.take_away_what_was_left(tmp_path)
    assert not folder.exists()


@pytest.mark.parametrize(
    "told",
    [None, "", "no number", str(NOBODY), str(os.getpid())],
    ids=["nothing", "empty", "no number", "of no process", "of this process"],
)
def test_a_process_of_something_else_is_no_server(tmp_path, told):
    """Whatever number stands in a folder, only a server of that very folder is stopped."""
    if told is not None:
        (tmp_path / "postmaster.pid").write_text(told)
    assert running.server_in(tmp_path) is None
