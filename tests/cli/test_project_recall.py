"""Recall by MCP as a process of its own, asked by the client of the official SDK, over sessions of four agents."""

import asyncio
import json
import os
import re
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from brim.cli.project_recall import MAX_SESSIONS, ProjectMemory
from brim.engine.recall import MAX_TOKENS
from brim.tokens.estimation import estimate_tokens
from steps import foreign_transcripts as foreign
from steps.kept_sessions import claude_code, codex, write

NEWEST = "Which harbour is it?"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A home and a project of their own."""
    for name in ("home", "project"):
        (tmp_path / name).mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("XDG_DATA_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "PI_CODING_AGENT_DIR", "OPENCODE_DB"):
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "home"


@pytest.fixture
def project(home):
    """The folder in which the agents work."""
    return (home.parent / "project").resolve()


def kept(home, project):
    """The small session of each agent where it keeps it, its path by the agent; OpenCode's is a tree."""
    cwd = str(project)
    storage = home / ".local/share/opencode/storage"
    foreign.opencode_tree(storage)
    tree = storage / "session/p/ses_1.json"
    records = [{**line, "cwd": cwd} for line in foreign.claude_code(*foreign.boundary())]
    meta, *items = foreign.codex()
    header, *entries = foreign.pi()
    paths = {
        "Claude Code": write(claude_code(home / ".claude", "claude", cwd), *records),
        "Codex": write(codex(home / ".codex", "1", cwd), {**meta, "payload": {**meta["payload"], "cwd": cwd}}, *items),
        "OpenCode": write(tree, {**json.loads(tree.read_text()), "directory": cwd}),
        "pi": write(home / ".pi/agent/sessions/x/pi.jsonl", {**header, "cwd": cwd}, *entries),
    }
    said = {
        **paths,
        "OpenCode": next(path for path in storage.rglob("prt_*.json") if foreign.ASKED in path.read_text()),
    }
    for agent, path in said.items():
        path.write_text(path.read_text().replace(foreign.ASKED, f"Where is the parser of {agent}?"))
    return paths


def asked(home, project, *calls):
    """What a server in the project answers to calls of recall, each with whether it failed; a call may be an act."""

    async def ask():
        brim = str(Path(sys.executable).with_name("brim"))
        environment = {"HOME": str(home), "PATH": os.environ["PATH"]}
        answers = []
        async with Client(StdioServerParameters(command=brim, args=["mcp"], cwd=project, env=environment)) as client:
            (tool,) = (await client.list_tools()).tools
            assert (tool.name, tool.input_schema["required"]) == ("recall", ["query"])
            for call in calls:
                if callable(call):
                    call()
                else:
                    answer = await client.call_tool("recall", call)
                    answers.append((answer.is_error, answer.content[0].text))
        return answers

    return asyncio.run(ask())


def test_sessions_of_four_agents(home, project):
    """Each answer names its session; of the newest, what a compaction replaced is found, and the rest is not."""
    paths = kept(home, project)
    os.utime(paths["Claude Code"], (4_000_000_000, 4_000_000_000))
    ((failed, text),) = asked(home, project, {"query": "parser"})
    assert not failed
    for agent, path in paths.items():
        place = f'<recalled session="{path.stem}" turn="1" message="1" from="user" time='
        assert re.search(
            f'{place}"[^"]+" match="as written">\nWhere is the parser of {re.escape(agent)}[?]\n</recalled>', text
        )
    assert foreign.SUMMARY not in text
    assert asked(home, project, {"query": '"Go on."'})[0][1].startswith("Nothing was found for '\"Go on.\"'")


def test_a_session_that_changes_is_read_again(home, project):
    """What an agent wrote since the last call is found, and what is gone with its session is not."""
    codex(home / ".codex", "one", str(project), says="The harbour code is XK-4711.")
    newest = claude_code(home / ".claude", "two", str(project), says=NEWEST)

    def go_on():
        codex(home / ".codex", "one", str(project), says="The harbour code is XK-4712 now.")
        os.utime(newest, (4_000_000_000, 4_000_000_000))

    def remove():
        (home / ".codex/sessions/2026/02/01/rollout-one.jsonl").unlink()

    call = {"query": "harbour code"}
    before, after, gone = asked(home, project, call, go_on, call, remove, call)
    assert "XK-4711" in before[1]
    assert "XK-4712" in after[1] and "XK-4711" not in after[1]
    assert "XK-" not in gone[1]


def test_no_answer_is_longer_than_its_limit(home, project):
    """Nor where queries are empty or endless, paths too, and many sessions cannot be read."""
    for number in range(9):
        path = claude_code(home / ".claude", f"{number}" * 200, str(project))
        path.write_bytes(b"\0\xff")
    for number in range(60):
        codex(home / ".codex", f"c{number}", str(project), says=f"The harbour code is XK-{number}.")
    queries = ["", "*", "x" * 100_000, "harbour code", " ".join(f"XK-{'9' * 190}-{n}" for n in range(9)) + " harbour"]
    answers = asked(
        home, project, *({"query": query} for query in queries), {}, {"query": "harbour", "tide" * 9_999: 1}
    )
    assert [failed for failed, _ in answers] == [True, True, True, False, False, True, True]
    assert "100,000 characters, and 2,000 are the most" in answers[2][1]
    assert "and 6 more" in answers[3][1]
    assert max(estimate_tokens(text) for _, text in answers) <= MAX_TOKENS


def test_nothing_is_kept(home, project):
    """Without a session the answer says so."""
    ((failed, text),) = asked(home, project, {"query": "harbour"})
    assert (failed, text) == (
        False,
        f"Nothing was found for 'harbour'; searched were 0 sessions of agents in {project}.",
    )


def test_of_many_sessions_the_newest_are_searched(home, project):
    """The answer says how many older ones there are."""
    for number in range(MAX_SESSIONS + 1):
        path = codex(home / ".codex", f"{number}", str(project), says=f"The harbour code is XK-{number}.")
        os.utime(path, (number, number))
    memory = ProjectMemory(project)
    assert "Not searched: 1 older sessions." in memory.answer({"query": "XK-1"}).text
    assert memory.answer({"query": "XK-0"}).text.startswith("Nothing was found")
    assert f"XK-{MAX_SESSIONS}." in memory.answer({"query": f"XK-{MAX_SESSIONS}"}).text  # so old, it does not ask


def test_a_call_of_recall_is_not_found_in_place_of_what_it_quotes(home, project):
    """However the agent names the tool."""
    for name in ("mcp__brim__recall", "brim_recall"):
        call = {"type": "tool_use", "id": "c", "name": name, "input": {"query": "harbour code"}}
        result = {"type": "tool_result", "tool_use_id": "c", "content": "The harbour code is XK-4711."}
        lines = [
            {"type": role, "uuid": f"u{n}", "parentUuid": f"u{n - 1}" if n else None, "cwd": str(project),
             "message": {"role": role, "content": content}}
            for n, (role, content) in enumerate((("user", "Go."), ("assistant", [call]), ("user", [result])))
        ]  # fmt: skip
        path = write(claude_code(home / ".claude", name, str(project)), *lines)
        os.utime(path, (1, 1))
    claude_code(home / ".claude", "newest", str(project), says=NEWEST)
    assert ProjectMemory(project).answer({"query": "harbour code"}).text.startswith("Nothing was found")


def test_without_the_extra(monkeypatch, brim):
    """The command says what to install."""
    monkeypatch.setitem(sys.modules, "mcp.server.lowlevel", None)
    answer = brim("mcp")
    assert (answer.code, "pip install '.[mcp]'" in answer.error) == (1, True)
