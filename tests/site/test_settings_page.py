import re
from pathlib import Path

from living.reference.settings_page import settings

from brim.trigger.overflow import ON

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
VARIABLE = re.compile(r'"((?:BRIM|OPENCODE)_[A-Z_]+)"')


def rows(kind):
    """The rows of a table without its heading, literals without their marks."""
    return [[cell.replace("`", "") for cell in row] for row in settings(kind)[1:]]


def test_every_variable_that_the_source_knows_is_on_the_page():
    """There is none that brim heeds in silence, and the page names none that it does not."""
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    heeded = {name for text in texts for name in VARIABLE.findall(text)}
    heeded.discard("OPENCODE_CONFIG_CONTENT")  # OpenCode's own, which `brim run` sets
    assert {name for names, _ in rows("environment") for name in names.split(", ")} == heeded


def test_the_page_names_the_words_that_switch_something_on():
    """All that the source knows, and no other."""
    said = PAGE.partition("count as set for the words")[2].partition(".")[0]
    assert set(re.findall(r"`(\w+)`", said)) == ON
