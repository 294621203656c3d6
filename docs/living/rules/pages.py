"""Every room and every feature is linked to by its name, so each has a page of that name."""

from __future__ import annotations

from collections.abc import Iterator

from sphinx.application import Sphinx

from living.faults import Fault, warn
from living.rules.rulebook import Rulebook, name_of
from living.site import site_of

CURE = ": python docs/living/rules/stubs.py writes those of features"


def setup(app: Sphinx) -> None:
    """Look before a page is read."""
    app.connect("builder-inited", lambda app: warn(missing(site_of(app.config).rulebook), site_of(app.config).root))


def missing(rulebook: Rulebook) -> Iterator[Fault]:
    """Pages that are not there, told at a feature that needs them; none in a tree without pages of rules."""
    for room in rulebook.rooms if (rulebook.root / "docs" / "rulebook").exists() else ():
        wanted = {f"{room.name}/index": room.features[0], **{name_of(one): one for one in room.features}}
        for name, feature in wanted.items():
            page = f"docs/rulebook/{name}.md"
            if not (rulebook.root / page).exists():
                yield Fault(feature.path, 1, f"there is no page {page}{CURE}")
