"""A small rulebook and made-up results, as what the pages of a site are made from."""

import subprocess
import sys
from pathlib import Path

from living.results import Results, Verdict
from living.rules.rulebook import Rulebook
from living.site import Site

BOXES = """\
Feature: Boxes
  What is kept, is kept in boxes.

  @BOX_01 @BOX_02
  Rule: A box holds as many pieces as fit
    Boxes have no lids.

    Source: a guess.

    Scenario Outline: Pieces are put in
      Given a box for <room> pieces
      And a second one
        | side  | pieces |
        | left  | 1      |
        | right | 2      |
      When <pieces> pieces arrive
      Then they are "<state>"

      Examples: Few
        | description  | room | pieces | state   |
        | exactly full | 10   | 10     | kept    |
        | one over     | 10   | 11     | refused |

      Examples:
        | description | room  | pieces | state  |
        | many        | 1,000 | 999    | <kept> |

    @portable
    Scenario: A label
      When it is read
        \"\"\"
        This side
          up
        \"\"\"
      Then it says so

  @BOX_01 @portable
  Rule: A box is dry
    Source: a look.

    Scenario: Rain
      Given rain
      Then it is dry
"""
EXACTLY, ONE_OVER, MANY, LABEL, RAIN = 21, 22, 26, 29, 41
"""The lines of its examples."""

PROJECT = '[project.urls]\nRepository = "https://host.example/brim.git"\n'
ALL_PASSED = dict.fromkeys((EXACTLY, ONE_OVER, MANY, LABEL, RAIN), Verdict("passed"))


def small_site(root: Path, verdicts: dict[int, Verdict]) -> Site:
    """The site of one feature, attic/boxes, whose examples came to these verdicts, by line."""
    files = {
        "pyproject.toml": PROJECT,
        "features/attic/boxes.feature": BOXES,
        "src/brim/attic/boxes.py": 'FULL = 1 < 2\n"""Is (BOX_01)."""\n',
        "docs/decisions/0007-lids.md": "# 0007: Lids\n\nRules: BOX_01, BOX_02. Status: accepted.\n",
        "steps/attic/boxes.py": "",
    }
    for path, text in files.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
    told = {("attic/boxes", line): verdict for line, verdict in verdicts.items()}
    return Site(root, Rulebook.read(root), Results("a" * 64, current=True, verdicts=told))


def build(root: Path, source: Path, site: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Build the site of a project from the pages in a folder, with the settings of brim's own."""
    docs = Path(__file__).parents[2] / "docs"
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "--no-color", "-c", str(docs)]
    command = [*sphinx, "-D", f"living_root={root}", *options, str(source), str(site)]
    return subprocess.run(command, capture_output=True, text=True, check=False)
