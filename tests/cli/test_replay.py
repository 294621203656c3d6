"""`brim replay` with odd inputs, in narrow terminals, and with executors."""

import json
import os
import re
import socket
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from io import BytesIO, TextIOWrapper

import pytest
from distributed import LocalCluster

from brim.cli.replay import BLOCKS, Asked, replay_file, results, sparkline
from brim.replay import COMPARED, candidates
from brim.replay.charts import templates
from steps.recorded_sessions import write_session

READS = [20_020 + number * 2_100 for number in range(30)]
ROWS = [
    {"record": "response", "read": str(read), "cached": str(before), "wrote": "100", "result": "8000"}
    for before, read in zip([0, *READS], READS, strict=False)
]


@pytest.fixture
def session(tmp_path):
    """Writes a session of 30 responses; its file."""
    return lambda name="talk", **more: write_session(tmp_path, ROWS, name=name, **more)


def test_standard_input_is_replayed_each_time(brim, monkeypatch, session, tmp_path):
    """What it held before cannot be compared: its line is written again."""
    written = session().read_bytes()
    output = tmp_path / "out.jsonl"
    for lines in (10, None):
        text = b"\n".join(written.splitlines()[:lines])
        monkeypatch.setattr("sys.stdin", TextIOWrapper(BytesIO(text)))
        assert brim("replay", "-", "--profiles", "usable", "-o", output).code == 0
    (made,) = map(json.loads, output.read_text().splitlines())
    assert made["responses"] == len(READS)


@pytest.mark.parametrize("columns", [30, 50, 79, 80, 120])
def test_the_page_fits_the_terminal(brim, monkeypatch, session, columns):
    """No line is wider than the terminal; where it is narrow the sparkline and the tokens sent are left out."""
    monkeypatch.setenv("COLUMNS", str(columns))
    answer = brim("replay", session())
    lines = answer.out.splitlines()
    assert answer.code == 0
    assert max(len(line.rstrip()) for line in lines) <= columns
    assert any(set(line) & set(BLOCKS) for line in lines) is (columns >= 79)
    assert re.search(r"^usable +\d+ +\$\d+\.\d\d", answer.out, re.MULTILINE) or columns < 50


@pytest.mark.parametrize(
    ("windows", "width", "drawn"),
    [
        ([], 8, ""),
        ([0], 8, "▁"),
        ([100], 8, "█"),
        ([250], 8, "█"),
        ([0, 25, 50, 75, 99], 8, "▁▃▅▇█"),
        ([0, 99, 0, 0], 2, "█▁"),
    ],
)
def test_a_sparkline_shows_the_most_of_each_part(windows, width, drawn):
    """Of a window of 100 tokens; more than it holds is a full block."""
    assert sparkline(windows, width, 100) == drawn


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["nowhere.jsonl"], 1, "brim: nowhere.jsonl: No such file"),
        (["none-*.jsonl"], 1, "none-*.jsonl: No such file"),
        (["{folder}/empty"], 1, "there is no transcript in"),
        (["{file}", "--policy", "nowhere.toml"], 1, "there is no file nowhere.toml"),
        (["{file}", "--window", "0"], 2, "--window is 0"),
        (["{file}", "--check", "--profiles", "usable,windowing"], 2, "--check judges by one profile"),
        (["{file}", "--check", "--profiles", "masking"], 1, "there is no profile 'masking'"),
        (
            ["{file}", "--html", "{file}"],
            1,
            "is the transcript itself, which brim does not change; name another file with",
        ),
        (["{file}", "--html", "-"], 2, "--html writes the page of a replay into a file, and standard output has the"),
        (["{file}", "--html", "page.html", "--check"], 2, "a check has no page"),
        (["{file}", "--html", "out", "-o", "out"], 2, "-o and --html both name out; name two files"),
    ],
)
def test_a_wrong_call_is_refused_with_its_cure(brim, session, arguments, code, words):
    """Each on a line of stderr, without a traceback."""
    file = session()
    (file.parent / "empty").mkdir()
    answer = brim("replay", *(one.format(file=file, folder=file.parent) for one in arguments))
    assert (answer.code, answer.out) == (code, "")
    assert words in answer.error
    assert "Traceback" not in answer.error


def test_the_page_has_the_sessions_of_an_interrupted_run_too(brim, session, tmp_path):
    """Those that the file of JSON lines holds already, in the order in which they are named now."""
    first, second = session("harbor"), session("quay")
    common = ("--profiles", "usable", "-o", tmp_path / "lines.jsonl")
    assert brim("replay", first, *common).code == 0
    answer = brim("replay", second, first, *common, "--html", tmp_path / "page.html")
    assert (answer.code, "Written to" in answer.out + answer.error) == (0, True)
    page = (tmp_path / "page.html").read_text()
    assert 0 < page.index("quay.jsonl") < page.index("harbor.jsonl")


def test_an_unknown_price_is_the_word(brim, session):
    """A model without a listed price has no cost, and the recommendation counts tokens."""
    page = brim("replay", session(model="own-model"), "--window", "200k")
    made = brim("replay", session(model="own-model"), "--window", "200k", "--profiles", "usable", "--json").json
    assert "unknown" in page.out
    assert "$" not in page.out
    assert (made["policies"][0]["cost"], made["policies"][0]["costs"]) == ("unknown", None)
    assert "unknown for own-model" in made["assumptions"][-1]


def test_two_models_are_named(brim, tmp_path):
    """Each response has the price of its model; the window is that of the one that answered most."""
    rows = [
        {**row, "model": "claude-haiku-4-5" if number % 3 else "claude-opus-4-5"} for number, row in enumerate(ROWS)
    ]
    made = brim("replay", write_session(tmp_path, rows), "--profiles", "usable", "--json").json
    assert made["notes"][-1].startswith("2 models answered: claude-haiku-4-5, claude-opus-4-5; the window is that of")
    dear = brim("replay", write_session(tmp_path, ROWS), "--profiles", "usable", "--json").json
    assert made["policies"][0]["cost"] < dear["policies"][0]["cost"]


def test_any_executor_gives_the_same_results(session):
    """One after another, in threads, and in processes of the command."""
    files = [session(f"talk{number}") for number in range(3)]
    task = partial(replay_file, asked=Asked(), chosen=candidates(["usable", "masking"]))
    alone = list(results(task, files, None, 1))
    with ThreadPoolExecutor(2) as executor:
        threads = sorted(results(task, files, executor, 2), key=lambda one: one["file"])
    command = [sys.executable, "-m", "brim", "replay", *files, "--profiles", "usable,masking", "--json", "--jobs", "2"]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    processes = sorted(map(json.loads, told.splitlines()), key=lambda one: one["file"])
    assert threads == alone
    assert processes == json.loads(json.dumps(alone))


def on_terminal(*command):
    """The lines that a terminal of 80 columns shows when a command has ended, and all that was written to it."""
    reader, writer = os.openpty()
    running = subprocess.Popen(command, stdin=writer, stdout=writer, stderr=writer, env={**os.environ, **TERMINAL})
    os.close(writer)
    written = b""
    with suppress(OSError):  # as Linux tells the end
        while piece := os.read(reader, 65_536):
            written += piece
    os.close(reader)
    assert running.wait() == 0
    lines, row, column = [""], 0, 0
    for part in re.findall(r"\x1b\[[?0-9;]*[A-Za-z]|\r|\n|[^\x1b\r\n]+", written.decode()):
        if part == "\r":
            column = 0
        elif part == "\n":
            row, column = row + 1, 0
            lines += [""] * (row == len(lines))
        elif part.startswith("\x1b"):
            row -= int(part[2:-1]) if part.endswith("A") else 0
            lines[row] = "" if part.endswith("K") else lines[row]
        else:
            lines[row] = lines[row][:column].ljust(column) + part + lines[row][column + len(part) :]
            column += len(part)
    return lines, written.decode()


TERMINAL = {"TERM": "xterm", "COLUMNS": "80", "LINES": "30"}


def test_what_is_printed_shares_no_line_with_the_progress(session):
    """The line is there while a transcript is replayed, and away where one is told."""
    files = [str(session(f"talk{number}")) for number in range(3)]
    lines, written = on_terminal(sys.executable, "-m", "brim", "replay", *files, "--profiles", "usable")
    assert "replaying" in written
    assert [line for line in lines if "replaying" in line] == []
    assert "policy" in [line[:6] for line in lines]


@pytest.fixture(scope="module")
def scheduler():
    """The address of a real cluster's scheduler, with one worker process."""
    with LocalCluster(n_workers=1, threads_per_worker=2, dashboard_address=":0", silence_logs=50) as cluster:
        yield cluster.scheduler_address.removeprefix("tcp://")


@pytest.mark.nightly
def test_a_cluster_gives_the_same_results(brim, monkeypatch, session, scheduler):
    """The workers of a Dask cluster, which work in another folder, replay the same sessions to the same answers."""
    files = [session(f"talk{number}") for number in range(3)]
    monkeypatch.chdir(files[0].parent)
    named = [file.name for file in files]
    here = brim("replay", *named, "--profiles", "usable,masking", "--json", "--jobs", "1")
    there = brim("replay", *named, "--profiles", "usable,masking", "--json", "--engine", f"dask://{scheduler}")
    assert there.code == 0, there.error
    assert sorted(there.out.splitlines()) == sorted(here.out.splitlines())


@pytest.fixture
def impatient(monkeypatch):
    """A command that waits one second for a scheduler."""
    monkeypatch.setattr("brim.cli.replay.CONNECT", 1)


@pytest.mark.parametrize(
    ("engine", "code", "words"),
    [
        ("dask://127.0.0.1:9", 1, "no Dask scheduler answered at tcp://127.0.0.1:9 within 1 seconds"),
        ("dask://nowhere", 2, "--engine is 'dask://nowhere'; it is local, or dask://HOST:PORT of a scheduler"),
        ("ray", 2, "--engine is 'ray'; it is local, or dask://HOST:PORT of a scheduler"),
    ],
)
@pytest.mark.usefixtures("impatient")
def test_an_engine_that_is_not_there_is_named(brim, session, engine, code, words):
    """What does not answer, and what is no engine."""
    answer = brim("replay", session(), "--engine", engine)
    assert answer.code == code
    assert words in " ".join(answer.error.split())


def test_a_server_that_is_no_scheduler_is_named(brim, session):
    """It answers with something else, which a client of Dask reads as a size of exabytes."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]

        def refuse():
            connection, _ = server.accept()
            with connection:
                connection.sendall(b"HTTP/1.1 400 Bad Request\r\n" * 9)

        threading.Thread(target=refuse).start()
        answer = brim("replay", session(), "--engine", f"dask://127.0.0.1:{port}")
    assert (answer.code, answer.error.count("\n")) == (1, 1), answer.error
    assert f"no Dask scheduler answered at tcp://127.0.0.1:{port}" in answer.error


def test_a_fault_of_one_transcript_is_its_own(session, monkeypatch):
    """Whatever goes wrong with it is named, and the others go on."""
    monkeypatch.setattr("brim.cli.replay.read_file", lambda file, **told: 1 / 0)
    made = replay_file(session(), asked=Asked(), chosen=[COMPARED["usable"]])
    assert made["error"] == "it could not be replayed: ZeroDivisionError: division by zero"


def test_without_jinja2_a_page_names_its_installation_before_the_work(brim, monkeypatch, session, tmp_path):
    """And the table and JSON need none."""
    templates.cache_clear()
    monkeypatch.setitem(sys.modules, "jinja2", None)
    page = brim("replay", session(), "--html", tmp_path / "page.html")
    assert (page.code, page.out) == (1, "")
    assert "pip install '.[replay]'" in page.error
    assert brim("replay", session(), "--profiles", "usable").code == 0
