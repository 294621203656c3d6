"""Runs Python programs in processes that begin with their libraries imported, which takes longer than most of them run.

A server imports the libraries once and forks for each program. The program then runs as `python -m` or `python FILE`
runs it, in a folder, an environment and with output of its own.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Self

SERVE = """
import json, os, runpy, sys, warnings
for name in sys.argv[1:]:
    __import__(name)
for line in sys.stdin:
    order = json.loads(line)
    if (child := os.fork()) == 0:
        os.chdir(order["folder"])
        for number, path in enumerate((os.devnull, order["output"], order["errors"])):
            os.dup2(os.open(path, os.O_RDWR | os.O_CREAT), number)
        os.environ.clear()
        os.environ.update(order["environment"])
        if order["strict"]:
            warnings.simplefilter("error")
        sys.argv = [order["program"], *order["arguments"]]
        if order["program"].endswith(".py"):
            sys.path[0] = os.path.dirname(order["program"])
            runpy.run_path(order["program"], run_name="__main__")
        else:
            sys.path[0] = order["folder"]
            runpy.run_module(order["program"], run_name="__main__", alter_sys=True)
        sys.exit()
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


class Preloaded:
    """A server whose processes begin with the modules of these names imported. A context manager."""

    def __init__(self, *modules: str) -> None:
        self._command = [sys.executable, "-c", SERVE, *modules]
        self._begin()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self._end()

    def _begin(self) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        self._server = subprocess.Popen(self._command, **pipes, text=True, start_new_session=True)

    def _end(self) -> None:
        """End the server, and the program that it waits for."""
        os.killpg(self._server.pid, signal.SIGKILL)
        self._server.communicate()

    def run(
        self,
        program: str | Path,
        *arguments: str,
        folder: Path | None = None,
        environment: Mapping[str, str] = os.environ,
        strict: bool = False,
    ) -> subprocess.CompletedProcess[str]:
        """Run a file that ends in .py, or a module, to its end; `strict` makes its warnings errors."""
        with tempfile.TemporaryDirectory() as kept:
            output, errors = Path(kept, "output"), Path(kept, "errors")
            order = {
                "program": str(program),
                "arguments": arguments,
                "folder": str(folder or Path.cwd()),
                "environment": dict(environment),
                "output": str(output),
                "errors": str(errors),
                "strict": strict,
            }
            try:
                print(json.dumps(order), file=self._server.stdin, flush=True)
                code = int(self._server.stdout.readline())
            except BaseException:  # a timeout, say: its answer must not be taken for that of the next program
                self._end()
                self._begin()
                raise
            said = (path.read_text(encoding="utf-8") for path in (output, errors))
            return subprocess.CompletedProcess([order["program"], *arguments], code, *said)
