"""The pages of a built site as values: what one can link to in them, and what they link to and load."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from posixpath import dirname, join, normpath
from urllib.parse import unquote, urldefrag, urlsplit

from lxml import html
from lxml.etree import XPath

IDS, NAMES, LEADING, LOADED = (
    XPath(path, smart_strings=False)
    for path in ("//@id", "//@id | //@name", "//*[@href]", "//@src | //@srcset | //@data | //@poster")
)
LOADING_LINKS = {"stylesheet", "icon", "preload", "prefetch", "preconnect", "dns-prefetch", "modulepreload"}


@dataclass
class Page:
    """A page: its path in the site, its anchors, where its links lead, and what a browser loads for it."""

    path: str
    anchors: set[str] = field(default_factory=set)
    ids: list[str] = field(default_factory=list)
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Pages:
    """Every page of a site."""

    site: Path

    @cached_property
    def by_path(self) -> dict[str, Page]:
        """The pages, by their path in the site; the theme's own leftovers in its assets are none of them."""
        found = (path.relative_to(self.site).as_posix() for path in sorted(self.site.rglob("*.html")))
        return {path: _read(self.site, path) for path in found if not path.startswith("_static/")}

    @cached_property
    def files(self) -> frozenset[str]:
        """Every file of the site, by its path in it."""
        return frozenset(path.relative_to(self.site).as_posix() for path in self.site.rglob("*") if path.is_file())

    def broken(self) -> Iterator[str]:
        """Links inside the site that lead nowhere, and anything that is loaded and is not there."""
        for page in self.by_path.values():
            for target in {*page.links, *page.loads}:
                if not _is_outside(target) and (met := self._fault(page, target)):
                    yield f"{page.path}: {target}: {met}"

    def _fault(self, page: Page, target: str) -> str:
        address, anchor = urldefrag(target)
        path = unquote(urlsplit(address).path)
        if path.startswith("/"):
            return "it begins at the root, which a static host need not be"
        there = normpath(join(dirname(page.path), path)) if path else page.path
        if there not in self.files:
            return "there is no such file"
        if anchor and there in self.by_path and unquote(anchor) not in self.by_path[there].anchors:
            return "there is no such anchor"
        return ""


def _read(site: Path, path: str) -> Page:
    root = html.document_fromstring((site / path).read_bytes())
    page = Page(path, {*NAMES(root)}, IDS(root), loads=LOADED(root))
    for element in LEADING(root):
        loading = element.tag == "link" and LOADING_LINKS & set(element.get("rel", "").split())
        (page.loads if loading else page.links).append(element.get("href"))
    return page


def _is_outside(target: str) -> bool:
    parts = urlsplit(target)
    return bool(parts.netloc) or parts.scheme in {"http", "https", "mailto", "file", "ftp"}
