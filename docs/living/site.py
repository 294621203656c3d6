"""What a build of the site is made from: the tree, its rulebook, the last run's results, the repository's address."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.errors import ExtensionError

from living.results import Results
from living.rules.rulebook import Rulebook


@dataclass(frozen=True, slots=True)
class Site:
    """The material of one build; `root` is the folder of the project, `repository` its address or nothing."""

    root: Path
    rulebook: Rulebook
    results: Results
    repository: str = ""

    def code(self, path: str, line: int = 0) -> nodes.Node:
        """A file of the code, or a line of it: a link into the repository; without an address of one, plain text."""
        place, anchor = (f"{path}:{line}", f"#L{line}") if line else (path, "")
        if not self.repository:
            return nodes.literal("", place)
        return nodes.reference("", place, refuri=f"{self.repository}/blob/HEAD/{path}{anchor}", internal=False)


_LOADED: dict[str, Site] = {}


def setup(app: Sphinx) -> None:
    """Read everything once, before any page is, and write the pages of features, which hold a directive each."""
    app.add_config_value("living_root", str(Path(__file__).parents[2]), "", (str,))
    app.add_config_value("living_results", "build/rulebook.xml", "", (str,))
    app.connect("config-inited", _load)
    app.connect("builder-inited", _write_pages)


def site_of(config: Config) -> Site:
    """The material of the build that this configuration belongs to."""
    return _LOADED[config.living_root]


def repository_of(root: Path) -> str:
    """The address of the repository, as pyproject.toml has it; nothing without one."""
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8")).get("project", {})
    return str(project.get("urls", {}).get("Repository", "")).rstrip("/").removesuffix(".git")


def _load(_: Sphinx, config: Config) -> None:
    root = Path(config.living_root)
    try:
        results = Results.read(root / config.living_results, root)
        _LOADED[config.living_root] = Site(root, Rulebook.read(root), results, repository_of(root))
    except ExtensionError as error:  # a line a fault, and no trace of the program
        raise SystemExit(f"The site is not built:\n{error}") from error


def _write_pages(app: Sphinx) -> None:
    """Write the page of each feature that has one of its own, in place of those of another build."""
    folder, site = Path(app.srcdir, "rulebook"), site_of(app.config)
    if folder.parent != site.root / "docs":
        return
    for page in folder.glob("*/*.md"):
        if page.name != "index.md":
            page.unlink()
    for name in site.rulebook.features:
        if site.rulebook.page(name) == f"rulebook/{name}":
            (folder / f"{name}.md").write_text(f"```{{feature}} {name}\n```\n", encoding="utf-8")
