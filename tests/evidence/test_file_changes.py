"""Which files a tool use changed, created, deleted or read."""

from __future__ import annotations

from collections.abc import Collection

import pytest

from brim.conversation.turns import ToolUse
from brim.evidence.evidence import read_use
from brim.evidence.tools import EDITING_TOOLS, TOOLS, named_paths, touched_files

PATCH = """*** Begin Patch
*** Add File: new.py
+x
*** Update File: old.py
@@
*** Update File: before.py
*** Move to: after.py
*** Delete File: gone.py
*** Update File: old.py
 *** Update File: quoted.py
*** End Patch"""
PATCHED = [
    ("created", "new.py"),
    ("modified", "old.py"),
    ("deleted", "before.py"),
    ("created", "after.py"),
    ("deleted", "gone.py"),
]


def used(name: str, given: dict[str, object], output: str = "", *, succeeded: bool | None = True) -> ToolUse:
    """A tool use, successful unless told."""
    return ToolUse(name, given, output, succeeded)


def files(use: ToolUse, editing_tools: Collection[str] = EDITING_TOOLS) -> list[tuple[str, str]]:
    """What it did to which files."""
    return [(change.act, change.path) for change in touched_files(use, editing_tools)]


def test_first_field():
    """Of two paths the first field wins; what is no text, or empty, is no path."""
    assert read_use(used("Edit", {"path": "b.py", "file_path": "a.py"})).changed == ("a.py",)
    assert read_use(used("Edit", {"path": "b.py", "file_path": ""})).changed == ("b.py",)
    assert read_use(used("Edit", {"path": [7, ""]})).changed == ()
    assert read_use(used("Edit", {"path": 9})).changed == ()
    assert read_use(used("Edit", {"anything_else": "a.py"})).changed == ()
    assert files(used("Read", {"anything_else": "a.py"})) == []


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("apply_patch", {"patchText": PATCH, "count": 3}),
        ("apply_patch", {"patch": PATCH}),
        ("apply_patch", {"input": PATCH}),
        ("shell", {"command": ["apply_patch", PATCH]}),
        ("shell", {"command": ["bash", "-lc", f"apply_patch <<'EOF'\n{PATCH}\nEOF\n"]}),
        ("shell", {"command": ["/bin/bash", "-lc", f"apply_patch '{PATCH}'"]}),
        ("exec_command", {"cmd": f"apply_patch <<'EOF'\n{PATCH}\nEOF"}),
    ],
)
def test_patch(name, given):
    """A patch names its files on lines of their own, each told once, in every shape that it comes in."""
    assert files(used(name, given)) == PATCHED


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("mcp__files__edit_file", {"path": "a.py"}, [("modified", "a.py")]),
        ("mcp__files__write_file", {"path": "a.py"}, [("written", "a.py")]),
        (
            "mcp__files__move_file",
            {"source": "a.py", "destination": "b.py"},
            [("deleted", "a.py"), ("created", "b.py")],
        ),
        ("mcp__tracker__edit", {"path": "a.py"}, []),
        ("MultiEdit", {"file_path": "a.py", "edits": []}, [("modified", "a.py")]),
        ("NotebookEdit", {"notebook_path": "a.ipynb"}, [("modified", "a.ipynb")]),
        ("delete_file", {"target_file": "a.py"}, [("deleted", "a.py")]),
        ("create", {"filename": "a.py"}, [("created", "a.py")]),
        ("read_files", {"files": [{"path": "a.py"}, "b.py", {"path": 3}, None]}, [("read", "a.py"), ("read", "b.py")]),
        ("read_many_files", {"paths": ["a.py"]}, [("read", "a.py")]),
        ("read_many_files", {"paths": [3]}, []),
        ("read_many_files", {"paths": [9, "", "a.py"]}, [("read", "a.py")]),
        ("read_many_files", {"paths": []}, []),
        ("read_files", {"files": ["a.py", "b.py"]}, [("read", "a.py"), ("read", "b.py")]),
        ("bash", {"command": "touch a.py", "workdir": "/w"}, [("written", "/w/a.py")]),
        ("run_commands", {"commands": ["cd /w", "touch a.py"]}, [("written", "/w/a.py")]),
    ],
)
def test_tools_of_the_table(name, given, expected):
    """Tools of several agents, and those of an MCP server by the name that the server gives them."""
    assert files(used(name, given)) == expected


@pytest.mark.parametrize(
    ("name", "output", "expected"),
    [
        ("Write", "File created successfully at: a.py", "created"),
        ("write", "", "written"),
        ("Write", "The file a.py has been updated. Here is the result", "modified"),
        ("write_file", "Successfully overwrote file: a.py", "modified"),
        ("Write", "x" * 194 + "updated", "written"),
        ("Write", "x" * 193 + "updated", "modified"),
        ("Edit", "", "modified"),
    ],
)
def test_written_whole(name, output, expected):
    """A tool that writes a file whole may say in its first 200 characters whether it was there (ANC_05)."""
    assert files(used(name, {"file_path": "a.py"}, output)) == [(expected, "a.py")]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: f"{tool.agent}, {tool.act}")
def test_rows_of_the_table(tool):
    """Each row of files names a field in which the path of its tools is found."""
    if tool.act in {"reads", "edits", "writes", "creates", "deletes", "acts"} and tool.field not in {"files", "paths"}:
        assert named_paths(used(tool.names[0], {tool.field: "a.py"})) == ("a.py",)
