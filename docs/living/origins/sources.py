"""The pages of the sources and of the decisions: every claim, the rule that took it up, and whether that rule holds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

from living.faults import warn
from living.origins import rule_links
from living.origins.claims import Claim, Document, Section, issue_anchor, read_documents
from living.origins.decided import Decision, decisions, gists_in
from living.origins.library import library
from living.origins.rule_links import linked, rule_link, state_of
from living.origins.source_faults import faults
from living.rules.feature_page import banners_of
from living.site import Site, site_of
from living.tables import row, table
from living.text import between, link, span

ANCHOR = "section-anchor"
THREADS = "https://github.com/{}/issues/{}"


class Claims(SphinxDirective):
    """`{claims} S2 | 2 | further names` is a section: its gist, an empty line, and on each line a claim."""

    required_arguments = 1
    final_argument_whitespace = True
    has_content = True

    def run(self) -> list[nodes.Node]:
        """The gist, and the table of the claims."""
        site, docname = site_of(self.config), self.env.current_document.docname
        document = _document_of(site, docname)
        section = _section_at(document, self.lineno)
        if document is None or section is None:
            raise self.error("a table of claims stands in docs/sources, behind a fence of three backticks")
        self.env.domains.standard_domain.note_hyperlink_target(section.anchor, docname, section.anchor, section.title)
        gist = nodes.paragraph("", "", *self._inline(section.gist, section.line + 1), classes=["gist"])
        gist[ANCHOR] = section.anchor
        lines = [self._row(site, docname, claim) for claim in section.claims]
        first = "where, and what happened" if any(claim.issue for claim in section.claims) else "what it says"
        claims = table([first, "what became of it"], lines, label="", classes=["claims"])
        return [*(banners_of(site) if section == document.sections[0] else ()), gist, claims]

    def _row(self, site: Site, docname: str, claim: Claim) -> nodes.row:
        words = self._inline(claim.gist.removeprefix(f"{claim.issue}: "), claim.line)
        if claim.issue:
            thread = nodes.reference("", claim.issue, refuri=THREADS.format(*claim.issue.split("#")), internal=False)
            words = [thread, nodes.Text(": "), *words]
        found = row([[nodes.paragraph("", "", *words)], list(self._outcome(site, docname, claim))])
        found["ids"] = [issue_anchor(claim.issue)] if claim.issue else []
        return found

    def _outcome(self, site: Site, docname: str, claim: Claim) -> Iterator[nodes.Node]:
        for rule_id in claim.rules:
            words, verdict = state_of(site, rule_id)
            state = span(words, "verdict", verdict, "no-search")
            yield nodes.paragraph("", "", rule_link(site, docname, rule_id), nodes.Text(" "), state)
        for number in claim.decisions:
            yield nodes.paragraph("", "", *linked(site, docname, f"decision {number}"))
        if claim.refused:
            reason = self._inline(claim.refused, claim.line)
            yield nodes.paragraph("", "", span("not taken", "refused"), nodes.Text(": "), *reason)
        if claim.note:
            yield nodes.paragraph("", "", *self._inline(claim.note, claim.line), classes=["remark"])

    def _inline(self, text: str, line: int) -> list[nodes.Node]:
        found, messages = self.parse_inline(text, lineno=line)
        return [*found, *messages]


class Documents(SphinxDirective):
    """`{documents}` lists the source documents, with what became of their claims in numbers."""

    def run(self) -> list[nodes.Node]:
        """One list."""
        site, docname = site_of(self.config), self.env.current_document.docname
        return [nodes.definition_list("", *(_introduced(docname, one) for one in read_documents(site.root)))]


class DecisionTable(SphinxDirective):
    """`{decisions}` with lines such as `0004 | what it is about` is the table of these decisions."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """One table."""
        site, docname = site_of(self.config), self.env.current_document.docname
        known = {one.number: one for one in decisions(site.root)}
        told = [(known[one.number], one.words) for one in gists_in(1, "\n".join(self.content)) if one.number in known]
        lines = [self._row(site, docname, decision, words) for decision, words in told]
        return [table(["decision", "what it is about", "rules"], lines, label="", classes=["decisions"])]

    def _row(self, site: Site, docname: str, decision: Decision, words: str) -> nodes.row:
        title = [nodes.Text(f"{decision.number} "), link(docname, decision.page, decision.title)]
        about, _ = self.parse_inline(words, lineno=self.lineno)
        rules = between([rule_link(site, docname, one) for one in decision.rules], ", ") or "–"
        return row([title, about, rules])


class SectionAnchors(SphinxTransform):
    """Gives the heading above a table of claims the anchor of its section."""

    default_priority = 800

    def apply(self, **_: Any) -> None:
        """Move the anchors."""
        for gist in self.document.findall(nodes.paragraph):
            if ANCHOR in gist:
                gist.parent["ids"].insert(0, gist.attributes.pop(ANCHOR))


def numbers(document: Document) -> str:
    """How many claims it makes, and how many of them have a rule."""
    taken = sum(bool(claim.rules) for claim in document.claims)
    told = {"taken": taken, "not taken": len(document.claims) - taken}
    return f"{len(document.claims)} claims: {', '.join(f'{number} {what}' for what, number in told.items() if number)}."


def setup(app: Sphinx) -> None:
    """Make the directives known, and look for faults before a page is read."""
    app.add_directive("claims", Claims)
    app.add_directive("documents", Documents)
    app.add_directive("decisions", DecisionTable)
    app.add_transform(SectionAnchors)
    app.connect("config-inited", _forget)
    app.connect("builder-inited", _look_for_faults)
    rule_links.setup(app)


def _forget(*_: object) -> None:
    for read in (read_documents, library, decisions):
        read.cache_clear()


def _look_for_faults(app: Sphinx) -> None:
    site = site_of(app.config)
    warn(faults(site.root, site.rulebook), site.root)


def _document_of(site: Site, page: str) -> Document | None:
    return next((one for one in read_documents(site.root) if one.page == page), None)


def _section_at(document: Document | None, line: int) -> Section | None:
    return next((one for one in document.sections if one.line == line), None) if document else None


def _introduced(docname: str, document: Document) -> nodes.definition_list_item:
    title = nodes.term("", "", link(docname, document.page, document.title))
    nature = f"{document.nature[:1].upper()}{document.nature[1:]}. {document.gist}"
    told = nodes.definition("", nodes.paragraph("", nature), nodes.paragraph("", numbers(document)))
    return nodes.definition_list_item("", title, told)
