"""Rules by their ids: {rule}`TRG_04` links to one, and the search finds each by id and sentence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.domains import Domain, ObjType
from sphinx.util.docutils import ReferenceRole

from living.rules.rulebook import anchors
from living.site import site_of
from living.text import link


class RuleRole(ReferenceRole):
    """A link to a rule by its id, or by its id and words of the sentence that is meant."""

    def run(self) -> tuple[list[nodes.Node], list[nodes.system_message]]:
        """The link; an id of no rule, or words of none or of several, are an error."""
        if not (place := site_of(self.config).rulebook.place(*self.target.split(" ", 1))):
            return [], [self.inliner.reporter.error(f"there is no rule {self.target}, or several", line=self.lineno)]
        found = link(self.env.current_document.docname, place.page, self.title, place.anchor)
        found["reftitle"] = place.gist
        return [found], []


class RuleDomain(Domain):
    """The rules, for the search."""

    name = "rule"
    label = "Rule"
    object_types: ClassVar[dict[str, ObjType]] = {"rule": ObjType("Rule")}

    def get_objects(self) -> Iterable[tuple[str, str, str, str, str, int]]:
        """Each sentence with its ids; that of the most important kind of object."""
        for name, feature in site_of(self.env.config).rulebook.features.items():
            for rule in feature.rules:
                for one, anchor in zip(rule.ids, anchors(feature)[rule.line], strict=True):
                    yield f"{anchor}: {rule.sentence}", f"{one}: {rule.sentence}", "rule", f"rulebook/{name}", anchor, 0

    def merge_domaindata(self, docnames: object, otherdata: object) -> None:
        """Take over nothing: all of it is in the features."""


def setup(app: Sphinx) -> None:
    """Make the domain and the role known."""
    app.add_domain(RuleDomain)
    app.add_role("rule", RuleRole())
