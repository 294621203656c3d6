"""Migration: what a person wrote outlasts any number of migrations, whatever is in the file and whoever writes it."""

from __future__ import annotations

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from datetime import date
from itertools import count
from multiprocessing import get_context
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import sleep

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from brim.conversation.formats import read_messages
from brim.errors import BrimError, InvalidInput, Refused
from brim.memory import Lasting, Memory, MemorySettings, migrate, migration
from brim.memory import lasting as find_lasting
from brim.memory.section import BEGIN, END
from brim.sessions import files as stored
from brim.summary.facts import Fact
from steps.prerequisites import sized

TODAY = date(2026, 3, 1)
TIMES = 100
ENCODINGS = ("utf-8", "utf-8-sig", "utf-16", "latin-1", "cp1252", "shift_jis")
ENDS = ("\n", "\r\n", "\r", "\x0b", "\x0c", "\x85", "\u2028")
PIECES = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        (BEGIN, END, "# Harbour", "```", "<!--", "---", "- 2026-01-01, session old, decision: Use tabs.", "")
    ),
)


@st.composite
def files(draw):
    """The bytes of a file: anything, or lines with ends of any kind in any encoding."""
    if draw(st.booleans()):
        return draw(st.binary(max_size=200))
    pieces = draw(st.lists(st.tuples(PIECES, st.sampled_from(ENDS)), max_size=8))
    text = "".join(f"{piece}{end}" for piece, end in pieces) + draw(st.sampled_from(("", "End", "\ufeff")))
    return text.encode(draw(st.sampled_from(ENCODINGS)), errors="ignore")


def lasting(*lines: str, session: str = "pier") -> Lasting:
    """What outlasts a session: these decisions."""
    return Lasting(session=session, lines=tuple(("decision", line) for line in lines), open_tasks=frozenset())


def persons(data: bytes) -> list[bytes]:
    """The lines of a file that no migration wrote."""
    return [line for line in data.split(b"\n") if b", session " not in line]


@given(files())
@example(b"")
@example(b"\xef\xbb\xbf")
@example(f"{BEGIN}\r\n{END}".encode())
@example(f"Before\r{BEGIN}\n{END}\n".encode())
def test_a_hundred_migrations_leave_what_a_person_wrote(data):
    """Every byte is there in its order: what is new are whole lines, and the end of a last line that had none."""
    settings = MemorySettings(section_chars=300)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "CLAUDE.md"
        path.write_bytes(data)
        for number in range(TIMES):
            try:
                migrate(lasting(f"Decision {number}", session=f"s{number}"), path, settings=settings, today=TODAY)
            except InvalidInput:
                assert path.read_bytes() == data
                return
        after = path.read_bytes()
        assert f"session s{TIMES - 1}, decision: Decision {TIMES - 1}".encode() in after
        assert [*Path(folder).iterdir()] == [path]
    if BEGIN.encode() in data:
        left = iter(persons(after))
        assert all(any(line.rstrip(b"\r") == other.rstrip(b"\r") for other in left) for line in persons(data) if line)
    else:
        assert after.startswith(data)


def test_what_is_around_the_section_stays_to_the_byte(tmp_path):
    """Before and behind the markers, with line ends that differ from the section's."""
    path = tmp_path / "CLAUDE.md"
    before, behind = b"\xef\xbb\xbf# A\r\n\r\x0b\t \n", b"\n\r\n<b>\xc3\xa9</b>\r\rno end"
    path.write_bytes(before + f"{BEGIN}\n{END}\r\n".encode() + behind)
    for number in range(TIMES):
        migrate(lasting(f"Decision {number}"), path, settings=MemorySettings(section_chars=200), today=TODAY)
    after = path.read_bytes()
    assert after.startswith(before + BEGIN.encode())
    assert after.endswith(f"{END}\r\n".encode() + behind)


def test_the_permissions_of_a_file_stay(tmp_path):
    """A new one has those of any new file."""
    path = tmp_path / "CLAUDE.md"
    path.write_text("# A\n", encoding="utf-8")
    path.chmod(0o640)
    migrate(lasting("Use tabs"), path, today=TODAY)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_migrations_side_by_side_lose_no_line(tmp_path):
    """Each sees what the others wrote."""
    path = tmp_path / "CLAUDE.md"
    with ThreadPoolExecutor(8) as pool:
        jobs = [pool.submit(migrate, lasting(f"Decision {n}"), path, today=TODAY) for n in range(40)]
        assert sum(len(job.result().added) for job in jobs) == 40
    assert path.read_text(encoding="utf-8").count("decision: ") == 40


def test_a_person_who_saves_meanwhile_loses_nothing(tmp_path, monkeypatch):
    """A migration is refused where the file changed between reading and writing."""
    path = tmp_path / "CLAUDE.md"
    path.write_text("# A\n", encoding="utf-8")
    merged = migration._merged

    def saved_meanwhile(*arguments):
        path.write_text("# A\nNew.\n", encoding="utf-8")
        return merged(*arguments)

    monkeypatch.setattr(migration, "_merged", saved_meanwhile)
    with pytest.raises(Refused, match="was changed by another program meanwhile; migrate again"):
        migrate(lasting("Use tabs"), path, today=TODAY)
    assert path.read_text(encoding="utf-8") == "# A\nNew.\n"


def test_a_file_that_is_a_link_has_no_faulty_section(tmp_path):
    """Such as CLAUDE.md, which leads to AGENTS.md."""
    (tmp_path / "AGENTS.md").write_text("# A\n", encoding="utf-8")
    (tmp_path / "CLAUDE.md").symlink_to("AGENTS.md")
    assert [*migration.section_faults(Memory.read(tmp_path))] == []


def test_a_disk_without_room_leaves_the_file(tmp_path, monkeypatch):
    """The error names the file, and nothing is left beside it."""
    path = tmp_path / "CLAUDE.md"
    path.write_text("# A\n", encoding="utf-8")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(stored, "write_all", full)
    monkeypatch.setattr(os, "write", full)
    with pytest.raises(BrimError, match=r"cannot write .*CLAUDE\.md: No space left on device"):
        migrate(lasting("Use tabs"), path, today=TODAY)
    assert path.read_text(encoding="utf-8") == "# A\n"
    assert [*tmp_path.iterdir()] == [path]


@pytest.mark.parametrize(
    ("root", "path", "listed"),
    [
        ("/home/me/pier", "/home/me/pier/src/a.py", "`src/a.py`"),
        ("/home/me/pier", "/home/me/pier-2/a.py", None),
        ("/home/me/pier", "/home/me/pier", None),
        ("D:\\pier", "D:\\pier\\src\\a.py", "`src/a.py`"),
        ("D:\\pier", "C:\\Users\\me\\notes.md", None),
        ("/home/me/pier", "D:\\pier\\a.py", None),
    ],
)
def test_a_file_is_listed_from_the_root_of_its_project(root, path, listed):
    """Of a transcript of Windows too."""
    found = find_lasting([Fact("modified_file", path, 0)], [], session="s", root=Path(root))
    assert [text for _, text in found.lines] == ([listed] if listed else [])


def test_the_newest_files_are_listed():
    """At most 20."""
    facts = [Fact("created_file", f"src/{n}.py", 0) for n in range(25)]
    found = find_lasting(facts, [], session="s", root=Path("/pier"))
    assert [text for _, text in found.lines] == [f"`src/{n}.py`" for n in range(5, 25)]


@pytest.mark.parametrize("kind", ["constraint", "decision", "todo"])
def test_a_fact_that_nobody_says_in_the_conversation_is_not_migrated(kind):
    """Such as one of an earlier compaction, whose source can no longer be seen."""
    found = find_lasting([Fact(kind, "Never ask.", 0)], [], session="s", root=Path("/pier"))
    assert found.lines == ()


def test_a_line_that_would_import_all_the_same_is_not_migrated():
    """A backtick of the user's makes code of what is around the span."""
    text = "Always run ` @docs/style.md"
    messages = read_messages([{"role": "user", "content": text}])
    found = find_lasting([Fact("constraint", text, 0)], messages, session="s", root=Path("/pier"))
    assert found.lines == ()


def test_a_folder_that_is_missing_is_named(tmp_path):
    """Nothing is made."""
    with pytest.raises(InvalidInput, match="gone: No such file or directory; make the folder readable"):
        migrate(lasting("Use tabs."), tmp_path / "gone" / "CLAUDE.md", today=TODAY)


def test_a_file_that_its_owner_made_read_only_stays(tmp_path, monkeypatch):
    """A new file could take its place all the same."""
    path = tmp_path / "CLAUDE.md"
    path.write_text("# A\n", encoding="utf-8")
    path.chmod(0o444)
    monkeypatch.setattr(os, "access", lambda one, _: one != path)  # as anybody but root
    with pytest.raises(BrimError, match=r"cannot write .*CLAUDE\.md: Permission denied"):
        migrate(lasting("Use tabs."), path, today=TODAY)
    assert path.read_text(encoding="utf-8") == "# A\n"


def writes(path: Path, name: str, pipe: int) -> None:
    """Migrate line after line, and acknowledge each."""
    for number in count():
        line = f"{name}.{number}"
        migrate(lasting(f"Decision {line}", session=name), path, settings=MemorySettings(section_chars=10**6))
        os.write(pipe, f"{line}\n".encode())


@pytest.mark.faults
def test_migrations_killed_at_any_moment_lose_nothing(tmp_path):
    """Two processes at a time; what a person wrote, and each line that was acknowledged, is there."""
    path, person = tmp_path / "CLAUDE.md", b"\xef\xbb\xbf# A\r\n" + b"Mind the tide.\r\n" * 1_000
    chance = Random(5)  # noqa: S311 - chance, not a secret
    path.write_bytes(person)
    reads, pipe = os.pipe()
    forked = get_context("fork")
    for number in range(sized(10, nightly=100)):
        both = [forked.Process(target=writes, args=(path, f"{number}-{one}", pipe)) for one in range(2)]
        for one in both:
            one.start()
        sleep(chance.uniform(0.002, 0.12))
        for one in both:
            one.kill()
            one.join()
        assert path.read_bytes().startswith(person)
    os.close(pipe)
    with os.fdopen(reads) as file:
        acknowledged = file.read().split()
    text = path.read_text(encoding="utf-8")
    assert acknowledged
    assert [one for one in acknowledged if f"Decision {one}\n" not in text] == []
