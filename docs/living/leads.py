"""Keeps an incremental build as good as one from nothing: what leads to a page that moved, went or came is mended."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.builders.html import StandaloneHTMLBuilder
from sphinx.environment import BuildEnvironment

from living.code_pages import code_files
from living.site import site_of

OF_SPHINX = ("search", "genindex")
"""Pages that Sphinx makes of no document."""


class Leads:
    """What links and navigation are made from: where labels lead, what headings are called, which page is below which.

    A page that is not read again holds its links unresolved; it is enough to write it again.
    """

    def __init__(self) -> None:
        self.before: object = None

    def note(self, _: Sphinx, env: BuildEnvironment, *__: Iterable[str]) -> list[str]:
        """Remember them as the last build left them. Makes no page outdated."""
        self.before = _leads(env)
        return []

    def compare(self, _: Sphinx, env: BuildEnvironment) -> list[str]:
        """Have every page written where they are others now."""
        return sorted(env.all_docs) if self.before != _leads(env) else []


def setup(app: Sphinx) -> None:
    """Watch every build."""
    leads = Leads()
    app.connect("env-get-outdated", leads.note)
    app.connect("env-before-read-docs", _clear)
    app.connect("env-updated", leads.compare)
    app.connect("build-finished", _remove_leftovers)


def _leads(env: BuildEnvironment) -> object:
    headings = {page: sorted(metadata.get("myst_slugs", ())) for page, metadata in env.metadata.items()}
    titles = {page: title.astext() for page, title in env.titles.items()}
    below = {page: list(pages) for page, pages in env.toctree_includes.items()}
    return dict(env.domains.standard_domain.anonlabels), titles, below, headings


def _clear(_: Sphinx, env: BuildEnvironment, docnames: list[str]) -> None:
    """Forget all that is read anew, so that a label that moves is met in its new place alone."""
    for docname in docnames:
        env.clear_doc(docname)


def _remove_leftovers(app: Sphinx, failure: Exception | None) -> None:
    """Remove the pages of documents and of code that are there no more."""
    if failure or not isinstance(app.builder, StandaloneHTMLBuilder):
        return
    root, out = site_of(app.config).root, Path(app.outdir)
    code = (f"code/{path.relative_to(root).as_posix()}" for path in code_files(root))
    kept = {Path(app.builder.get_output_path(page)) for page in (*app.env.all_docs, *OF_SPHINX, *code)}
    for page in sorted(out.rglob("*.html")):
        if page not in kept and not page.relative_to(out).parts[0].startswith("_"):
            page.unlink()
