"""The domain of rules: the search finds each, and each message quoted by an example; {rule}`TRG_04` links to one."""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Any, NamedTuple

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.builders import Builder
from sphinx.domains import Domain, ObjType
from sphinx.environment import BuildEnvironment
from sphinx.roles import XRefRole
from sphinx.util.nodes import make_refnode


class Place(NamedTuple):
    """Where a sentence of a rule stands; the id leads to the place that is its home."""

    docname: str
    anchor: str
    rule_id: str
    sentence: str
    home: bool


class Message(NamedTuple):
    """A message of brim, and the scenario that quotes it."""

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
    object_types = {"rule": ObjType("Rule", "id"), "message": ObjType("Message")}  # noqa: RUF012 - Sphinx declares it so
    roles = {"id": RuleRole()}  # noqa: RUF012 - Sphinx declares it so
    initial_data = {"places": {}, "messages": {}}  # noqa: RUF012 - Sphinx declares it so
    dangling_warnings = {"id": "there is no rule %(target)s"}  # noqa: RUF012 - Sphinx declares it so

    @property
    def places(self) -> dict[str, list[Place]]:
        """The places of rules, by page."""
        return self.data["places"]  # type: ignore[no-any-return]

    @property
    def messages(self) -> dict[str, list[Message]]:
        """The messages that examples quote, by page."""
        return self.data["messages"]  # type: ignore[no-any-return]

    def note(self, place: Place) -> None:
        """Note a rule on its page."""
        self.places.setdefault(place.docname, []).append(place)

    def note_message(self, message: Message) -> None:
        """Note a message on the page that quotes it."""
        self.messages.setdefault(message.docname, []).append(message)

    def clear_doc(self, docname: str) -> None:
        """Forget a page."""
        self.places.pop(docname, None)
        self.messages.pop(docname, None)

    def merge_domaindata(self, docnames: AbstractSet[str], otherdata: dict[str, Any]) -> None:
        """Take over what another process read."""
        for kind in ("places", "messages"):
            self.data[kind].update({page: found for page, found in otherdata[kind].items() if page in docnames})

    def get_objects(self) -> Iterable[tuple[str, str, str, str, str, int]]:
        """The rules for the search, id and sentence in one, since that is what a result shows; and the messages."""
        for one in (place for found in self.places.values() for place in found):
            yield f"{one.docname}#{one.anchor}", f"{one.rule_id}: {one.sentence}", "rule", one.docname, one.anchor, 0
        for said in (message for found in self.messages.values() for message in found):
            yield f"{said.docname}#{said.anchor}: {said.text}", said.text, "message", said.docname, said.anchor, 0

    def resolve_xref(self, env: Any, page: str, builder: Builder, *given: Any) -> nodes.reference | None:  # noqa: ARG002
        """The link from a page to the home of an id."""
        _, target, _, words = given
        for one in (place for found in self.places.values() for place in found):
            if one.rule_id == target and one.home:
                return make_refnode(builder, page, one.docname, one.anchor, [words], one.sentence)
        return None

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
