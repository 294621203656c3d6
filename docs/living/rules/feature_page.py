"""The page of a feature: its prose, its rules with their sources, and every example with its verdict."""

from __future__ import annotations

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living.code_pages import code_link, files_of
from living.rules.domain import Said, rules_of
from living.rules.messages import messages_of
from living.rules.rule_section import rule_section
from living.rules.rulebook import anchors, counted, name_of, paragraphs
from living.rules.scenarios import scenario_anchors
from living.rules.verdicts import told
from living.site import Site, site_of
from living.text import between, span, verdict_span, with_links
from steps.rulebook import Feature


class FeaturePage(SphinxDirective):
    """`{feature} trigger/overflow` is the whole page of that feature."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The page as a section. Raises an error on a feature that is not there."""
        site, name = site_of(self.config), self.arguments[0]
        feature = site.rulebook.features.get(name)
        if feature is None:
            raise self.error(f"there is no feature {name!r}: run python docs/living/rules/stubs.py")
        self.env.note_dependency(str(feature.path))
        self._note_rules(feature)
        return [feature_section(self.docname, site, feature)]

    @property
    def docname(self) -> str:
        """The page that the directive stands on."""
        return self.env.current_document.docname

    def _note_rules(self, feature: Feature) -> None:
        """Each rule is an object of the domain of rules, and so is each message that its examples quote."""
        domain, places, scenarios = rules_of(self.env), anchors(feature), scenario_anchors(feature)
        for rule in feature.rules:
            for rule_id, anchor in zip(rule.ids, places[rule.line], strict=True):
                domain.note("rule", Said(self.docname, anchor, f"{rule_id}: {rule.sentence}"))
        for scenario in feature.scenarios:
            for text in messages_of(scenario):
                domain.note("message", Said(self.docname, scenarios[scenario.line], text))


def setup(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("feature", FeaturePage)


def feature_section(docname: str, site: Site, feature: Feature) -> nodes.section:
    """The whole page."""
    section = nodes.section("", nodes.title("", feature.name), ids=[nodes.make_id(feature.name)], classes=["feature"])
    section += banners_of(site)
    section += _prose(docname, site, feature)
    section += _facts(docname, site, feature)
    section += [rule_section(docname, site, feature, rule) for rule in feature.rules]
    return section


def banners_of(site: Site) -> list[nodes.warning]:
    """A warning where the last run was of another version, and its verdicts are kept back; else nothing."""
    if site.results.current or not site.results.there:
        return []
    words = "The last run is not from this version, so no example is shown as holding. Run make docs."
    return [nodes.warning("", nodes.paragraph("", words), classes=["not-this-version"])]


def _facts(docname: str, site: Site, feature: Feature) -> nodes.paragraph:
    tally = site.results.tally(name_of(feature), feature.scenarios)
    code = [code_link(docname, path, words) for path, words in files_of(site.root, name_of(feature))]
    facts = [span(counted([feature])), verdict_span(told(tally), tally.worst), *code]
    return nodes.paragraph("", "", *between(facts, " · "), classes=["facts"])


def _prose(docname: str, site: Site, feature: Feature) -> list[nodes.Node]:
    texts = paragraphs(feature.description)
    return [nodes.paragraph("", "", *with_links(docname, text, site.root)) for text in texts]
