"""A rule on the page of its feature: its sentence, ids and state, where it comes from, and what shows it."""

from __future__ import annotations

from collections.abc import Iterator

from docutils import nodes

from living.code_pages import code_link, files_of
from living.origins.decided import decisions_on
from living.origins.implemented import code_of
from living.rules.rulebook import SOURCE, anchor_of, anchors, name_of, paragraphs, portability, source_of
from living.rules.scenarios import scenario_anchors, scenario_section
from living.rules.verdicts import told
from living.site import Site
from living.text import between, link, note, span, verdict_span, with_links
from steps.rulebook import Feature, Rule

CODE = 6
"""Places in the code that are linked at most, those in the module of the feature first."""


def rule_section(docname: str, site: Site, feature: Feature, rule: Rule) -> nodes.section:
    """A rule under its sentence."""
    ids = anchors(feature)[rule.line]
    section = nodes.section("", nodes.title("", rule.sentence), ids=list(ids), classes=["rule"])
    section += _marks(site, feature, rule, ids)
    section += [*_notes(docname, site, rule, ids), *_code(docname, site, name_of(feature), rule)]
    places = scenario_anchors(feature)
    section += [scenario_section(site, feature, rule, one, places[one.line]) for one in rule.scenarios]
    return section


def _notes(docname: str, site: Site, rule: Rule, ids: tuple[str, ...]) -> Iterator[nodes.Element]:
    """Where a rule comes from, what else its description says, and, at the first rule of an id, the decisions on it."""
    yield note("Source:", with_links(docname, source_of(rule), site.root))
    for text in paragraphs(rule.description):
        if not text.startswith(SOURCE):
            yield nodes.paragraph("", "", *with_links(docname, text, site.root))
    first = [rule_id for rule_id, anchor in zip(rule.ids, ids, strict=True) if anchor == anchor_of(rule_id)]
    decisions = {one.number: one for rule_id in first for one in decisions_on(rule_id, site.root)}
    for number, decision in sorted(decisions.items()):
        yield note(f"Decision {number}:", [link(docname, decision.page, decision.title)])


def _code(docname: str, site: Site, feature: str, rule: Rule) -> Iterator[nodes.Element]:
    """Links to the lines of the source that implement the rule."""
    *_, (module, _) = files_of(site.root, feature)
    ranked = code_of(site.root, rule, module)[:CODE]
    links = [code_link(docname, line.path, line.called, line.number) for line in ranked]
    for found, line in zip(links, ranked, strict=True):
        found["reftitle"] = f"{line.path}, line {line.number}"
    if links:
        yield note("Code:", between(links, ", "))


def _marks(site: Site, feature: Feature, rule: Rule, ids: tuple[str, ...]) -> nodes.paragraph:
    tally = site.results.tally(name_of(feature), rule.scenarios)
    marks = nodes.paragraph(classes=["marks"])
    for anchor, rule_id in zip(ids, rule.ids, strict=True):
        marks += [nodes.reference("", rule_id, refid=anchor, classes=["rule-id"]), nodes.Text(" ")]
    if portable := portability(feature, rule):
        marks += [span(portable, "portable"), nodes.Text(" ")]
    marks += verdict_span(told(tally), tally.worst)
    return marks
