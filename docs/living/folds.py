"""What is long is folded: the browser finds words in it all the same and opens it, and paper shows it open."""

from __future__ import annotations

from html import escape

from docutils import nodes


def folded(summary: str, *inside: nodes.Node, opened: bool = False, anchor: str = "") -> list[nodes.Node]:
    """Some nodes under a line that opens and closes them."""
    said = f' id="{anchor}"' if anchor else ""
    begin = f"<details{said}{' open' if opened else ''}><summary>{escape(summary)}</summary>"
    return [nodes.raw("", begin, format="html"), *inside, nodes.raw("", "</details>", format="html")]
