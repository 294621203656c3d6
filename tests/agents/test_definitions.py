"""Definitions of agents: files that are no definition, and what holds for every text."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.agents.definitions import AGENTS, MAX_FILE_BYTES, AgentFiles, decide_for, load_agents, read_markdown
from brim.agents.permissions import Place, input_of, read_permissions
from brim.errors import InvalidInput
from tests.summary.tables import described, rows

PLACE = Place("/project", home="/home/user", resolve=lambda path: path)
GOOD = "---\nname: good\ndescription: x\n---\nBe brief.\n"


def opencode_settings(folder: Path, text: str) -> AgentFiles:
    """What a project with these settings of OpenCode loads."""
    (folder / "opencode.json").write_text(text, encoding="utf-8", errors="surrogatepass", newline="")
    return load_agents(folder, folder / "home")


@pytest.fixture
def project(tmp_path) -> Path:
    """A project with one good definition."""
    folder = tmp_path / ".claude" / "agents"
    folder.mkdir(parents=True)
    (folder / "good.md").write_text(GOOD, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("turn", [1, -1])
def test_sets_of_one_style_are_read_together(turn):
    """A program may put rules of its own beside the project's, in front of them or behind: a denial holds."""
    sets = [
        read_permissions("claude-code", {"deny": ["Write"]}),
        read_permissions("claude-code", {"allow": ["Write", "Read"]}),
    ]
    decided = [
        decide_for(AGENTS["build"], tool, {"file_path": "a"}, project=sets[::turn], place=PLACE)
        for tool in ("Write", "Read")
    ]
    assert [one.action for one in decided] == ["deny", "allow"]


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (b"---\nname: \xff\n---\n", "bad.md: it is not UTF-8; save it as that"),
        (b"---\n" + b"x" * MAX_FILE_BYTES, "bad.md: it has 1,000,004 bytes; at most 1,000,000 are read"),
        (b"", "bad.md:1: there is no front matter"),
        (b"\0\1\2", "bad.md:1: there is no front matter"),
        (b"---\n? [a]\n: b\n---\n", "bad.md:"),
        (b"---\nname: !!python/object:os.system x\n---\n", "the front matter does not parse"),
        (b"---\na: &a [*a]\n---\n", "bad.md:"),
    ],
)
def test_a_file_that_is_no_definition_is_named_and_the_others_are_read(project, data, says):
    """Whatever its bytes are."""
    (project / ".claude" / "agents" / "bad.md").write_bytes(data)
    files = load_agents(project, project / "home")
    assert "good" in files.agents
    assert len(files.faults) == 1
    assert says in files.faults[0]


def test_a_file_of_another_system_is_read(project):
    """With a byte order mark and line ends of Windows."""
    text = "\ufeff" + GOOD.replace("good", "other").replace("\n", "\r\n")
    (project / ".claude" / "agents" / "other.md").write_bytes(text.encode())
    files = load_agents(project, project / "home")
    assert (files.faults, files.agents["other"].prompt) == ((), "Be brief.")


def test_a_folder_in_place_of_a_file_is_passed_over(project):
    """And so is a link that leads nowhere."""
    (project / ".claude" / "agents" / "folder.md").mkdir()
    (project / ".claude" / "agents" / "link.md").symlink_to("nowhere")
    (project / "opencode.json").mkdir()
    assert load_agents(project, project / "home").faults == ()


@given(st.text(), st.sampled_from(["claude-code", "opencode"]))
def test_every_text_is_a_definition_or_refused(text, style):
    """In both forms, with an error that names the file."""
    for front in (text, f"---\n{text}\n---\n", f"---\nname: a\ndescription: {text}\n---\n"):
        try:
            read_markdown(front, style, name="a", origin="a.md")
        except InvalidInput as error:
            assert str(error).startswith("a.md:")


@given(st.text())
def test_every_text_is_settings_or_a_fault_of_their_file(text):
    """The agents that are built in are there."""
    with TemporaryDirectory() as folder:
        files = opencode_settings(Path(folder), text)
        assert all(fault.startswith(f"{folder}/opencode.json:") for fault in files.faults)
        assert set(AGENTS) <= set(files.agents) or files.faults == ()


def test_settings_that_are_nested_too_deep_are_refused(tmp_path):
    """Python gives up, and that is a fault."""
    assert "it cannot be read" in "".join(opencode_settings(tmp_path, "[" * 100_000).faults)


def test_rules_of_two_systems_hold_together():
    """An agent with rules of OpenCode in a project of Claude Code is judged by both."""
    project = [read_permissions("claude-code", {"allow": ["Bash(ls *)"], "deny": ["Read(secrets/**)"]})]

    def verdict(tool: str, subject: str) -> str:
        given = input_of(tool, subject)
        return decide_for(AGENTS["explore"], tool, given, project=project, place=PLACE).action

    assert [verdict("Bash", "ls"), verdict("Bash", "make"), verdict("Read", "secrets/a")] == ["allow", "deny", "deny"]


LOADED = """
import sys
from pathlib import Path
from brim.agents.definitions import load_agents
for depth in sys.argv[1:]:
    files = load_agents(Path(depth), Path("none"))
    print(depth, ("a" in files.agents) + len(files.faults), flush=True)
"""
DEPTHS = ("10", "1900", "4900", "20000", "100000")


@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_front_matter_that_is_nested_deeply_ends_no_process(tmp_path, opening):
    """It is read, or is a fault of its file; the agents that are built in are there."""
    closing = {"[": "]", "{a: ": "}"}.get(opening, "")
    for depth in DEPTHS:
        nested = f"{opening * int(depth)}1{closing * int(depth)}"
        (tmp_path / depth / ".claude" / "agents").mkdir(parents=True)
        text = f"---\nname: a\ndescription: x\nb:\n  {nested}\n---\nBe brief.\n"
        (tmp_path / depth / ".claude" / "agents" / "a.md").write_text(text, encoding="utf-8")
    command = [sys.executable, "-c", LOADED, *DEPTHS]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "".join(f"{depth} 1\n" for depth in DEPTHS)), done.stderr


@pytest.mark.parametrize(
    "text",
    [
        '{"permissions": {"deny": ["Bash(rm *)", "Read()"]}}',
        '{"permissions": {"deny": ["Bash(rm *)"], "deny": []}}',
        '{"permissions": {"deny": ["Bash(rm *)"], "denied": ["Read"]}}',
        '{"permissions": {"deny": "Read"}}',
        '{"permissions": ["Read"]}',
        '{"permission": {"deny": ["Read"]}}',
        '{"permissions": {}, "permissions": {}}',
        '{"permissions": ',
    ],
)
def test_behind_a_rule_that_cannot_be_read_every_use_is_asked_about(tmp_path, text):
    """Whatever the other files allow."""
    folder = tmp_path / "project/.claude"
    folder.mkdir(parents=True)
    allowed = '{"permissions": {"allow": ["Bash", "Read", "Edit"]}}'
    (folder / "settings.json").write_text(allowed, encoding="utf-8")
    (folder / "settings.local.json").write_text(text, encoding="utf-8")
    files = load_agents(tmp_path / "project", tmp_path / "home")
    given = [("Bash", {"command": "rm -rf src"}), ("Read", {"file_path": "a"}), ("Edit", {"file_path": "a"})]
    place = Place(str(tmp_path / "project"))
    decided = [decide_for(AGENTS["build"], *one, project=files.permissions, place=place).action for one in given]
    assert (decided, len(files.faults)) == (["ask", "ask", "ask"], 1)


def test_a_folder_that_may_not_be_looked_into_is_named(tmp_path, monkeypatch):
    """And every use is asked about: it may hold a rule that denies."""
    refuse = PermissionError(13, "Permission denied")
    monkeypatch.setattr(
        Path, "is_file", lambda path: (_ for _ in ()).throw(refuse) if path.name == "opencode.json" else False
    )
    files = load_agents(tmp_path, tmp_path / "home")
    assert {fault.partition(": ")[2] for fault in files.faults} == {"Permission denied; let it be read"}
    assert decide_for(AGENTS["build"], "Read", {"file_path": "a"}, project=files.permissions).action == "ask"


@pytest.mark.nightly
def test_fields_that_are_repeated_cost_what_the_text_costs(tmp_path):
    """A file of 50,000 fields is read at once."""
    fields = ", ".join(f'"field-{number}": {{}}' for number in range(50_000))
    start = process_time()
    assert "a" in opencode_settings(tmp_path, "{" + fields + ', "agent": {"a": {"description": "x"}}}').agents
    assert process_time() - start < 10


@pytest.mark.nightly
@pytest.mark.parametrize(
    "text", ['{"a": "' + '\\"' * 100_000, "{" + "/*" * 100_000, "{" + '"' * 100_001, "{" + ", " * 100_000]
)
def test_comments_cost_what_the_text_costs(tmp_path, text):
    """Text that is no JSON is refused at once."""
    start = process_time()
    assert "it is no JSON" in "".join(opencode_settings(tmp_path, text).faults)
    assert process_time() - start < 5


DATA = Path(__file__).parent / "data"
VERDICTS = {"allow": "allowed", "ask": "asked about", "deny": "denied"}


def load(project: Path, row: dict[str, str]) -> AgentFiles:
    """What a project with the file of a row has; JSON is written there with single quotation marks."""
    if row["file"]:
        path = project / row["file"]
        path.parent.mkdir(parents=True, exist_ok=True)
        text = row["text"]
        path.write_text(text.replace("'", '"') if path.suffix == ".json" else text, encoding="utf-8")
    return load_agents(project, project / "home")


@pytest.mark.parametrize("row", rows(DATA / "agent_uses.tsv"), ids=described)
def test_what_an_agent_may_do(tmp_path, row):
    """By what is built in, by its definition and by the project's rules (AGT_01, AGT_02)."""
    files = load(tmp_path, row)
    tool, _, subject = row["use"].partition("(")
    given = input_of(tool, subject.removesuffix(")"))
    place = Place(str(tmp_path), home=str(tmp_path / "home"), resolve=lambda path: path)
    decided = decide_for(files.agents[row["agent"]], tool, given, project=files.permissions, place=place)
    assert VERDICTS[decided.action] == row["verdict"]


@pytest.mark.parametrize("row", rows(DATA / "agent_fields.tsv"), ids=described)
def test_what_a_definition_says(tmp_path, row):
    """In the forms of Claude Code and OpenCode (AGT_02)."""
    agent = load(tmp_path, row).agents[row["agent"]]
    if row["field"] == "tools":
        tools = [one.permission + (f"({one.pattern})" if one.pattern != "*" else "") for one in agent.tools or ()]
        assert (", ".join(tools) or "all") == row["value"]
    else:
        assert (getattr(agent, row["field"]) or "") == row["value"]


@pytest.mark.parametrize("row", rows(DATA / "agent_faults.tsv"), ids=described)
def test_a_fault_is_named_with_its_file_line_and_field(tmp_path, row):
    """And the agents that are built in are there (AGT_02)."""
    files = load(tmp_path, row)
    assert row["fault"] in "\n".join(files.faults)
    assert set(AGENTS) <= set(files.agents)


def test_a_number_of_5000_digits_in_the_settings_is_a_fault(tmp_path):
    """The file cannot be read, so that every use of a tool is asked about (AGT_02)."""
    files = opencode_settings(tmp_path, f'{{"agent": {{"a": {{"model": {"1" * 5_000}}}}}}}')
    assert "opencode.json: it cannot be read" in "".join(files.faults)
    assert [rule.action for one in files.permissions for rule in one.rules] == ["ask"]
    assert set(AGENTS) <= set(files.agents)


def test_a_description_of_10000_characters_is_one(tmp_path):
    """Its agent is asked as any other (AGT_02)."""
    row = {"file": ".claude/agents/a.md", "text": f"---\nname: a\ndescription: {'x' * 10_000}\n---\n"}
    agent = load(tmp_path, row).agents["a"]
    assert decide_for(agent, "Read", {"file_path": "a.py"}, place=PLACE).action == "ask"
