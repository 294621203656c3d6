"""The pages for implementers, as they stand in the repository, with the links that only the site can have.

Rules lead to their features, and an operation that a phrase asks for leads to what it takes and gives. A list of
operations that is not what the declarations say fails the build.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from pathlib import Path
from typing import Final

from sphinx.application import Sphinx
from sphinx.errors import ExtensionError

from brim.portable.operations import OPERATIONS
from living.reference.docstrings import RULE
from living.reference.operations_page import operations_page

OPERATIONS_PAGE: Final = "implementers/operations"
PHRASES_PAGE: Final = "implementers/phrases"
PAGES: Final = ("implementers/README", OPERATIONS_PAGE, PHRASES_PAGE)
LITERAL: Final = re.compile(r"`(\w+)`")
BARE_HEAD: Final = "| field | type | default | |"
HEAD: Final = "| field | type | default | meaning |"
"""The head of a table whose last column says what it holds, for those who do not see it."""


def setup(app: Sphinx) -> None:
    """Look at the list before the build, and at each page when it is read."""
    app.connect("builder-inited", _check)
    app.connect("source-read", _read)


def linked(page: str, text: str) -> str:
    """A page with its links: rules in every one of them, operations where phrases ask for them."""
    lines = rules_linked(text.replace(BARE_HEAD, HEAD)).split("\n")
    if page == PHRASES_PAGE:
        lines = [_asked(line) for line in lines]
    return "\n".join(lines)


def rules_linked(text: str) -> str:
    """A text in which every rule's id leads to the rule; what is between backticks stays as it is."""
    pieces = re.split(r"(`+.+?`+)", text)
    return "".join(piece if piece.startswith("`") else RULE.sub(r"{rule}`\g<0>`", piece) for piece in pieces)


def stale(written: str, current: str) -> int | None:
    """The first line in which a page is not what it ought to be, from 1; None where it is current."""
    pairs = zip_longest(written.split("\n"), current.split("\n"))
    return next((number for number, (old, new) in enumerate(pairs, 1) if old != new), None)


def _asked(line: str) -> str:
    """A row of a table whose last cell names operations."""
    if not line.startswith("| *"):
        return line
    phrase, cell, end = line.rsplit("|", 2)
    return f"{phrase}|{LITERAL.sub(_operation, cell)}|{end}"


def _operation(met: re.Match[str]) -> str:
    return f"[{met[0]}](operations.md#{met[1]})" if met[1] in OPERATIONS else met[0]


def _read(_: Sphinx, docname: str, source: list[str]) -> None:
    if docname in PAGES:
        source[0] = linked(docname, source[0])


def _check(app: Sphinx) -> None:
    """Raise ExtensionError with file and line where the list of operations is not current."""
    page = Path(app.srcdir) / f"{OPERATIONS_PAGE}.md"
    line = stale(page.read_text(encoding="utf-8"), operations_page()) if page.is_file() else None
    if line is not None:
        raise ExtensionError(
            f"docs/{OPERATIONS_PAGE}.md:{line}: it is not what the declared operations say; "
            "run python docs/implementers/generate.py"
        )
