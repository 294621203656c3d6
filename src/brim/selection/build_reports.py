"""Build reports: whether a text says that something was built, compiled or installed (ANC_11)."""

from __future__ import annotations

import re
from typing import Final

from brim.selection.telling_lines import telling_lines

WORDS: Final = ("built", "build", "compil", "install", "added ", "target(s) in")
"""A line without one of these says nothing of a build."""

_DONE: Final = r"(?:built|compiled|installed)"
_WELL: Final = r"(?:successfully|successful|success|succeeded|ok|complete|completed|finished)"
STATEMENT: Final = re.compile(
    rf"\bsuccessfully {_DONE}\b"  # Successfully installed brim-0.1
    rf"|\b(?:{_DONE}|build|compilation|installation) (?:was |is |has )?{_WELL}\b"  # compiled successfully
    rf"|\b{_DONE} in \d"  # built in 1.2s
    rf"|\b{_DONE} [1-9]\d* \w"  # compiled 5 modules
    r"|\badded [1-9]\d* packages?\b"  # added 12 packages
    rf"|^\W*{_DONE} (?!0\b|in |with |by |for |from |on |using )[^\s=]"  # Installed package ripgrep, Built target brim
    rf"|\b(?:has been|have been|was|were) {_DONE}\b"
    rf"|\b{_DONE}[.!]?$"  # 12 packages installed
    r"|^\s*finished .*\btarget\(s\) in \d"  # Finished dev target(s) in 0.5s
)
BEFORE: Final = re.compile(
    r"(?<![\w.])0 |\b(?:zero|no|not|nothing|none|never|cannot|without|failed|unable|already|to be|"
    r"if|when|once|until|unless|will|would|should|must|can|could)\b|n't"
)
"""Words before a statement that take it back: a denial, a condition, a wish."""
AFTER: Final = re.compile(r"\b(?:[1-9]\d*|with) errors?\b|(?<!\b0 )\bfailed\b")
"""Words after it on its line that take it back."""


def says_it_built(text: str) -> bool:
    """Whether a text says, and does not take back, that something was built, compiled or installed."""
    return any(_says(line) for line in telling_lines(text.lower(), WORDS))


def _says(line: str) -> bool:
    return any(
        not (BEFORE.search(line[: match.start()]) or AFTER.search(line[match.start() :]))
        for match in STATEMENT.finditer(line)
    )
