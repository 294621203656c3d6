"""What a build of the site is made from: the tree, its rulebook, and the results of the last run."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config

from living.faults import Unfit, stop
from living.results import Results
from living.rules.rulebook import Rulebook


@dataclass(frozen=True, slots=True)
class Site:
    """The material of one build; `root` is the folder of the project."""

    root: Path
    rulebook: Rulebook
    results: Results


_LOADED: dict[str, Site] = {}


def setup(app: Sphinx) -> None:
    """Read everything once, before any page is."""
    project = Path(__file__).parents[2]
    app.add_config_value("living_root", str(project), "", (str,))
    app.add_config_value("living_results", "build/rulebook.xml", "", (str,))
    app.connect("config-inited", _load)


def site_of(config: Config) -> Site:
    """The material of the build that this configuration belongs to."""
    return _LOADED[config.living_root]


def _load(_: Sphinx, config: Config) -> None:
    root = Path(config.living_root)
    try:
        results = Results.read(root / config.living_results, root)
        _LOADED[config.living_root] = Site(root, Rulebook.read(root), results)
    except Unfit as unfit:
        stop(unfit, root)
