"""Long signatures an argument a line, as lines: Sphinx writes a list of definitions, of which axe-core complains."""

from __future__ import annotations

import re
from typing import Any, Final

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

INSTEAD: Final = {"<dl>": '<span class="sig-lines">', "<dd>": '<span class="sig-line">'}
"""What Sphinx writes around the arguments, and what they are; whatever is closed is a span then."""


def setup(app: Sphinx) -> None:
    """Write the arguments in lines."""
    app.add_node(addnodes.desc_parameterlist, override=True, html=(_enter, _leave))


def as_lines(written: str) -> str:
    """The arguments as Sphinx writes them, in lines."""
    return re.sub(r"</?d[ld]>", lambda tag: INSTEAD.get(tag[0], "</span>"), written)


def _enter(visitor: Any, node: nodes.Element) -> None:
    visitor.arguments_begin = len(visitor.body)
    type(visitor).visit_desc_parameterlist(visitor, node)


def _leave(visitor: Any, node: nodes.Element) -> None:
    type(visitor).depart_desc_parameterlist(visitor, node)
    begin = visitor.arguments_begin
    visitor.body[begin:] = [as_lines("".join(visitor.body[begin:]))]
