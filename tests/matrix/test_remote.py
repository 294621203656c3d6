"""A compactor in a process of its own is called as a function, and the tables follow from what it came to."""

from __future__ import annotations

import inspect
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from brim.testing.conformance import PromptTooLong
from tests.matrix.__main__ import SIZES, at_equal_size
from tests.matrix.environments import HERE, PEERS, python_of
from tests.matrix.page import DATA, PAGE, behind, failed, reasons_of, write_page
from tests.matrix.remote import Refused, Remote
from tests.matrix.subjects import there
from tests.needed_next import Cut, Item

ADAPTER = '''
"""Keeps the last message behind a summary."""
from contract import Parts, PromptTooLong, blocks, text, timed

def compact(messages, *, summarize=None, window=None):
    print("what a package prints is no line of the protocol")
    parts = Parts(messages)
    held = [parts.add({"native": index}, index, blocks(one)) for index, one in enumerate(messages)]
    with timed():
        try:
            written = text(summarize(messages))
        except PromptTooLong as error:
            written = f"too long: {error}"
    return parts.back([written, held[-1]], lambda one: {"role": "user", "content": one})

def broken(messages):
    raise ValueError("no")
'''
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "Pour the wax."},
    {"role": "assistant", "content": [{"type": "text", "text": "Poured."}]},
    {"role": "user", "content": "Trim the wick."},
]


@pytest.fixture
def adapter(tmp_path: Path) -> Path:
    """An adapter of the standard library."""
    path = tmp_path / "adapter.py"
    path.write_text(ADAPTER, encoding="utf-8")
    return path


def test_a_remote_compactor_is_called_as_a_function(adapter: Path) -> None:
    """It has the adapter's keywords, asks the caller for summaries, and says what it raised."""
    remote = Remote(sys.executable, adapter)
    assert list(inspect.signature(remote).parameters) == ["messages", "summarize", "window"]
    asked = []

    def summarize(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
        asked.append(messages)
        if len(asked) > 1:
            raise PromptTooLong("by 10 tokens")
        return [{"type": "text", "text": "Waxed."}]

    assert remote(MESSAGES, summarize=summarize) == [{"role": "user", "content": "Waxed."}, MESSAGES[-1]]
    assert asked == [MESSAGES]
    assert 0 < remote.seconds < 1
    assert remote(MESSAGES, summarize=summarize)[0]["content"] == "too long: by 10 tokens"
    remote.close()
    broken = Remote(sys.executable, adapter, "broken")
    with pytest.raises(Refused, match="ValueError: no"):
        broken(MESSAGES)
    broken.close()


def test_a_process_that_ends_says_why(tmp_path: Path) -> None:
    """An adapter whose package is not there is told with the end of its traceback."""
    path = tmp_path / "adapter.py"
    path.write_text("import no_such_package", encoding="utf-8")
    with pytest.raises(Refused, match="No module named 'no_such_package'"):
        Remote(sys.executable, path)


def test_our_own_adapter_runs_in_this_environment() -> None:
    """Brim is asked as every other is, and answers with fewer messages."""
    remote = Remote(sys.executable, HERE / "peers" / "brim.py", "template")
    work = [*MESSAGES[:2], *MESSAGES] * 40
    assert remote.keywords == ["window", "pinned"]
    assert len(remote(work, window=1_000)) < len(work)
    assert remote.versions["brim"]
    remote.close()


def test_equal_size_is_between_the_nearest_sizes_of_brim() -> None:
    """The empty context and the whole one are sizes too."""
    item = Item("path", "wax.py")
    cut = Cut("session", 1, "loop", [{"role": "user", "content": "x" * 400}], {item: False})
    found = {name: (20, {item: False}) for name in SIZES} | {"brim": (60, {item: True})}
    sizes = {size: at_equal_size(("format", cut, found), size, old=False) for size in (0, 20, 40, 60, 100)}
    assert sizes == {0: 0.0, 20: 0.0, 40: 0.5, 60: 1.0, 100: 1.0}
    assert at_equal_size(("format", cut, found), 40, old=True) is None


@pytest.mark.parametrize("peer", PEERS)
def test_each_package_has_a_short_adapter(peer: str) -> None:
    """At most 60 lines, and a line that says which settings are best."""
    lines = (HERE / "peers" / f"{peer}.py").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 60
    assert PEERS[peer]["best"]


def test_the_page_is_made_of_its_data(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The tables of the page are those of docs/matrix.json, and say first where brim is not."""
    page = tmp_path / "matrix.md"
    page.write_text(PAGE.read_text(encoding="utf-8"), encoding="utf-8")
    monkeypatch.setattr("tests.matrix.page.PAGE", page)
    data = json.loads(DATA.read_text(encoding="utf-8"))
    write_page(data)
    assert page.read_text(encoding="utf-8") == PAGE.read_text(encoding="utf-8")
    assert behind(data)


@pytest.mark.parametrize("peer", PEERS)
def test_every_failure_has_a_place_in_the_code(peer: str) -> None:
    """Each check that a package fails has a reason, and the line that it names is there where the package is."""
    data = json.loads(DATA.read_text(encoding="utf-8"))
    reasons = PEERS[peer].get("reasons", [])
    assert [check for check in failed(data, peer) if not reasons_of(peer, check)] == []
    if not python_of(peer).exists():
        return
    (packages,) = python_of(peer).parents[1].glob("lib/python3*/site-packages")
    for one in reasons:
        file, _, number = one["at"].rpartition(":")
        assert one["code"] in (packages / file).read_text(encoding="utf-8").splitlines()[int(number) - 1]


@pytest.mark.nightly
@pytest.mark.parametrize("name", there())
def test_each_package_compacts(name: str) -> None:
    """A compactor of an environment that is there leaves a list of messages."""
    from tests.matrix.subjects import Subject, remote  # noqa: PLC0415  only where the packages are

    subject = Subject(remote(name), lambda: "A summary.")
    call = {"type": "tool_use", "id": "a", "name": "bash", "input": {"command": "ls"}}
    result = {"type": "tool_result", "tool_use_id": "a", "content": "wax.py " * 500}
    steps = [
        one
        for number in range(60)
        for one in (
            {"role": "assistant", "content": [{**call, "id": f"call{number}"}]},
            {"role": "user", "content": [{**result, "tool_use_id": f"call{number}"}]},
        )
    ]
    left = subject([MESSAGES[0], *steps, MESSAGES[1], MESSAGES[2]])
    subject.remote.close()
    assert left[-1] == MESSAGES[2]
    assert not subject.refused
