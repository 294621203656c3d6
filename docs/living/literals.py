"""Code in prose: the path of a file that has a page becomes a link to it, and a stray backtick is a fault."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util import logging

from living.code_pages import code_link
from living.site import site_of
from living.text import above

PATH = re.compile(r"features/[\w/]+\.feature|(?:steps|src/brim)/[\w/]+\.py")
SHOWN = ("rulebook/", "changes", "decisions/index")
"""Pages that show texts of features and decisions as they are, shell commands with backticks among them."""
CODE = (nodes.literal, nodes.literal_block, nodes.raw, nodes.math, nodes.comment)

logger = logging.getLogger(__name__)


class CodeInProse(SphinxTransform):
    """Links paths such as `src/brim/trigger/overflow.py`, and finds backticks that open no code."""

    default_priority = 871

    def apply(self, **_: Any) -> None:
        """Go through the page."""
        docname, root = self.env.current_document.docname, site_of(self.config).root
        for literal in list(self.document.findall(nodes.literal)):
            path = literal.astext()
            if _has_page(root, path) and not isinstance(literal.parent, nodes.reference):
                found = code_link(docname, path, "")
                literal.replace_self(found)
                found += literal
        for text in self.document.findall(nodes.Text) if not docname.startswith(SHOWN) else ():
            if "`" in text and not any(isinstance(one, CODE) for one in above(text)):
                logger.warning("a backtick opens no code: %s", text.astext(), location=text.parent, type="living")


def setup(app: Sphinx) -> None:
    """Make the transform known."""
    app.add_transform(CodeInProse)


def _has_page(root: Path, path: str) -> bool:
    return bool(PATH.fullmatch(path)) and (root / path).is_file()
