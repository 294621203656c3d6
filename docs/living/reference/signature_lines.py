"""Long signatures an argument a line, as lines and not as a list of definitions, which they are none of."""

from __future__ import annotations

from typing import Any, Final

from docutils import nodes
from sphinx import addnodes
from sphinx.application import Sphinx

LONGEST: Final = 60
"""Characters of a signature on one line."""
INSTEAD: Final = (
    ("<dl>", '<span class="sig-lines">'),
    ("</dl>", "</span>"),
    ("<dd>", '<span class="sig-line">'),
    ("</dd>", "</span>"),
)
"""What Sphinx writes of the arguments, and what they are."""


def setup(app: Sphinx) -> None:
    """Write the arguments in lines."""
    app.add_node(addnodes.desc_parameterlist, override=True, html=(_enter, _leave))


def as_lines(written: str) -> str:
    """The arguments as Sphinx writes them, in lines."""
    for old, new in INSTEAD:
        written = written.replace(old, new)
    return written


def _enter(visitor: Any, node: nodes.Element) -> None:
    visitor.arguments_begin = len(visitor.body)
    type(visitor).visit_desc_parameterlist(visitor, node)


def _leave(visitor: Any, node: nodes.Element) -> None:
    type(visitor).depart_desc_parameterlist(visitor, node)
    begin = visitor.arguments_begin
    visitor.body[begin:] = [as_lines("".join(visitor.body[begin:]))]
