"""How long the pages are, now and at a revision: `python -m tests.page_words [REVISION]`, in Markdown.

Pages of rules, of the API and of the portable operations are not counted, since they come from the features and the
code; nor are they at the revision, where programs wrote the operations and their phrases in docs/implementers.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
GROUPS = {
    "README.md": "README, CONTRIBUTING",
    "CONTRIBUTING.md": "README, CONTRIBUTING",
    "docs/guides/": "guides and porting",
    "docs/implementers/operations.md": "",
    "docs/implementers/phrases.md": "",
    "docs/implementers/": "guides and porting",
    "docs/decisions/": "decisions",
    "docs/sources/": "sources",
    "docs/reference/api/": "",
    "docs/reference/operations.md": "",
    "docs/reference/": "reference",
    "docs/rulebook/": "",
    "docs/examples/": "",
    "docs/": "start, evidence, why, charts, FAQ, measurements",
}
"""The name of each group of pages by how their paths begin, the first that fits; without a name they do not count."""


def words_of(pages: Iterator[tuple[str, str]]) -> dict[str, list[int]]:
    """The number of words on each page of a group, by the name of the group."""
    found: dict[str, list[int]] = {name: [] for name in GROUPS.values() if name}
    for path, text in pages:
        name = next((name for start, name in GROUPS.items() if path.startswith(start)), "")
        if name and path.endswith(".md"):
            found[name].append(len(text.split()))
    return found


def here() -> Iterator[tuple[str, str]]:
    """The pages of this tree."""
    for path in (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")):
        yield path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")


def at(revision: str) -> Iterator[tuple[str, str]]:
    """The pages of a revision."""
    for path in _git("ls-tree", "-r", "--name-only", revision).splitlines():
        if path.endswith(".md"):
            yield path, _git("show", f"{revision}:{path}")


def table(*columns: dict[str, list[int]]) -> Iterator[str]:
    """A row for each group, and the sum: words per page, and words in pages."""
    for name in columns[0]:
        yield f"| {name} | {' | '.join(_cell(one[name]) for one in columns)} |"
    yield f"| all | {' | '.join(_cell([n for words in one.values() for n in words]) for one in columns)} |"


def _cell(words: list[int]) -> str:
    return f"{round(sum(words) / len(words)):,} ({sum(words):,} in {len(words)})" if words else "–"


def _git(*arguments: str) -> str:
    ran = subprocess.run(["git", "-C", str(ROOT), *arguments], capture_output=True, check=True)
    return ran.stdout.decode()


if __name__ == "__main__":
    print("\n".join(table(*(words_of(at(one)) for one in sys.argv[1:2]), words_of(here()))))
