"""Loading: whatever is in the files, a session begins, and each fault is named once with its file."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.engine.compactor import Compactor
from brim.engine.conversation import Conversation
from brim.errors import InvalidInput
from brim.memory import Memory, MemorySettings
from brim.memory.imports import find_imports
from brim.memory.settings import read_settings
from brim.models import ModelLimits
from brim.testing import MessagesServer, too_long
from steps.prerequisites import sized

NAMES = ("CLAUDE.md", "a.md", "b.md")
WORDS = st.sampled_from(
    (
        "@a.md",
        "@b.md",
        "@./a.md",
        "@../x.md",
        "@CLAUDE.md",
        "`@a.md`",
        "```",
        "---\n",
        "<!--",
        "-->",
        "\n",
        "é",
        "@",
        "- ",
    )
)
LIMIT = 8
"""Four times the text takes at most so many times as long."""


@given(st.lists(st.one_of(st.lists(WORDS, max_size=8), st.binary(max_size=30)), min_size=3, max_size=3))
def test_no_file_stops_a_session(contents):
    """Files that import each other, in any state; none is loaded twice."""
    with TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        for name, content in zip(NAMES, contents, strict=True):
            data = content if isinstance(content, bytes) else " ".join(content).encode()
            (root / name).write_bytes(data)
        memory = Memory.read(root)
        paths = [file.path for file in memory.files if file.path.is_relative_to(root)]
        assert len(paths) == len(set(paths))
        assert all(str(root) in warning for warning in memory.warnings)


@pytest.mark.nightly
@pytest.mark.parametrize("text", ["@", "@a ", "`@a` ", "<!-- @a", "[@a](", "**@a", "@\\ ", "> @a\n", "@a\n\n"])
def test_imports_cost_what_the_text_costs(text):
    """Four times the text, at most eight times the time."""

    def seconds(size: int) -> float:
        whole = text * (size // len(text))
        began = process_time()
        for _ in find_imports(whole):
            pass
        return process_time() - began

    seconds(1_000)
    assert seconds(40_000) <= LIMIT * seconds(10_000) + 0.3


def test_a_warning_reaches_the_program(tmp_path):
    """Each is a warning of Python too."""
    (tmp_path / "CLAUDE.md").write_bytes(b"\0")
    with pytest.warns(UserWarning, match=r"CLAUDE\.md, line 1: it is binary"):
        assert Memory.load(tmp_path).files == ()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"file_bytes": 0}, "file_bytes is 0"),
        ({"files": "CLAUDE.md"}, "files is 'CLAUDE.md'"),
        ({"files": [{"path": ""}]}, "path"),
        ({"section_chars": True}, "section_chars is True"),
        ({"mod": "opencode"}, "did you mean mode"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(settings, words):
    """The error names the field."""
    with pytest.raises(InvalidInput, match=words):
        read_settings(settings)


def test_a_folder_that_is_missing_is_refused(tmp_path):
    """It is named."""
    with pytest.raises(InvalidInput, match="there is no folder"):
        Memory.load(tmp_path / "gone")


def test_a_conversation_takes_a_memory_alone():
    """A path is none."""
    with pytest.raises(InvalidInput, match=r"memory is str; it is what Memory\.load returned"):
        Conversation(Compactor(), memory="CLAUDE.md")  # type: ignore[arg-type]


def test_a_conversation_in_an_event_loop_sends_the_memory(tmp_path):
    """The call gets it as the argument `system`, and after an overflow error once again as the file is then."""
    file = tmp_path / "CLAUDE.md"
    file.write_text("Use tabs.", encoding="utf-8")
    compactor = Compactor(limits=ModelLimits(context_window=200_000, max_output_tokens=8_192))
    conversation = Conversation(compactor, memory=Memory.load(tmp_path), system="You are a harbour master.")
    for number in range(9):
        conversation.append({"role": "user", "content": f"Step {number}: " + "mind the tide " * 500})
        conversation.append({"role": "assistant", "content": "Done."})
    conversation.append({"role": "user", "content": "Go on."})

    async def run(server):
        async def call(messages, *, system):
            async with server.async_client() as client:
                file.write_text("Use spaces.", encoding="utf-8")
                return await client.messages.create(
                    model="claude-opus-5-5", max_tokens=100, messages=messages, system=system
                )

        await conversation.asend(call)

    with MessagesServer([too_long()]) as server:
        asyncio.run(run(server))
    sent = [request.body["system"] for request in server.requests]
    assert [system[0]["text"] for system in sent] == ["You are a harbour master."] * 2
    assert [system[-1]["text"].partition("\n")[2] for system in sent] == ["Use tabs.", "Use spaces."]


def test_a_file_above_the_project_is_no_way_out(tmp_path):
    """It is loaded as Claude Code does, but imports files of the project alone."""
    (tmp_path / "project" / ".git").mkdir(parents=True)
    (tmp_path / "notes.md").write_text("Notes.", encoding="utf-8")
    (tmp_path / "CLAUDE.md").write_text("@notes.md", encoding="utf-8")
    memory = Memory.read(tmp_path / "project")
    assert [file.path.name for file in memory.files] == ["CLAUDE.md"]
    assert "leads outside of the project" in memory.warnings[0]


def test_the_settings_hold_for_the_next_reading(tmp_path):
    """A mode that is named at the first loading is that of every other."""
    (tmp_path / "AGENTS.md").write_text("Use tabs.", encoding="utf-8")
    memory = Memory.load(tmp_path, "opencode", settings=MemorySettings(file_bytes=1_000))
    assert memory.reload() == memory
    assert memory.settings.mode == "opencode"


@pytest.mark.parametrize("depth", sized([900, 200_000], nightly=[10, 900, 1_900, 5_000, 20_000, 200_000]))
@pytest.mark.parametrize("opening", ["[", "{a: ", "- ", "? "])
def test_front_matter_that_is_nested_deeply_ends_no_process(tmp_path, opening, depth):
    """It is text then, as other front matter that is no mapping."""
    closing = {"[": "]", "{a: ": "}"}.get(opening, "")
    text = f"---\na: {opening * depth}1{closing * depth}\n---\nUse tabs.\n"
    (tmp_path / "CLAUDE.md").write_text(text, encoding="utf-8")
    settings = 'MemorySettings(mode="nearest", file_bytes=9_000_000)'
    program = f"from brim.memory import Memory, MemorySettings; print(len(Memory.read('.', settings={settings}).files))"
    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "1\n"), done.stderr
