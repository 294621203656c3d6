"""The rules for the search, which finds each by id and sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from sphinx.application import Sphinx
from sphinx.domains import Domain, ObjType

from living.rules.rulebook import anchors
from living.site import site_of


class RuleDomain(Domain):
    """The rules, for the search."""

    name = "rule"
    label = "Rule"
    object_types: ClassVar[dict[str, ObjType]] = {"rule": ObjType("Rule")}

    def get_objects(self) -> Iterable[tuple[str, str, str, str, str, int]]:
        """Each sentence with its ids; that of the most important kind of object."""
        book = site_of(self.env.config).rulebook
        for name, feature in book.features.items():
            for rule in feature.rules:
                for one, anchor in zip(rule.ids, anchors(feature)[rule.line], strict=True):
                    yield f"{anchor}: {rule.sentence}", f"{one}: {rule.sentence}", "rule", book.page(name), anchor, 0

    def merge_domaindata(self, docnames: object, otherdata: object) -> None:
        """Take over nothing: all of it is in the features."""


def setup(app: Sphinx) -> None:
    """Make the domain known."""
    app.add_domain(RuleDomain)
