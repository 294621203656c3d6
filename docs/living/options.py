"""Names of options stay whole: a literal such as --target breaks at its spaces alone."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

LONG = 30
"""Characters of a word that a phone cannot show on one line."""


class OptionNames(SphinxTransform):
    """Marks literals with an option in them, but for those with a long word, which a phone has to break."""

    default_priority = 880

    def apply(self, **_: Any) -> None:
        """Mark them."""
        for literal in self.document.findall(nodes.literal):
            words = literal.astext().split()
            if any(word.startswith("-") for word in words) and max(map(len, words)) < LONG:
                literal["classes"].append("option-name")


def setup(app: Sphinx) -> None:
    """Make the transform known."""
    app.add_transform(OptionNames)
