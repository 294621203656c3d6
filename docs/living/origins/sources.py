"""The pages of the sources and of the decisions: every claim, the rule that took it up, and whether that rule holds."""

from __future__ import annotations

from collections.abc import Iterator

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.logging import getLogger

from living.origins import rule_links
from living.origins.claims import CELL, Claim, Document, read_documents
from living.origins.decided import decisions
from living.origins.mentions import issue_anchor, library
from living.origins.rule_links import linked, rule_link, state_of
from living.origins.source_faults import faults
from living.rules.feature_page import banners_of
from living.site import site_of
from living.tables import row, table
from living.text import between, link, span

THREADS = "https://github.com/{}/issues/{}"
logger = getLogger(__name__)


class _Directive(SphinxDirective):
    """Write the rules and marked-up texts that the directives of these pages need."""

    has_content = True

    def inline(self, text: str) -> list[nodes.Node]:
        """A text with its markup."""
        found, messages = self.parse_inline(text, lineno=self.lineno)
        return [*found, *messages]

    def rules(self, ids: tuple[str, ...]) -> list[nodes.Node]:
        """Links to rules."""
        site, docname = site_of(self.config), self.env.current_document.docname
        return [rule_link(site, docname, one) for one in ids]


class Claims(_Directive):
    """`{claims} S2 | 2 | further names` is a section: its gist, an empty line, and on each line a claim."""

    required_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        """The gist, and the table of the claims."""
        site, docname = site_of(self.config), self.env.current_document.docname
        sections = [one for page in read_documents(site.root) if page.page == docname for one in page.sections]
        section = next((one for one in sections if one.line == self.lineno), None)
        if section is None:
            raise self.error("a table of claims stands in docs/sources, behind a fence of three backticks")
        gist = nodes.paragraph("", "", *self.inline(section.gist), classes=["gist"], ids=[section.anchor])
        first = "where, and what happened" if any(claim.issue for claim in section.claims) else "what it says"
        lines = [self._row(claim) for claim in section.claims]
        claims = table([first, "what became of it"], lines, label="", classes=["claims"])
        return [*(banners_of(site) if section is sections[0] else ()), gist, claims]

    def _row(self, claim: Claim) -> nodes.row:
        words = self.inline(claim.gist.removeprefix(f"{claim.issue}: "))
        if claim.issue:
            thread = nodes.reference("", claim.issue, refuri=THREADS.format(*claim.issue.split("#")), internal=False)
            words = [thread, nodes.Text(": "), *words]
        found = row([[nodes.paragraph("", "", *words)], list(self._outcome(claim))])
        found["ids"] = [issue_anchor(claim.issue)] if claim.issue else []
        return found

    def _outcome(self, claim: Claim) -> Iterator[nodes.Node]:
        site, docname = site_of(self.config), self.env.current_document.docname
        for rule_id, rule in zip(claim.rules, self.rules(claim.rules), strict=True):
            yield nodes.paragraph("", "", rule, nodes.Text(" "), *state_of(site, rule_id))
        for number in claim.decisions:
            yield nodes.paragraph("", "", *linked(site, docname, f"decision {number}"))
        if claim.refused:
            yield nodes.paragraph("", "", span("not taken", "refused"), nodes.Text(": "), *self.inline(claim.refused))
        if claim.note:
            yield nodes.paragraph("", "", *self.inline(claim.note), classes=["remark"])


class Documents(SphinxDirective):
    """`{documents}` lists the source documents, with what became of their claims in numbers."""

    def run(self) -> list[nodes.Node]:
        """One list."""
        documents = read_documents(site_of(self.config).root)
        return [nodes.definition_list("", *(_introduced(self.env.current_document.docname, one) for one in documents))]


class DecisionTable(_Directive):
    """`{decisions}` with lines such as `0204 | what it is about` is the table of these decisions."""

    def run(self) -> list[nodes.Node]:
        """One table. Raises an error on a number that is none."""
        docname, known = (
            self.env.current_document.docname,
            {one.number: one for one in decisions(site_of(self.config).root)},
        )
        rows = []
        for number, _, about in (line.partition(CELL) for line in self.content if line.strip()):
            if not (one := known.get(number)):
                raise self.error(f"there is no decision {number!r}")
            title = [nodes.Text(f"{number} "), link(docname, one.page, one.title)]
            rows.append(row([title, self.inline(about), between(self.rules(one.rules), ", ") or "–"]))
        return [table(["decision", "what it is about", "rules"], rows, label="", classes=["decisions"])]


def setup(app: Sphinx) -> None:
    """Make the directives known, and look for faults before a page is read."""
    app.add_directive("claims", Claims)
    app.add_directive("documents", Documents)
    app.add_directive("decisions", DecisionTable)
    app.connect("builder-inited", _look_for_faults)
    rule_links.setup(app)


def _look_for_faults(app: Sphinx) -> None:
    """Say what is wrong; a build that takes warnings for errors fails."""
    for read in (read_documents, library, decisions):
        read.cache_clear()
    site = site_of(app.config)
    for path, line, message in faults(site.root, site.rulebook):
        logger.warning(message, location=f"{path.relative_to(site.root)}:{line}", type="living")


def _introduced(docname: str, document: Document) -> nodes.definition_list_item:
    taken = sum(bool(claim.rules) for claim in document.claims)
    numbers = {"taken": taken, "not taken": len(document.claims) - taken}
    said = ", ".join(f"{number} {what}" for what, number in numbers.items() if number)
    nature = f"{document.nature[:1].upper()}{document.nature[1:]}. {document.gist}"
    title = nodes.term("", "", link(docname, document.page, document.title))
    about = nodes.definition(
        "", *(nodes.paragraph("", one) for one in (nature, f"{len(document.claims)} claims: {said}."))
    )
    return nodes.definition_list_item("", title, about)
