import json
import subprocess

import pytest
from living.search import RulebookSearch

SAMPLES = [
    "Exactly full is 191,808, not due.",
    "At 92 % of 32000 tokens, 0.95 or 2%.",
    "trg-04 is TRG_04, utf-8 and 2026-11-22 are not; x-trg-04",
    "TRG_04 and TRG_05; S2, section 2.",
    "1,000,000 bytes in src/brim/trigger/overflow.py",
    "café – naïve “quotes” <held>",
    "",
]


def split(text):
    """The terms of a text, as the index has them."""
    return RulebookSearch({}).split(text)


@pytest.mark.node
def test_the_browser_splits_as_the_index_does():
    """What is typed falls into the terms that the pages fell into."""
    script = f"var Scorer = {{}};{RulebookSearch.js_splitter_code};"
    script += f"console.log(JSON.stringify({json.dumps(SAMPLES)}.map(splitQuery)))"
    run = subprocess.run(["node", "-e", script], capture_output=True, text=True, check=True)
    assert json.loads(run.stdout) == [split(text) for text in SAMPLES]
