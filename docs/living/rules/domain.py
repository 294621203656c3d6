"""The domain of rules: {rule}`TRG_04` links to one, and the search finds the rules, messages and leads it notes."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from itertools import chain
from textwrap import shorten
from typing import Any, Final, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.domains import Domain, ObjType
from sphinx.environment import BuildEnvironment
from sphinx.roles import XRefRole
from sphinx.util.nodes import make_refnode

from living.site import site_of

LEAD: Final = 300
"""Characters of a lead at most."""


class Said(NamedTuple):
    """What stands at an anchor of a page: an id and its sentence, the message of an example, or the lead of a section.

    A lead is the first paragraph below a heading.
    """

    docname: str
    anchor: str
    text: str


class RuleRole(XRefRole):
    """A link to a rule by its id; an unknown id is an error that names file and line."""

    def process_link(self, env: Any, refnode: nodes.Element, *given: Any) -> tuple[str, str]:  # noqa: ARG002
        """Have the domain resolve it."""
        refnode.attributes.update(refdomain=RuleDomain.name, reftype="id")
        _, title, target = given
        return title, target


class RuleDomain(Domain):
    """The rules, by page."""

    name = "rule"
    label = "Rule"
    object_types = {"rule": ObjType("Rule", "id"), "message": ObjType("Message"), "lead": ObjType("Lead")}  # noqa: RUF012 - Sphinx declares it so
    roles = {"id": RuleRole()}  # noqa: RUF012 - Sphinx declares it so
    initial_data = {"rule": {}, "message": {}, "lead": {}}  # noqa: RUF012 - Sphinx declares it so
    dangling_warnings = {"id": "there is no rule %(target)s, or several"}  # noqa: RUF012 - Sphinx declares it so

    def note(self, kind: str, what: Said) -> None:
        """Note a rule, a message or a lead on its page."""
        self.data[kind].setdefault(what.docname, []).append(what)

    def clear_doc(self, docname: str) -> None:
        """Forget a page."""
        for kind in self.initial_data:
            self.data[kind].pop(docname, None)

    def merge_domaindata(self, docnames: AbstractSet[str], otherdata: dict[str, Any]) -> None:
        """Take over what another process read."""
        for kind in self.initial_data:
            self.data[kind].update({page: found for page, found in otherdata[kind].items() if page in docnames})

    def process_doc(self, env: Any, docname: str, document: nodes.document) -> None:  # noqa: ARG002
        """Note the leads of a page; the page's own has no anchor."""
        for head in (*document.findall(nodes.title), *document.findall(nodes.term)):
            anchor = next(iter(head["ids"] or head.parent["ids"]), "")
            below = sorted(head.parent.children, key=lambda part: isinstance(part, nodes.section))
            texts = (one for part in below for one in part.findall(nodes.paragraph))
            lead = next((one.astext() for one in texts if not isinstance(one.parent, (nodes.entry, nodes.warning))), "")
            if lead and anchor and not anchor.startswith(("rule-", "scenario-")):
                at = anchor if head.parent.parent is not document else ""
                self.note("lead", Said(docname, at, shorten(lead, LEAD, placeholder=" …")))

    def get_objects(self) -> Iterable[tuple[str, str, str, str, str, int]]:
        """What the search finds."""
        for kind in self.object_types:
            for one in chain.from_iterable(self.data[kind].values()):
                yield f"{one.docname}#{one.anchor}: {one.text}", one.text, kind, one.docname, one.anchor, 0

    def resolve_xref(self, env: Any, page: str, builder: Builder, *given: Any) -> nodes.reference | None:
        """The link from a page to a rule: TRG_04, or TRG_04 and words of the sentence that is meant."""
        _, target, _, words = given
        place = site_of(env.config).rulebook.place(*target.split(" ", 1))
        return place and make_refnode(builder, page, place.page, place.anchor, [words], place.gist)

    def resolve_any_xref(self, *given: Any) -> list[tuple[str, nodes.reference]]:
        """The same for a link that names no domain."""
        env, page, builder, *rest = given
        found = self.resolve_xref(env, page, builder, "id", *rest)
        return [("rule:id", found)] if found else []


def rules_of(env: BuildEnvironment) -> RuleDomain:
    """The domain of a build."""
    domain = env.domains[RuleDomain.name]
    assert isinstance(domain, RuleDomain)  # noqa: S101 - the only one of that name
    return domain


def setup(app: Sphinx) -> None:
    """Make the domain and its short role known."""
    app.add_domain(RuleDomain)
    app.add_role("rule", RuleRole(warn_dangling=True))
