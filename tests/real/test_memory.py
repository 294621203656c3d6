"""Migration of real sessions: the lines are the user's sentences and files of the project, and come once."""

from __future__ import annotations

from pathlib import Path

import pytest

from brim.cli import main
from brim.compaction.result import all_turns
from brim.evidence.failures import on_one_line
from brim.memory.section import MemoryText, entry_of
from tests.real.conftest import FOLDER
from tests.real.test_transcripts import ALL

pytestmark = pytest.mark.transcripts


@pytest.mark.parametrize("name", ALL)
def test_a_real_session_is_migrated(real, name, tmp_path, monkeypatch):
    """What a person wrote stays, and every sentence was said by the user."""
    monkeypatch.chdir(tmp_path)
    memory = tmp_path / "CLAUDE.md"
    memory.write_text("# Mine\r\n", encoding="utf-8", newline="")
    assert main(["memory", "migrate", str(FOLDER / name)]) == 0
    once = memory.read_bytes()
    assert main(["memory", "migrate", str(FOLDER / name)]) == 0
    assert memory.read_bytes() == once
    assert once.startswith(b"# Mine\r\n")
    said = on_one_line("\n".join(turn.request for turn in all_turns(real(name).messages)))
    for line in MemoryText.read(once.decode()).section:
        entry = entry_of(line)
        if entry is None:
            continue
        if entry.kind in {"decision", "preference"}:
            assert entry.text.replace("`@", "@").rstrip("…")[:60].replace("`", "") in said.replace("`", "")
        if entry.kind == "file":
            assert not Path(entry.text.strip("`")).is_absolute()
