"""Which files a tool use changed, created or read."""

from __future__ import annotations

import pytest

from brim.conversation.turns import ToolUse
from brim.selection.evidence import changed_paths, changes_file, created_paths, read_paths

PATCH = """*** Begin Patch
*** Add File: new.py
+x
*** Update File: old.py
*** Move to: moved.py
*** Delete File: gone.py
*** Update File: old.py
 *** Update File: quoted.py
*** End Patch"""


def used(name: str, given: dict[str, object], output: str = "", *, succeeded: bool | None = True) -> ToolUse:
    """A tool use, successful unless told."""
    return ToolUse(name, given, output, succeeded)


@pytest.mark.parametrize("field", ["file_path", "filePath", "path", "notebook_path"])
def test_named_path(field):
    """A path may stand in any of the fields that tools have for it."""
    assert changed_paths(used("Edit", {field: "a.py"})) == ("a.py",)
    assert read_paths(used("Read", {field: "a.py"})) == ("a.py",)


def test_first_field():
    """Of two paths the first field wins; what is no text, or empty, is no path."""
    assert changed_paths(used("Edit", {"path": "b.py", "file_path": "a.py"})) == ("a.py",)
    assert changed_paths(used("Edit", {"path": "b.py", "file_path": ""})) == ("b.py",)
    assert changed_paths(used("Edit", {"path": ["b.py"]})) == ()


@pytest.mark.parametrize("field", ["patchText", "patch", "input"])
def test_patch(field):
    """A patch names its files on lines of their own, each told once."""
    use = used("apply_patch", {field: PATCH, "count": 3})
    assert changed_paths(use) == ("new.py", "old.py", "moved.py", "gone.py")
    assert created_paths(use) == ("new.py",)


@pytest.mark.parametrize("succeeded", [False, None])
def test_without_success(succeeded):
    """What failed, or has no result yet, changed and read nothing."""
    assert not changes_file(used("Edit", {"path": "a.py"}, succeeded=succeeded))
    assert changed_paths(used("Edit", {"path": "a.py"}, succeeded=succeeded)) == ()
    assert created_paths(used("Write", {"path": "a.py"}, succeeded=succeeded)) == ()
    assert read_paths(used("Read", {"path": "a.py"}, succeeded=succeeded)) == ()


def test_other_tools():
    """A tool that neither edits nor reads names no file; which ones edit is a setting."""
    assert changed_paths(used("Bash", {"path": "a.py"})) == ()
    assert read_paths(used("Edit", {"path": "a.py"})) == ()
    assert read_paths(used("read", {})) == ()
    assert changed_paths(used("sculpt", {"path": "a.py"}), {"sculpt"}) == ("a.py",)
    assert created_paths(used("write", {"path": "a.py"}), {"sculpt"}) == ()


@pytest.mark.parametrize(
    ("name", "output", "expected"),
    [
        ("Write", "File created successfully at: a.py", ("a.py",)),
        ("write", "", ("a.py",)),
        ("Write", "The file a.py has been updated. Here is the result", ()),
        ("Write", "x" * 200 + "updated", ("a.py",)),
        ("Write", "x" * 193 + "updated", ()),
        ("Edit", "", ()),
    ],
)
def test_created(name, output, expected):
    """A file written whole was created, unless the tool says at once that it was there."""
    assert created_paths(used(name, {"file_path": "a.py"}, output)) == expected
