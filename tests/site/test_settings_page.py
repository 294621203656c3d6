import re
from pathlib import Path

from living.reference.lists import constants

from brim.trigger.overflow import ON

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "reference" / "settings.md").read_text(encoding="utf-8")
VARIABLE = re.compile(r'"((?:BRIM|OPENCODE)_[A-Z_]+)"')


def test_every_variable_that_the_source_knows_is_on_the_page():
    """There is none that brim heeds in silence, and the page names none that it does not."""
    texts = (path.read_text(encoding="utf-8") for path in (ROOT / "src").rglob("*.py"))
    heeded = {name for text in texts for name in VARIABLE.findall(text)}
    heeded.discard("OPENCODE_CONFIG_CONTENT")  # OpenCode's own, which `brim run` sets
    listed = PAGE.partition("{constants} variable\n")[2].partition("```")[0].split()
    assert {*re.findall(r"\w+", " ".join(names for names, _ in [*constants(listed, "variable")][1:]))} == heeded


def test_the_page_names_the_words_that_switch_something_on():
    """All that the source knows, and no other."""
    said = PAGE.partition("count as set for the words")[2].partition(".")[0]
    assert set(re.findall(r"`(\w+)`", said)) == ON
