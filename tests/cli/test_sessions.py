import contextlib
import json
import os
import shutil
import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brim.cli.sessions.pages import ago, gist
from brim.compaction.plan import plan_compaction
from brim.compaction.result import compact_without_model
from brim.conversation.messages import read_message
from brim.sessions.file_store import FileStore
from brim.sessions.records import ClearedOutput, PruningRecord
from brim.tokens.usage import TokenUsage
from steps.file_cells import contents
from steps.policies import SMALL_TARGET
from steps.postgres import database  # noqa: F401  a fixture
from steps.prerequisites import sized
from tests.cli.conftest import Answer
from tests.cli.conversations import LIMITS, RECORDING, conversation
from tests.cli.test_bad_input import refused
from tests.cli.test_process import run


def shown(brim, name):
    """What is shown of a session, for programs."""
    return brim("sessions", "show", name, "--json").json


@pytest.fixture
def wide(monkeypatch):
    """Lines that no path of a test's folder breaks."""
    monkeypatch.setenv("COLUMNS", "400")


def test_nothing_is_written_by_looking(brim, wide, home):
    """Where there is no store yet, the list is empty and says why, a search finds nothing, and no store is made."""
    assert brim("sessions", "list").out.split()[:4] == ["No", "sessions", "in", str(home)]
    listed = brim("sessions", "list", "--json").json
    (note,) = listed.pop("notes")
    assert note.startswith(f"{home} does not exist yet")
    assert listed == {"store": str(home), "project": None, "sessions": [], "more": 0}
    assert brim("sessions", "search", "parser", "--json").json["hits"] == []
    refused(brim("sessions", "show", "nobody"), 1, "there is no session nobody")
    assert not home.exists()


def test_readers_change_nothing(brim, compacted, home):
    """Whatever only looks leaves every file as it is, and makes none; a search fills the index."""
    before = contents(home)
    for command in ("show", "resume", "expand"):
        assert brim("sessions", command, compacted).code == 0
    assert brim("sessions", "list").code == 0
    assert contents(home) == before
    assert brim("sessions", "search", "module").code == 0
    assert {path.name for path, data in contents(home).items() if before.get(path) != data} == {"index.sqlite"}


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_the_list_fits_the_terminal(brim, compacted, monkeypatch, columns):
    """Ids stand whole at any width, and titles are cropped; no line is longer than the terminal."""
    monkeypatch.setenv("COLUMNS", str(columns))
    listed = [line for line in brim("sessions", "list").out.splitlines() if "sessions in" not in line]
    assert any(compacted in line for line in listed)
    assert any("The parser"[: columns // 8] in line for line in listed)
    assert max(map(len, listed)) <= columns


@pytest.mark.parametrize("columns", [40, 80])
def test_a_project_or_model_of_several_lines(brim, home, monkeypatch, columns):
    """It stands on one line, in the list and at the head of a page; programs get it as it is."""
    monkeypatch.setenv("COLUMNS", str(columns))
    with FileStore(home).create(project="/home/dev/a\n b\tc", title="A\ntitle", model="some\nmodel") as session:
        session.append({"role": "user", "content": "Hello."})
    lines = brim("sessions", "list").out.splitlines()
    assert len([line for line in lines if "a b c" in line and "A title" in line]) == 1
    for command in ("show", "resume"):
        assert brim("sessions", command, session.id).out.splitlines()[2] == "/home/dev/a b c · some model"
    assert shown(brim, session.id)["project"] == "/home/dev/a\n b\tc"


def test_the_list_of_one_project(brim, compacted, monkeypatch):
    """A project is named by its directory, whole or from where one stands; for programs times are numbers."""
    monkeypatch.chdir("/")
    for project in ("/home/dev/parser", "home/dev/parser", "/home/dev/parser/"):
        (one,) = brim("sessions", "list", "--project", project, "--json").json["sessions"]
        assert (one["id"], one["title"], one["project"]) == (compacted, "The parser", "/home/dev/parser")
    assert "No sessions of the project /nowhere" in brim("sessions", "list", "--project", "/nowhere").out


def test_the_page_of_a_session(brim, compacted):
    """It tells what the session is, how full its window is, what the model sees and what was compacted."""
    page = brim("sessions", "show", compacted).out
    for told in ("The parser", compacted, "/home/dev/parser", "of 128,000 tokens", "48 were recorded", "stands"):
        assert told in page
    assert max(len(line) for line in page.splitlines() if not line.startswith("/")) <= 80
    found = shown(brim, compacted)
    assert (found["messages_recorded"], found["window"], found["id"]) == (48, 128_000, compacted)
    assert [(one["kind"], one["state"]) for one in found["changes"]] == [("compaction", "stands")]
    rounded = sum(found["composition"].values()) - found["window_now"]
    assert 0 <= rounded < len(found["composition"])


@pytest.mark.parametrize("columns", [40, 44, 45, 60, 72, 80])
@pytest.mark.parametrize("command", [("show", "--messages"), ("expand",), ("show", "--window", "200000")])
def test_pages_fit_the_terminal(brim, compacted, monkeypatch, columns, command):
    """No line is longer than the terminal but the path of the log; what a message says begins to be read on it."""
    monkeypatch.setenv("COLUMNS", str(columns))
    name, *options = command
    page = brim("sessions", name, compacted, *options).out.splitlines()
    assert [line for line in page if len(line) > columns and not line.startswith("/")] == []
    assert [line for line in page if line != line.rstrip() and line.strip()[-1:].isalnum()] == []
    if name == "expand":
        assert any("Please look at modu" in line for line in page)
    elif "--messages" not in options:
        assert any(line.startswith("tool outputs") and "%" in line for line in page)


def test_a_window_that_its_parts_exceed(brim, home):
    """Where the texts come to more than the API counted, the page says so; where they do not, it says nothing."""
    with FileStore(home).create() as session:
        session.extend(conversation(1))
        session.record(TokenUsage(input=500, output=20))
    page = brim("sessions", "show", session.id).out
    assert "The window now  520 tokens" in page
    told = shown(brim, session.id)
    whole = sum(told["composition"].values())
    assert f"are estimated from the texts: {whole:,} tokens in all. The API counted fewer." in " ".join(page.split())
    with FileStore(home).open(session.id) as again:
        again.record(TokenUsage(input=whole + 500, output=20))
    assert "estimated from the texts" not in " ".join(brim("sessions", "show", session.id).out.split())


def test_the_messages_of_a_page(brim, compacted):
    """Each visible message stands on a line with its record."""
    page = brim("sessions", "show", compacted, "--messages").out
    assert [name for name in shown(brim, compacted)["ids"] if name and f"  {name}  " not in page] == []


def test_a_session_by_a_part_of_its_id(brim, compacted):
    """The beginning or the end of an id is enough where it is that of one alone."""
    assert shown(brim, compacted[-8:])["id"] == compacted
    refused(brim("sessions", "show", compacted[-3:]), 1, "there is no session")
    refused(brim("sessions", "show", compacted[:4]), 1, "may be any of 2 sessions")


def test_the_messages_for_the_next_request(brim, compacted, home, tmp_path):
    """They are what the model sees: printed for programs, written where asked to, and read as a transcript."""
    with FileStore(home).read(compacted) as session:
        messages = [dict(message.raw) for message in session.view().messages]
    assert brim("sessions", "resume", compacted, "--json").json == {"messages": messages}
    page = brim("sessions", "resume", compacted, "-o", tmp_path / "next.json").out
    assert f"{len(messages)} messages for the next request" in page
    assert "Written to" in page
    assert json.loads((tmp_path / "next.json").read_text(encoding="utf-8")) == {"messages": messages}
    assert brim("inspect", tmp_path / "next.json", "--json").json["messages"] == len(messages)


def test_what_is_no_ordinary_file_is_written_to(brim, compacted):
    """Such as the place where nothing is kept."""
    assert "Written to /dev/null" in brim("sessions", "resume", compacted, "-o", os.devnull).out


def test_a_call_without_its_result(brim, home):
    """It gets one that says so, and the page tells it."""
    with FileStore(home).create() as session:
        session.extend(conversation(1)[:2])
    assert "1 tool call had no result and got one" in brim("sessions", "resume", session.id).out


def test_an_undo_and_its_redo(brim, compacted, home):
    """The model sees every message again, then the summary again; the log only grows."""
    before, log = shown(brim, compacted), next(home.glob(f"sessions/*/{compacted}.jsonl"))
    old = log.read_bytes()
    undone = brim("sessions", "undo", compacted, "--json").json
    assert (undone["of"], undone["messages"]) == (before["compaction"], 48)
    assert [one["state"] for one in shown(brim, compacted)["changes"]] == ["undone"]
    assert "brim sessions undo takes it back" in brim("sessions", "redo", compacted).out
    assert shown(brim, compacted)["ids"] == before["ids"]
    refused(brim("sessions", "redo", compacted), 1, "no undo to take back")
    assert log.read_bytes().startswith(old)


def compact_once_more(session):
    """Compact a session that grew."""
    session.extend(conversation(12))
    window = session.view().window(LIMITS, SMALL_TARGET)
    return session.compacted(compact_without_model(plan_compaction(window)))


@pytest.fixture
def twice(compacted, home):
    """The compacted session after a failure and a second compaction; the two compactions."""
    with FileStore(home).open(compacted) as session:
        first = session.view().compaction
        session.failed("the provider failed")
        return first, compact_once_more(session)


def states(brim, name):
    """What became of each compaction, the oldest first."""
    return [one["state"] for one in shown(brim, name)["changes"]]


def test_what_became_of_each_compaction(brim, compacted, twice, home):
    """It stands or was replaced, it failed, was undone, or was rewound; and clearings and rewinds are listed too."""
    first, _ = twice
    assert states(brim, compacted) == ["replaced", "failed", "stands"]
    brim("sessions", "undo", compacted)
    assert states(brim, compacted) == ["stands", "failed", "undone"]
    brim("sessions", "redo", compacted)
    with FileStore(home).open(compacted) as session:
        session.rewind(first)
        session.write(PruningRecord, cleared=(ClearedOutput(call="call-11"),), saved=7)
    assert states(brim, compacted) == ["stands", "failed", "rewound", "stands", "stands"]
    page = brim("sessions", "show", compacted).out
    assert "1 tool output cleared, 7 tokens" in page
    assert "the provider failed" in page


def test_many_compactions(brim, compacted, home):
    """The page shows the newest ten, and says how many more there are."""
    with FileStore(home).open(compacted) as session:
        for number in range(12):
            session.failed(f"failure {number}")
    page = brim("sessions", "show", compacted).out
    assert "and 3 more that --json names" in page
    assert "failure 2" in page
    assert "failure 1\n" not in page


def test_expanding_what_went_into_a_summary(brim, compacted, twice):
    """The messages of an earlier summary come first, and each summary can be asked for by a part of its id."""
    first, second = twice
    found = brim("sessions", "expand", compacted, "--json").json
    assert (found["compaction"], found["earlier"][0]["compaction"]) == (second, first)
    page = brim("sessions", "expand", compacted).out
    assert page.index(f"The summary {first} replaces") < page.index(f"The summary {second} replaces")
    assert brim("sessions", "expand", compacted, first, "--json").json == {
        **found["earlier"][0],
        "earlier": [],
        "rewind": None,
        "notes": [],
    }
    refused(brim("sessions", "expand", compacted, first[:5]), 1, "may be any of 3 records")


def test_expanding_a_rewind(brim, compacted):
    """The messages that it took out, by its id or a part of that; an undone rewind is opened too."""
    before = shown(brim, compacted)["ids"][-2:]
    rewind = brim("sessions", "rewind", compacted, before[0], "--json").json
    assert (rewind["to"], rewind["of"]) == (before[0], None)
    for _ in range(2):
        found = brim("sessions", "expand", compacted, rewind["record"][-12:], "--json").json
        assert (found["rewind"], [one["id"] for one in found["messages"]]) == (rewind["record"], before[1:])
        assert "took out 1 message" in brim("sessions", "expand", compacted, rewind["record"]).out
        brim("sessions", "undo", compacted)


def test_expanding(brim, compacted):
    """The messages a summary stands for, by the one that stands or by a part of its id."""
    made = shown(brim, compacted)["compaction"]
    found = brim("sessions", "expand", compacted, "--json").json
    assert (found["compaction"], found["session"], found["earlier"]) == (made, compacted, [])
    assert found["messages"][0]["message"]["content"] == "Please look at module 0."
    assert brim("sessions", "expand", compacted, made[-10:], "--json").json == found
    assert f"replaces {len(found['messages'])} messages" in brim("sessions", "expand", compacted).out


def test_a_summary_that_took_in_another(brim, compacted, twice):
    """How many messages it stands for is told in both places, with the summary before it."""
    page = " ".join(brim("sessions", "show", compacted).out.split())
    whole = brim("sessions", "expand", compacted, "--json").json
    own, before = len(whole["messages"]), len(whole["earlier"][0]["messages"])
    assert f"{own + 1} messages summarized, the summary before among them" in page
    assert f"{before} messages summarized, " in page
    told = " ".join(brim("sessions", "expand", compacted).out.split())
    assert f"replaces {before} messages " in told
    assert f"replaces the one above and {own} more messages " in told


def test_searching(brim, compacted):
    """What was compacted away is found with its turn and message, in all sessions, one project or one session."""
    (hit, *_) = brim("sessions", "search", '"module 1."', "--json").json["hits"]
    assert (hit["session"], hit["turn"], hit["number"], hit["state"]) == (compacted, 2, 5, "compacted")
    page = brim("sessions", "search", "module", "1", "--session", compacted).out
    assert f"session {compacted}" in page
    assert "turn 2, message 5, user, just now, compacted" in page
    for options in (("--project", "/home/dev/lexer"), ("--project", "/work/none")):
        hits = brim("sessions", "search", "module", *options, "--json").json["hits"]
        assert compacted not in {hit["session"] for hit in hits}
    assert len(brim("sessions", "search", "module", "--limit", "3", "--json").json["hits"]) == 3


def test_forking(brim, compacted):
    """A fork sees what its parent saw, whole or up to a message, and the parent stays as it was."""
    before = shown(brim, compacted)
    made = brim("sessions", "fork", compacted, "--title", "Another way", "--json").json
    fork = shown(brim, made["session"])
    assert (fork["parent"], fork["title"], fork["messages"]) == (compacted, "Another way", before["messages"])
    at = brim("sessions", "expand", compacted, "--json").json["messages"][1]["id"]
    assert "begins with 3 messages" in brim("sessions", "fork", compacted, "--at", at).out
    assert brim("sessions", "fork", compacted, "--at", at, "--json").json["at"] == at
    assert shown(brim, compacted) == before


def test_renaming(brim, compacted):
    """The new title is one line, and the old one is told to programs."""
    assert brim("sessions", "rename", compacted, "The\n lexer", "--json").json["before"] == "The parser"
    assert shown(brim, compacted)["title"] == "The lexer"
    assert "is now called Again" in brim("sessions", "rename", compacted, "Again").out
    refused(brim("sessions", "rename", compacted, " \n"), 2, "TITLE is empty")


def test_importing_and_exporting(brim, home, tmp_path):
    """A transcript becomes a session, which is written as Anthropic messages and read again as the same."""
    made = brim("sessions", "import", RECORDING, "--project", tmp_path, "--json").json
    assert (made["format"], made["messages"]) == ("anthropic-messages", 144)
    assert made["title"]
    assert shown(brim, made["session"])["project"] == str(tmp_path)
    page = brim("sessions", "export", made["session"], "-o", tmp_path / "out.json").out
    assert "144 messages that the model sees" in page.replace("\n  ", " ")
    again = brim("sessions", "import", tmp_path / "out.json", "--title", "Again").out
    assert again.startswith("Again\n")
    first, second = (brim("sessions", "resume", name, "--json").json for name in (made["session"], again.split()[1]))
    assert first == second


def test_a_tree_and_back(brim, wide, compacted, tmp_path):
    """A storage tree holds the whole log: what was compacted stands in the session that is made of it."""
    written = brim("sessions", "export", compacted, "--tree", "-o", tmp_path / "tree", "--json").json["output"]
    refused(brim("sessions", "import", tmp_path / "tree", "--project", "/x"), 2, "--project", "leave it out")
    for place in (tmp_path / "tree", written):
        made = brim("sessions", "import", place, "--json").json
        assert (made["format"], made["messages"], made["compactions"], made["title"]) == ("brim", 48, 1, "The parser")
    assert "another" in brim("sessions", "import", written, "--title", "another").out
    refused(brim("sessions", "export", compacted, "--tree", "-o", tmp_path / "tree"), 1, "already")
    assert "with everything" in brim("sessions", "export", compacted, "--tree", "-o", tmp_path / "other").out


READING = ("show", "resume", "expand", "fork")
WRITING = ("undo", "redo")
UNSAFE = {
    "a way out": "../../etc/passwd",
    "nothing": "",
    "a NUL": "a\0b",
    "300 characters": "a" * 300,
    "markup": "[red]x[/]",
}


@pytest.mark.parametrize("name", UNSAFE)
@pytest.mark.parametrize("command", [*READING, *WRITING, "rename", "export"])
def test_an_id_that_is_none(brim, compacted, tmp_path, command, name):
    """It is refused in a line before any file is looked at, and nothing is changed."""
    before = contents(tmp_path)
    more = {"rename": ("x",), "export": ("-o", tmp_path / "out")}.get(command, ())
    refused(brim("sessions", command, UNSAFE[name], *more), 1, "id")
    assert contents(tmp_path) == before


@pytest.mark.parametrize("command", [*READING, *WRITING])
def test_a_log_of_a_newer_version(brim, compacted, home, command):
    """It is refused with both versions, and left as it is."""
    log = next(home.glob(f"sessions/*/{compacted}.jsonl"))
    with log.open("ab") as handle:
        handle.write(b'{"v":99,"kind":"message","id":"7ZZZZZZZZZZZZZZZZZZZZZZZZZ","time":1}\n')
    before = log.read_bytes()
    refused(brim("sessions", command, compacted), 1, "version 99", "newer brim")
    assert log.read_bytes() == before


def test_an_index_that_is_no_database(brim, compacted, home):
    """It is made anew from the logs, which is said."""
    (home / "index.sqlite").write_text("{ no", encoding="utf-8")
    answer = brim("sessions", "list")
    assert (answer.code, answer.error) == (0, "")
    assert "Note: the index" in answer.out
    assert compacted in answer.out


def test_a_line_that_is_damaged(brim, compacted, home):
    """It is set aside and told, and the rest is shown."""
    log = next(home.glob(f"sessions/*/{compacted}.jsonl"))
    log.write_bytes(log.read_bytes() + b"{ no\n")
    assert any("was set aside: not JSON" in note for note in shown(brim, compacted)["notes"])
    assert "set aside" in brim("sessions", "show", compacted).out.replace("\n  ", " ")


STORES = {
    "an unknown kind": ("mysql://localhost/brim", 1, "no store is known for such a URL"),
    "a URL that cannot be read": ("postgresql://u:p@ss@host/db", 1, "cannot be read"),
    "no name": ("", 2, "--store is ''"),
    "a NUL": ("a\0b", 2, "--store is"),
}


@pytest.mark.parametrize("kind", STORES)
def test_a_store_that_is_none(brim, home, kind):
    """It is refused in a line that says what a store is, and never tells a password."""
    where, code, why = STORES[kind]
    answer = brim("sessions", "list", "--store", where)
    refused(answer, code, why)
    assert "p@ss" not in answer.error


@pytest.mark.parametrize(("file", "store"), [("s", "s"), ("s", "s/below"), ("s/sessions", "s")])
def test_a_file_where_a_folder_is_expected(brim, tmp_path, talk, file, store):
    """A file is no store, nor is anything below one; it stays as it is."""
    (tmp_path / file).parent.mkdir(exist_ok=True)
    (tmp_path / file).write_text("mine", encoding="utf-8")
    for command in (("list",), ("show", "nobody"), ("search", "x"), ("import", talk(conversation(1)))):
        refused(brim("sessions", *command, "--store", tmp_path / store), 1, "is no folder; name one with --store")
    assert (tmp_path / file).read_text(encoding="utf-8") == "mine"


NOBODY = 65534


@pytest.fixture
def forbidden():
    """A store that everybody but root is kept out of by the mode of its folder, which others may look into."""
    folder = Path(tempfile.mkdtemp(prefix="brim-forbidden-"))
    folder.chmod(0o755)
    FileStore(folder / "home").create().close()
    (folder / "home").chmod(0o000)
    yield folder / "home"
    (folder / "home").chmod(0o700)
    shutil.rmtree(folder)


@contextlib.contextmanager
def without_privileges():
    """Act as nobody where root acts, whom no mode keeps out."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.parametrize("command", [("list",), ("show", "nobody"), ("rename", "nobody", "x"), ("search", "x")])
def test_a_folder_without_permission(brim, forbidden, command):
    """Whoever may not look into it is told so in a line, instead of that it is empty."""
    brim("sessions", *command, "--store", forbidden / "..")  # whoever acts as nobody may be kept from importing too
    with without_privileges():
        answer = brim("sessions", *command, "--store", forbidden)
    refused(answer, 1, f"cannot look into {forbidden}: Permission denied; give yourself permission")


def test_a_session_that_another_process_writes(brim, compacted, home):
    """It can be read meanwhile, and who holds it is told to whoever would write it."""
    with FileStore(home).open(compacted):
        assert brim("sessions", "show", compacted).code == 0
        refused(brim("sessions", "undo", compacted), 1, "is open in this very process")
        other = run("sessions", "undo", compacted)
    refused(Answer(other.returncode, other.stdout, other.stderr), 1, f"is being written by process {os.getpid()}")


WRONG = {
    "no such command": (("drop",), "No such command 'drop'"),
    "no id": (("show",), "Missing argument 'ID'"),
    "no title": (("rename", "nobody"), "Missing argument 'TITLE'"),
    "no place": (("export", "nobody"), "--output"),
    "no words": (("search",), "Missing argument 'WORDS"),
    "no messages": (("search", "x", "--limit", "0"), "--limit is 0"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_usage(brim, home, kind):
    """It takes one line to say what is wrong."""
    arguments, why = WRONG[kind]
    refused(brim("sessions", *arguments), 2, why)


PLACES = {"a folder": (".", "is a folder"), "no folder": ("none/x.json", "there is no folder")}


@pytest.mark.parametrize("command", ["resume", "export"])
@pytest.mark.parametrize("kind", PLACES)
def test_a_place_that_cannot_be_written(brim, compacted, tmp_path, command, kind):
    """It is refused, and nothing is written."""
    place, why = PLACES[kind]
    before = sorted(tmp_path.rglob("*"))
    refused(brim("sessions", command, compacted, "-o", tmp_path / place), 1, why)
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize("options", [(), ("--tree",)])
def test_a_place_with_a_nul(brim, compacted, options):
    """No system has such a name."""
    refused(brim("sessions", "export", compacted, "-o", "a\0b", *options), 2, "embedded null byte")


@pytest.mark.parametrize("command", ["resume", "export"])
def test_the_log_is_never_written_over(brim, compacted, home, command):
    """The log of the session is no place for its messages."""
    log = next(home.glob(f"sessions/*/{compacted}.jsonl"))
    before = log.read_bytes()
    refused(brim("sessions", command, compacted, "-o", log), 1, "brim does not change")
    assert log.read_bytes() == before


def test_a_time_that_no_calendar_has_is_a_dash():
    """Nothing is said of a time that has no date."""
    assert ago(10**18, 10**19) == "–"


@settings(suppress_health_check=list(HealthCheck), max_examples=sized(12, nightly=200))
@given(st.text(max_size=80), st.text(max_size=40))
def test_whatever_a_session_says_can_be_shown(brim, tmp_path_factory, words, title):
    """Any words and any title are listed and shown on lines of their own, and obeyed by no terminal."""
    home = tmp_path_factory.mktemp("any") / "home"
    with FileStore(home).create(title=title, project=title) as session:
        session.append({"role": "user", "content": words})
    for command in (("list",), ("show", session.id, "--messages"), ("resume", session.id)):
        answer = brim("sessions", *command, "--store", home)
        assert (answer.code, answer.error) == (0, "")
        assert all(sign.isprintable() or sign == "\n" for sign in answer.out)


def test_a_message_on_a_line():
    """What it says, calls and answers, in this order."""
    call = {"type": "tool_use", "id": "a", "name": "Read", "input": {"path": "a.py", "lines": 3}}
    image = {"type": "image", "source": {}}
    empty = {"type": "tool_result", "tool_use_id": "a", "content": ""}
    pictured = {"type": "tool_result", "tool_use_id": "a", "content": [image]}
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "s"}
    blocks = [thought, {"type": "text", "text": "Now\nthis:"}, call]
    assert (
        gist(read_message({"role": "assistant", "content": blocks}))
        == "(thinking) · Now this: · Read(path=a.py, lines=3)"
    )
    told = gist(read_message({"role": "user", "content": [empty, pictured, image]}))
    assert told == "(nothing) · (an image) · (an image or a document)"


@pytest.mark.peers
def test_all_of_it_on_a_server(brim, home, tmp_path, database):  # noqa: F811
    """The same commands on PostgreSQL, named by its URL; nothing but the index of the search lies in the folder."""
    store = ("--store", database.new_store())
    made = brim("sessions", "import", RECORDING, "--title", "Recorded", "--json", *store).json["session"]
    assert [one["id"] for one in brim("sessions", "list", "--json", *store).json["sessions"]] == [made]
    assert brim("sessions", "show", made[-8:], "--json", *store).json["messages"] == 144
    assert brim("sessions", "search", "the", "--limit", "2", "--json", *store).json["hits"][0]["session"] == made
    fork = brim("sessions", "fork", made, "--title", "Another", "--json", *store).json
    assert brim("sessions", "rename", fork["session"], "Forked", *store).code == 0
    refused(brim("sessions", "undo", made, *store), 1, "nothing to undo")
    refused(brim("sessions", "expand", made, *store), 1, "no summary to expand")
    limits = ("--window", "32k", "--max-output", "4k")
    compacted = brim("sessions", "compact", made, *limits, "--json", *store).json
    assert (compacted["filled_before"], compacted["filled_after"], len(compacted["kept"])) == (203, 24, 22)
    assert brim("sessions", "rewind", made, "3", "--json", *store).json["messages"] == 32
    assert brim("sessions", "undo", made, "--json", *store).json["messages"] == 23
    taken = brim("sessions", "import-context", fork["session"], "--from", made, "--json", *store).json
    assert taken["messages"] == taken["messages_before"] + 1
    assert brim("sessions", "undo", made, "--json", *store).json["messages"] == 144
    brim("sessions", "export", made, "--tree", "-o", tmp_path / "tree", *store)
    assert brim("sessions", "import", tmp_path / "tree", "--json", *store).json["messages"] == 144
    refused(brim("sessions", "show", "../../x", *store), 1, "no safe name")
    assert [path.name.partition("-")[0] for path in home.glob("*.sqlite")] == ["index"]
