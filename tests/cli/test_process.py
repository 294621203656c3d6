"""The command as a process: what it loads, how it ends, and what it does where nobody listens."""

import json
import os
import signal
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest

from brim import __version__
from brim.cli import _command, one_line
from brim.cli import main as command
from brim.cli.commands import FEW, SECTIONS
from steps.prerequisites import sized
from tests.cli.conversations import RECORDING
from tests.signals import handled

BRIM = [sys.executable, "-c", "from brim.cli import main; raise SystemExit(main())"]


def run(*arguments, **keywords):
    """The command in a process of its own."""
    return subprocess.run(
        [*BRIM, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=60, **keywords
    )


def loaded(code):
    """The modules that a program has loaded at its end."""
    program = f"import sys\n{code}\nsys.stderr.write('\\n'.join(sys.modules))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    return set(done.stderr.split("\n"))


def test_the_script_is_installed():
    """The package installs `brim`, which ends with the code that the command gives."""
    script = Path(sys.executable).with_name("brim")
    done = subprocess.run([script, "nope"], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize("arguments", [(), ("--help",)])
def test_help(arguments):
    """Help lists the commands; without a command the same text is printed."""
    done = run(*arguments)
    assert done.returncode == 0
    assert [line.split()[0] for line in done.stdout.partition("Commands:\n")[2].splitlines()] == [
        "inspect", "compact", "replay", "serve", "run", "mcp", "settings", "profiles", "portable", "sessions",
        "checkpoints", "agents", "memory", "hook",
    ]  # fmt: skip


GROUPS = ["sessions", "checkpoints", "agents", "memory", "hook"]


@pytest.mark.parametrize("group", sized(GROUPS[:1], nightly=GROUPS))
def test_a_group_without_a_command(group):
    """It prints its help."""
    done = run(group)
    assert (done.returncode, done.stderr, done.stdout) == (0, "", run(group, "--help").stdout)


@pytest.mark.parametrize(
    "name",
    sized(
        ["compact", "sessions"], nightly=["inspect", "compact", "replay", "settings", "profiles", "portable", *GROUPS]
    ),
)
def test_help_of_a_command(name):
    """Each command says how it is used."""
    done = run(name, "--help")
    assert done.returncode == 0
    assert done.stdout.startswith(f"Usage: brim {name} ")


def test_every_heading_of_help_stands_for_options():
    """No heading has an option that is gone, and a command with headings has few options without one."""
    groups = [_command(), *(one for one in _command().commands.values() if hasattr(one, "commands"))]
    commands = [one for group in groups for one in group.commands.values() if not hasattr(one, "commands")]
    named = [{one.name for one in command.params if one.param_type_name == "option"} for command in commands]
    below = {name for names in SECTIONS.values() for name in names}
    assert below <= set().union(*named)
    assert max(len(names - below) for names in named if len(names) >= FEW) <= 2


def test_the_version():
    """The version is the package's."""
    done = run("--version")
    assert (done.returncode, done.stdout) == (0, f"brim {__version__}\n")


def test_importing_brim_loads_neither_sdk_nor_terminal():
    """`import brim`, and the command before it runs, load neither the SDK nor what draws on a terminal."""
    modules = loaded("import brim, brim.cli")
    assert modules & {"anthropic", "typer", "click", "rich", "httpx"} == set()


def test_help_loads_no_room():
    """Help is there at once: it loads none of the rooms, nor Rich."""
    modules = loaded("from brim.cli import main\nmain(['--help'])")
    assert "typer" in modules
    commands = {"agents", "app", "checkpoints", "commands", "hook", "memory", "options", "sessions", "sessions.app"}
    loaded_rooms = {name for name in modules if name.startswith("brim.")}
    assert loaded_rooms == {"brim.cli", *(f"brim.cli.{name}" for name in commands), "brim.errors", "brim.lazy"}
    assert modules & {"rich", "pydantic", "anthropic"} == set()


@pytest.mark.parametrize(
    "arguments",
    [("inspect", RECORDING), ("compact", RECORDING, "--json"), ("--help",)],
)
def test_a_reader_that_went_away(arguments):
    """Where nobody reads the answer any more, as behind head, the command ends without a word."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [*BRIM, *map(str, arguments)], stdout=writing, stderr=subprocess.PIPE, text=True, check=False, timeout=60
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (1, "")


@pytest.mark.parametrize("arguments", [("inspect", RECORDING), ("profiles", "--json")])
def test_an_answer_that_cannot_be_written(arguments):
    """A full disk behind stdout is one line on stderr."""
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*BRIM, *map(str, arguments)], stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=60
        )
    assert (done.returncode, done.stderr) == (1, "brim: the answer cannot be written: No space left on device\n")


@pytest.mark.parametrize("arguments", [("inspect", RECORDING), ("inspect", RECORDING, "--json"), ("--help",)])
def test_a_standard_output_that_is_closed(arguments):
    """Nothing is done before that is told: a file that is opened would stand where the answer goes."""
    done = without("1", *arguments)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "brim: standard output is closed; let it go to /dev/null where nobody reads it\n"


@pytest.mark.parametrize("closed", sized(["0 2"], nightly=["0", "2", "0 2"]))
def test_a_standard_input_or_errors_that_are_closed(closed, tmp_path):
    """A refusal is told to nobody, a request comes from nobody, and the answer is what it is anyway."""
    assert (without(closed, "inspect", "nowhere").returncode, without(closed, "portable").returncode) == (1, 0)
    assert json.loads(without(closed, "compact", RECORDING, "--json").stdout)["compacted"]
    assert without(closed, "compact", RECORDING, "-o", tmp_path / "out.json").returncode == 0
    assert len(json.loads((tmp_path / "out.json").read_text(encoding="utf-8"))["messages"]) > 1


def without(closed, *arguments):
    """The command where some of its standard streams are closed."""
    program = (
        "import os, sys\nfor one in sys.argv[1].split(): os.close(int(one))\nos.execv(sys.executable, sys.argv[2:])"
    )
    given = [sys.executable, "-c", program, closed, *BRIM, *map(str, arguments)]
    return subprocess.run(given, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=60)


def test_an_interruption():
    """Ctrl-C ends the command quietly, with the code that shells know."""
    with handled(signal.SIGINT, signal.default_int_handler), answering() as process:
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=30) == 130
        assert process.stderr.read() == b""


@pytest.mark.skipif(sys.platform == "win32", reason="no process inherits there that a signal is ignored")
def test_an_interruption_that_is_ignored_where_the_command_was_started():
    """It goes on with its work, as every program of the background of a script does."""
    with handled(signal.SIGINT, signal.SIG_IGN), answering() as process:
        process.send_signal(signal.SIGINT)
        assert answer(process, 2) == 2
        process.stdin.close()
        assert process.wait(timeout=30) == 0


@contextmanager
def answering():
    """The command, which waits for its second request."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with subprocess.Popen([*BRIM, "portable"], **pipes) as process:
        assert answer(process, 1) == 1
        yield process


def answer(process, number):
    """The number that a request of this number is answered under."""
    process.stdin.write(b'{"id": %d, "operation": "none", "input": {}}\n' % number)
    process.stdin.flush()
    return json.loads(process.stdout.readline())["id"]


def test_an_interruption_in_mid_work(monkeypatch, tmp_path):
    """An interruption while a transcript is read leaves nothing behind."""

    def interrupt(_path):
        raise KeyboardInterrupt

    monkeypatch.setattr("brim.cli.reading.read_transcript", interrupt)
    assert command(["compact", str(RECORDING), "-o", str(tmp_path / "new.json")]) == 130
    assert list(tmp_path.iterdir()) == []


def test_no_colour_where_nobody_watches():
    """A pipe gets neither colour nor progress."""
    done = run("inspect", RECORDING, env={**os.environ, "COLUMNS": "80"})
    assert "\x1b" not in done.stdout
    assert done.stderr == ""


def test_a_terminal_of_another_alphabet():
    """Where the terminal's encoding lacks a sign, an escape stands for it; JSON stays JSON."""
    other = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    assert run("inspect", RECORDING, env=other).returncode == 0
    assert json.loads(run("compact", RECORDING, "--json", env=other).stdout)["summary"]


def test_an_error_is_one_short_line():
    """Whatever an error says, it is printed on one line, without control characters, and not without end."""
    assert one_line("a\n b\x1b[31m\ud800") == "a b?[31m?"
    assert len(one_line("word " * 10_000)) < 620
