"""A tree with three rules, a source document and a decision, in which nothing is wrong."""

from dataclasses import dataclass
from pathlib import Path

from living.origins.source_faults import faults
from living.rules.rulebook import Rulebook

PROJECT = '[[tool.importlinter.contracts]]\nid = "layers"\nlayers = ["(store)"]\n'

LIMITS = "features/store/limits.feature"
S0 = "docs/sources/s0.md"
FIELD = "docs/sources/field.md"
DECISION = "docs/decisions/0001-a-shelf.md"
DECISIONS = "docs/decisions/index.md"

PAGES = {
    LIMITS: """\
Feature: Limits
  What fits is kept.

  @LIM_01
  Rule: What fits a limit is kept
    Source: the first document (S0, section 1), and decision 0001; the field, some/shop#7.

    Scenario: It fits
      Given a shelf

  @LIM_02
  Rule: What does not fit is refused
    Source: the same document on edges
    (S0, on edges).

    Scenario: It does not
      Given a shelf

  @LIM_03
  Rule: What fell is picked up
    Source: the same (S0, edges).

    Scenario: It fell
      Given a shelf
""",
    S0: """\
---
source: S0
nature: notes
gist: How much a shelf holds.
---

# S0: On shelves

Notes on shelves.

## Section 1: limits

```{claims} S0 | 1 | limits
What a shelf holds,
and what it does not.

A shelf holds what fits. | LIM_01; decision 0001
A shelf is `made` of wood. | not taken: it may be of steel; LIM_03 says of what
```

## Edges

```{claims} S0 | edges | on edges
What lies on an edge.

What lies over the edge falls. | LIM_02; note: softly; or not
What falls is picked up. | LIM_03
```
""",
    FIELD: """\
---
source: field
nature: failures
gist: What fell in other shops.
---

# Beyond the document

## Failures

```{claims} field | issues
What others met.

some/shop#7: a shelf fell. | LIM_01
other/shop#9: a shelf rose. | LIM_02
```
""",
    DECISION: """\
# 0001: A shelf holds its limit

Rules: LIM_01,
LIM_02. Status: accepted.

Exactly the limit fits (LIM_01; S0, section 1). `LIM_02` is code.
""".replace(",\nLIM_02.", ", LIM_02."),
    DECISIONS: """\
# Decisions

```{decisions}
0001 | Whether the limit fits.
```

```{toctree}
:hidden:
:glob:

0*
```
""",
}


@dataclass(frozen=True)
class SourceTree:
    """The tree in a folder."""

    root: Path

    def write(self, path: str, text: str) -> None:
        """Write one of its files."""
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text, encoding="utf-8")

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace, once, a text that is there."""
        text = (self.root / path).read_text(encoding="utf-8")
        assert text.count(old) == 1
        self.write(path, text.replace(old, new))

    def faults(self) -> list[str]:
        """Its faults, as the build tells them."""
        found = faults(self.root, Rulebook.read(self.root))
        return [f"{one.path.relative_to(self.root)}:{one.line}: {one.message}" for one in found]


def source_tree(root: Path) -> SourceTree:
    """Make the tree."""
    tree = SourceTree(root)
    for path, text in {"pyproject.toml": PROJECT, **PAGES}.items():
        tree.write(path, text)
    return tree
