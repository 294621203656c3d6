"""Which pages have to be made anew: those whose ingredients are not what they were made from."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

from living.site import Site, site_of

Recipe = Callable[[Site, str], object]

RECIPES: dict[str, Recipe] = {}
"""What a kind of page is made from, besides the files that Sphinx watches: a value whose repr tells it apart."""

MADE_FROM = "made from"


def setup(app: Sphinx) -> None:
    """Look before every build."""
    app.connect("env-get-outdated", _outdated)


def note(env: BuildEnvironment, docname: str, recipe: str, argument: str) -> None:
    """Remember what a page was made from."""
    made_from = env.metadata[docname].setdefault(MADE_FROM, {})
    made_from[recipe, argument] = _digest(env, recipe, argument)


def _outdated(_: Sphinx, env: BuildEnvironment, *__: Iterable[str]) -> list[str]:
    return [page for page, metadata in env.metadata.items() if not _is_current(env, metadata.get(MADE_FROM, {}))]


def _is_current(env: BuildEnvironment, made_from: dict[tuple[str, str], str]) -> bool:
    return all(_digest(env, *key) == digest for key, digest in made_from.items())


def _digest(env: BuildEnvironment, recipe: str, argument: str) -> str:
    value = RECIPES[recipe](site_of(env.config), argument)
    return hashlib.sha256(repr(value).encode()).hexdigest()
