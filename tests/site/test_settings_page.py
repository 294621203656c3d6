import inspect
import re
from functools import cache
from pathlib import Path

import pytest
from living.reference.catalogue import catalogue
from living.reference.declared import Source
from living.reference.setters import takers
from living.reference.settings_page import NUMBERS, VARIABLES, settings
from sphinx.errors import ExtensionError

from brim import Compactor, ModelLimits
from brim.compaction.policy import CompactionPolicy
from brim.conversation.harness_text import HARNESS_TAGS  # noqa: F401 -- a default is evaluated by its name
from brim.engine.backends import _Settings as OfBackEnds
from brim.engine.compaction_control import CompactionControl
from brim.portable.operations import OPERATIONS
from brim.selection.tools import EDITING_TOOLS  # noqa: F401 -- a default is evaluated by its name
from brim.trigger.overflow import ON

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
ELSEWHERE = PAGE.partition("## What is set elsewhere\n")[2].partition("\n## ")[0]
"""What the page says of settings that a compactor does not take."""
BY_OTHERS = {"automatic", "pinned", "configured"}
"""Settings whose name means something else, or is carried on, at other places."""
VARIABLE = re.compile(r'"((?:BRIM|OPENCODE)_[A-Z_]+)"')


def rows(table):
    """The rows of a table, cell by cell."""
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in table.splitlines()[2:]]


def test_every_variable_that_the_source_knows_is_on_the_page():
    """There is none that brim heeds in silence, and the page names none that it does not."""
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    heeded = {name for text in texts for name in VARIABLE.findall(text)}
    told = set(re.findall(r"`((?:BRIM|OPENCODE)_[A-Z_]+)`", settings(ROOT, "environment")))
    assert told == heeded


def test_every_argument_of_a_compactor_is_told_with_its_default():
    """In the order in which it takes them, by the number that a constant stands for."""
    taken = inspect.signature(Compactor).parameters
    told = rows(settings(ROOT, "compactor"))
    assert [name.strip("`") for name, _, _ in told] == list(taken)
    assert [default.strip("`") for _, default, _ in told] == [repr(one.default) for one in taken.values()]
    assert all(meaning[0].isupper() for _, _, meaning in told)


@pytest.mark.parametrize("model", [ModelLimits, CompactionPolicy])
def test_every_field_of_a_model_is_told(model):
    """With the description that the model has of it, and its default where it has one."""
    told = rows(settings(ROOT, f"{model.__module__}.{model.__name__}"))
    assert [name.strip("`") for name, _, _ in told] == list(model.model_fields)
    for (_, default, meaning), one in zip(told, model.model_fields.values(), strict=True):
        assert re.sub(r"{rule}`(\w+)`", r"\1", meaning) == one.description
        shown = default.strip("`")
        assert shown == ("" if one.is_required() else repr(one.default)) or eval(shown) == one.default  # noqa: S307


def test_numbers_are_read_as_people_read_them():
    """With separators, a share as a decimal, several one after another; beside each its meaning."""
    told = numbers()
    assert all(meaning for _, meaning, _ in told.values())
    assert told["brim.trigger.usable_context.OUTPUT_CAP"][0] == "32,000"
    assert told["brim.summary.compression.MIN_RATIO"][0] == "0.6"
    assert told["brim.trigger.profiles.PROACTIVE_SHARE"][0] == "0.92"
    assert told["brim.summary.attempts.WAITS_MS"][0] == "0, 1,000, 2,000"


@cache
def numbers():
    """The rows of the numbers, by the constants that they are of."""
    told = rows(settings(ROOT, "numbers"))
    return dict(zip((f"{module}.{name}" for module, name in NUMBERS), told, strict=True))


def who(constant):
    """Who may take another number for a constant, as links, whose texts are shown."""
    told = numbers()[constant][2]
    return re.findall(r"(?:obj}|operation \[)`([^<`]+?)(?: <[\w.]+>)?`", told) or [told]


@pytest.mark.parametrize(
    ("constant", "setters"),
    [
        ("brim.trigger.profiles.PROACTIVE_SHARE", ["CompactionPolicy(proactive_share=…)"]),
        ("brim.pruning.tool_outputs.PROTECTED_TOKENS", ["CompactionPolicy(prune_protect=…)"]),
        ("brim.trigger.budget.AUTOCOMPACT_BUFFER", ["CompactionPolicy(budget_buffer=…)"]),
    ],
)
def test_a_number_is_told_with_all_that_is_public_and_takes_another(constant, setters):
    """Functions, and classes when they are made and by their methods; operations stand behind them."""
    told = who(constant)
    assert set(setters) <= set(told)
    assert OPERATIONS.keys() & set(told)


def test_a_number_that_nobody_takes_is_said_so():
    """What brim's own functions take of each other is nothing that anybody sets."""
    assert who("brim.engine.progress.IN_A_ROW") == ["nobody"]


@cache
def taken_by(name):
    """All that is public and takes an argument of a name, as the page calls it."""
    source = Source(ROOT)
    return set(takers(name, source, catalogue(ROOT / "docs", source)))


def test_what_is_set_elsewhere_is_taken_where_the_page_says():
    """By those that it names; and where the name means one thing, by nobody else."""
    for names, by, _ in rows(ELSEWHERE[ELSEWHERE.index("| setting") :].partition("\n\n")[0]):
        for name in re.findall(r"`(\w+)`", names):
            told = set(re.findall(r"`([\w.]+)`", by))
            known = taken_by(name)
            known |= {"backend", "async_backend"} if name in OfBackEnds.model_fields else set()
            known |= {"CompactionControl"} if name in CompactionControl.__annotations__ else set()
            assert told <= known, name
            assert name in BY_OTHERS or told == known, name


def test_the_page_names_the_words_that_switch_something_on():
    """All that the source knows, and no other."""
    said = PAGE.partition("count as set for the words")[2].partition(".")[0]
    assert set(re.findall(r"`(\w+)`", said)) == ON


def test_there_is_a_table_for_each_place_that_the_page_asks_for():
    """None of them is empty."""
    asked = re.findall(r"```{settings} (\S+)", PAGE)
    assert len(asked) == 5
    assert all(rows(settings(ROOT, kind)) for kind in asked)


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A function that writes a module of a small project, whose numbers and variables alone are told."""

    def write(text):
        (tmp_path / "src" / "brim").mkdir(parents=True)
        (tmp_path / "src" / "brim" / "shelf.py").write_text(text, encoding="utf-8")
        monkeypatch.setattr("living.reference.settings_page.VARIABLES", (("brim.shelf", "HOME"),))
        return tmp_path

    return write


def test_a_variable_is_told_by_the_text_behind_it(small):
    """Its rules are links, and a sign that would part cells is none."""
    root = small('HOME = "BRIM_SHELF"\n"""Where | the shelf is (SHV_01)."""\n')
    assert rows(settings(root, "environment")) == [["`BRIM_SHELF`", r"Where \| the shelf is ({rule}`SHV_01`)."]]


def test_a_setting_without_a_meaning_fails_the_build(small):
    """With file and line."""
    root = small('"""A shelf."""\n\nHOME = "BRIM_SHELF"\n')
    with pytest.raises(ExtensionError, match=re.escape("src/brim/shelf.py:3: HOME has no docstring")):
        settings(root, "environment")


def test_the_constants_that_are_told_are_there():
    """Each with its meaning."""
    source = Source(ROOT)
    assert all(source.find(module, name).doc for module, name in (*VARIABLES, *NUMBERS))
