"""Words as nodes of a page: steps with their parameters, sources with their links, and what directives make."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from posixpath import relpath

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

PARAMETER = re.compile(r"(<[^<>]+>)")
CODE = re.compile(r"`([^`\n]+)`")


def span(words: str, *classes: str) -> nodes.inline:
    """Words with classes of their own."""
    return nodes.inline("", words, classes=list(classes))


def verdict_span(words: str, outcome: str) -> nodes.inline:
    """Words about an outcome, in its colour; the search passes over them."""
    return span(words, "verdict", f"verdict-{outcome.replace(' ', '-')}", "no-search")


def coded(words: str) -> list[nodes.Node]:
    """Words in which a text between backticks is code."""
    parts = enumerate(CODE.split(words))
    return [nodes.literal("", part) if n % 2 else nodes.Text(part) for n, part in parts if part]


def link(docname: str, target: str, words: str, anchor: str = "") -> nodes.reference:
    """A link from one page of the site to another, or to a place on it."""
    page = "" if docname == target else f"{relpath(target, docname.rpartition('/')[0] or '.')}.html"
    uri = f"{page}#{anchor}" if anchor else page
    return nodes.reference("", "", *coded(words), refuri=uri, internal=True)


def above(node: nodes.Node) -> Iterator[nodes.Element]:
    """The nodes that contain a node, the nearest first."""
    while (node := node.parent) is not None:
        yield node


def filled(text: str, row: Mapping[str, str]) -> str:
    """A text with the values of an example in place of its parameters."""
    return PARAMETER.sub(lambda found: row.get(found[0][1:-1], found[0]), text)


def note(label: str, words: Iterable[nodes.Node]) -> nodes.paragraph:
    """Words about a rule behind a label."""
    return nodes.paragraph("", "", span(label, "label"), nodes.Text(" "), *words, classes=["note"])


def between(parts: Iterable[nodes.Node], words: str) -> list[nodes.Node]:
    """Parts with words between them."""
    return [node for part in parts for node in (nodes.Text(words), part)][1:]


def add_directive(app: Sphinx, name: str, make: Callable[[SphinxDirective], list[nodes.Node]]) -> None:
    """Add a directive whose nodes a function makes of its argument, its content and its page."""

    class Made(SphinxDirective):
        optional_arguments = 1
        has_content = True

        def run(self) -> list[nodes.Node]:
            return make(self)

    app.add_directive(name, Made)


def parsed(directive: SphinxDirective, lines: Iterable[str]) -> list[nodes.Node]:
    """Lines of Markdown as nodes."""
    return directive.parse_text_to_nodes("\n".join(lines), allow_section_headings=True)
