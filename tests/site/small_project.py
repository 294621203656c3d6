"""A small project with a documentation site of its own, made by the real extension."""

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from pytest_bdd.feature import features as read_before

from tests.preloaded import Preloaded
from tests.test_collector import FILE, STEP_FILE, Tree

__all__ = ["FILE", "LIMITS", "ROOT", "ROW", "RULE", "STEP_FILE", "SmallProject"]

ROOT = Path(__file__).parents[2]
ROW = "| one over    | 10    | 11     | refused |"
RULE = "What fits a limit is kept"
LIMITS = "rulebook/store/index"
"""The page of the one package, which is small."""

PAGES = {
    "docs/index.md": ("# A small project\n\n```{toctree}\nrulebook/index\nsources/s0\n```\n"),
    "docs/rulebook/index.md": """\
# The rulebook

```{verdicts}
```

```{packages}
```

```{toctree}
store/index
```
""",
    "docs/rulebook/store/index.md": "# Store\n\nKeeps what fits.\n\n```{package} store\nlimits\nshelves\n```\n",
    "docs/sources/s0.md": """\
# S0: What a shelf holds

- LIM_01, LIM_02: What fits is kept.
- SHV_01: A shelf begins empty.
""",
}

SECOND_FEATURE = """\
Feature: Shelves
  A shelf is empty until something is put on it.

  @SHV_01
  Rule: A shelf begins empty
    Source: a document (S0).

    Scenario: Nothing is there
      Given an empty shelf
      When these pieces arrive
        | piece |
        | 1     |
      Then they are kept
"""

SECOND_STEPS = '''\
"""Steps of features/store/shelves.feature."""

from pytest_bdd import then, when


@when("these pieces arrive", target_fixture="kept")
def these_arrive(datatable):
    return len(datatable) == 2


@then("they are kept")
def check(kept):
    assert kept
'''


@dataclass
class SmallProject:
    """A tree with two features in one package, and the folder that its site is built in."""

    tree: Tree
    sphinx: Preloaded

    @property
    def root(self) -> Path:
        """The folder of the project."""
        return self.tree.pytester.path

    def furnish(self) -> None:
        """Give it a second feature, and pages."""
        for folder in ("living", "_static", "_templates"):
            shutil.copytree(
                ROOT / "docs" / folder, self.root / "docs" / folder, ignore=shutil.ignore_patterns("__pycache__")
            )
        self.tree.write("docs/conf.py", (ROOT / "docs/conf.py").read_text(encoding="utf-8"))
        for path, text in PAGES.items():
            self.tree.write(path, text)
        self.tree.write("features/store/shelves.feature", SECOND_FEATURE)
        self.tree.edit(FILE, "Source: a document.", "Source: a document (S0).")
        self.tree.write("steps/store/shelves.py", SECOND_STEPS)
        self.tree.write("src/brim/store/shelves.py", "")

    def run(self) -> None:
        """Run the features, whatever becomes of them; each is read anew, as in a process of its own."""
        read_before.clear()
        self.tree.run("features", "--junitxml=build/rulebook.xml")

    @property
    def site(self) -> Path:
        """The folder of the built site."""
        return self.root / "build" / "site"

    def build(self) -> subprocess.CompletedProcess[str]:
        """Build the site from nothing, in a process of its own."""
        for folder in ("site", "read"):
            shutil.rmtree(self.root / "build" / folder, ignore_errors=True)
        quietly = ["-W", "--keep-going", "-q", "--no-color"]
        return self.sphinx.run("sphinx", *quietly, "-d", "build/read", "docs", "build/site", folder=self.root)

    def text(self, path: str) -> str:
        """A page of the site, as it is written."""
        return (self.site / path).read_text(encoding="utf-8")
