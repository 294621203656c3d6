import re
from collections import Counter
from importlib import import_module
from pathlib import Path

import pytest

from tests.examples.following import Reader as Follower

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted((DOCS / "reference").rglob("*.md"))
FENCE = re.compile(r"(?m)^```\{api\} (\S+)\n([^`]*)^```")
PUBLIC = (
    "brim",
    "brim.adapters.langchain",
    "brim.engine.backends",
    "brim.engine.compaction_control",
    "brim.engine.conversation",
    "brim.sessions",
    "brim.testing",
    "brim.transcripts",
)
"""Modules of which every name in `__all__` has its place on a page."""

pytestmark = pytest.mark.timeout(300)  # the first that asks for the site waits until it is built


def test_every_public_name_is_listed_once():
    """Each name of a public module, wherever it is defined, stands on one page of the reference."""
    fences = (fence for page in PAGES for fence in FENCE.findall(page.read_text(encoding="utf-8")))
    listed = [(module, name) for module, names in fences for name in names.split()]
    there = [id(getattr(import_module(module), name)) for module, name in listed]
    names = [(module, name) for module in PUBLIC for name in getattr(import_module(module), "__all__", ())]
    assert [one for one in names if id(getattr(import_module(one[0]), one[1])) not in there] == []
    assert [name for name, times in Counter(listed).items() if times > 1] == []


@pytest.mark.parametrize("path", PAGES, ids=[path.stem for path in PAGES])
def test_a_program_of_the_reference_prints_what_it_says(path, tmp_path, monkeypatch):
    """Followed as it stands, each says what its comments tell."""
    monkeypatch.chdir(tmp_path)
    Follower(tmp_path).follow(path.read_text(encoding="utf-8"), path.name)


def test_an_entry_says_what_it_is_made_of(site):
    """A type that has an entry is a link, a field has its description and its default, an argument its meaning."""
    texts = {name: (site / f"reference/api/{name}.html").read_text(encoding="utf-8") for name in ("plan", "compact")}
    assert 'href="#brim.Plan"' in texts["plan"] or 'href="plan.html#brim.Plan"' in texts["compact"]
    plain = re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", texts["compact"]))
    for said in ("The share of the usable context", "Default: 0.2.", "what the model can hold"):
        assert said in plain
