"""The code on pages of its own, in light and dark, with a place to link to in every line."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path, PurePath
from typing import Any

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_for_filename
from sphinx.application import Sphinx

from living.site import site_of
from living.text import link

MANY = 20
"""Files that are worth a process of their own."""
OF_A_FEATURE = {"feature file": "features/{}.feature", "steps": "steps/{}.py", "source": "src/brim/{}.py"}
PACKAGE = "__init__.py"
NO_SIDEBARS: dict[str, Any] = {"sidebars": [], "theme_secondary_sidebar_items": []}
FOLDERS = ("features/**/*.feature", "steps/**/*.py", "src/brim/**/*.py")


def setup(app: Sphinx) -> None:
    """Add the pages to every build of HTML."""
    app.connect("html-collect-pages", _pages)


def code_link(docname: str, path: str, words: str, line: int | None = None) -> nodes.reference:
    """A link from a page to a file of the code, such as src/brim/trigger/overflow.py, or to a line of it."""
    return link(docname, f"code/{path}", words, f"L-{line}" if line else "")


def code_files(root: Path) -> Iterator[Path]:
    """Every file that has a page."""
    for pattern in FOLDERS:
        yield from sorted(root.glob(pattern))


def beside(root: Path, name: str) -> Iterator[tuple[str, str]]:
    """The pages that are about the same feature, and what they are called."""
    path = PurePath(name)
    feature = "/".join((path.parent if path.name == PACKAGE else path.with_suffix("")).parts[-2:])
    if not (root / "features" / f"{feature}.feature").exists():
        return
    yield f"rulebook/{feature}", "rules"
    yield from ((f"code/{file}", words) for file, words in files_of(root, feature) if file != name)


def files_of(root: Path, feature: str) -> Iterator[tuple[str, str]]:
    """The files of a feature, such as trigger/overflow, and what they are called; a module may be a package."""
    for words, pattern in OF_A_FEATURE.items():
        file = pattern.format(feature)
        package = f"{file.removesuffix('.py')}/{PACKAGE}"
        if (root / package).exists():
            yield package, words
        elif (root / file).exists():  # the steps of a feature without wordings of its own are those of the worlds
            yield file, words


def _pages(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    root = site_of(app.config).root
    paths = list(code_files(root))
    with ProcessPoolExecutor(app.parallel, mp_context=get_context("spawn")) as pool:
        for path, body in zip(paths, pool.map(_body, paths, chunksize=MANY), strict=True):
            name = path.relative_to(root).as_posix()
            context = {"title": name, "body": body, "beside": list(beside(root, name))}
            yield f"code/{name}", {**context, **NO_SIDEBARS}, "code.html"


def _body(path: Path) -> str:
    formatter = HtmlFormatter(linenos="inline", lineanchors="L", anchorlinenos=True, cssclass="highlight")
    return highlight(path.read_text(encoding="utf-8"), get_lexer_for_filename(path.name), formatter)
