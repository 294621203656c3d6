"""The page of a feature: its prose, its rules with their sources, and every example with its verdict."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living.origins.decided import decisions_on
from living.origins.implemented import code_of, files_of
from living.results import SIGNS, Verdict, name_of
from living.rules.rulebook import SOURCE, anchors, counted, paragraphs, portability, source_of
from living.site import Site, site_of
from living.tables import entry, folded, row, table
from living.text import between, link, note, span, verdict_span, with_links, with_parameters
from steps.rulebook import Examples, Feature, Rule, Scenario, Step

CODE = 3
"""Places in the code that a rule names at most, those in the module of its feature first."""


class FeaturePage(SphinxDirective):
    """`{feature} trigger/overflow` is the whole page of that feature."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """The page as a section. Raises an error on a feature that is not there."""
        site, name = site_of(self.config), self.arguments[0]
        if name not in site.rulebook.features:
            raise self.error(f"there is no feature {name!r}")
        return [feature_section(self.env.current_document.docname, site, site.rulebook.features[name])]


def setup(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("feature", FeaturePage)


def feature_section(docname: str, site: Site, feature: Feature) -> nodes.section:
    """The whole page."""
    name, tally = name_of(feature), site.results.tally(name_of(feature), feature.scenarios)
    files = [site.code(path) for path in files_of(site.root, name)]
    facts = [span(counted([feature])), verdict_span(str(tally), tally.worst), *files]
    return nodes.section(
        "",
        nodes.title("", feature.name),
        *banners_of(site),
        *(nodes.paragraph("", "", *with_links(docname, text, site.root)) for text in paragraphs(feature.description)),
        nodes.paragraph("", "", *between(facts, " · "), classes=["facts"]),
        *(rule_section(docname, site, feature, rule) for rule in feature.rules),
        ids=[nodes.make_id(feature.name)],
        classes=["feature"],
    )


def banners_of(site: Site) -> list[nodes.warning]:
    """A warning where the last run was of another version, and its verdicts are kept back; else nothing."""
    if site.results.current or not site.results.there:
        return []
    words = "The last run is not from this version, so no example is shown as holding. Run make docs."
    return [nodes.warning("", nodes.paragraph("", words), classes=["not-this-version"])]


def rule_section(docname: str, site: Site, feature: Feature, rule: Rule) -> nodes.section:
    """A rule under its sentence: ids and state, where it comes from, its code, and what shows it."""
    ids, tally = anchors(feature)[rule.line], site.results.tally(name_of(feature), rule.scenarios)
    marks: list[nodes.Node] = [
        nodes.reference("", one, refid=at, classes=["rule-id"]) for at, one in zip(ids, rule.ids, strict=True)
    ]
    if portable := portability(feature, rule):
        marks.append(span(portable, "portable"))
    marks.append(verdict_span(str(tally), tally.worst))
    places = scenario_anchors(feature)
    return nodes.section(
        "",
        nodes.title("", rule.sentence),
        nodes.paragraph("", "", *between(marks, " "), classes=["marks"]),
        *_notes(docname, site, feature, rule, ids),
        *(scenario_section(site, feature, rule, one, places[one.line]) for one in rule.scenarios),
        ids=list(ids),
        classes=["rule"],
    )


def _notes(docname: str, site: Site, feature: Feature, rule: Rule, ids: tuple[str, ...]) -> Iterator[nodes.Element]:
    """Its source, what else its description says, at the first rule of an id the decisions on it, and its code."""
    yield note("Source:", with_links(docname, source_of(rule), site.root))
    for text in paragraphs(rule.description):
        if not text.startswith(SOURCE):
            yield nodes.paragraph("", "", *with_links(docname, text, site.root))
    first = [one for one, anchor in zip(rule.ids, ids, strict=True) if anchor == f"rule-{one.lower()}"]
    decisions = {one.number: one for rule_id in first for one in decisions_on(rule_id, site.root)}
    for number, decision in sorted(decisions.items()):
        yield note(f"Decision {number}:", [link(docname, decision.page, decision.title)])
    *_, module = files_of(site.root, name_of(feature))
    if lines := code_of(site.root, rule, module)[:CODE]:
        yield note("Code:", between([site.code(*line[:2]) for line in lines], ", "))


def scenario_section(site: Site, feature: Feature, rule: Rule, scenario: Scenario, anchor: str) -> nodes.section:
    """A scenario under its name; after the first of its rule folded, unless it failed or was skipped."""
    section = nodes.section("", nodes.title("", scenario.name), ids=[anchor], classes=["scenario"])
    if portability(feature, rule) == "partly portable" and portability(feature, rule, scenario):
        section += nodes.paragraph("", "", span("portable", "portable"), classes=["marks"])
    shown = [*_prose(scenario), _steps(scenario)]
    if not scenario.outline:
        shown.append(nodes.paragraph("", "", *verdict_nodes(site.results.verdict(name_of(feature), scenario.line))))
    shown += [node for one in scenario.tables for node in _examples(site, feature, scenario, one)]
    tally = site.results.tally(name_of(feature), [scenario])
    first = scenario is rule.scenarios[0]
    section += shown if first else folded(str(tally), *shown, opened=tally.worst in {"failed", "skipped"})
    return section


def scenario_anchors(feature: Feature) -> dict[int, str]:
    """The anchors of its scenarios, by their line; where names differ in signs alone, the later one gets a number."""
    found: dict[str, int] = {}
    for scenario in feature.scenarios:
        plain = f"scenario-{nodes.make_id(scenario.name)}"
        free = (one for one in chain([plain], (f"{plain}-{time}" for time in count(2))) if one not in found)
        found[next(free)] = scenario.line
    return {line: anchor for anchor, line in found.items()}


def verdict_nodes(verdict: Verdict) -> Iterator[nodes.Node]:
    """A verdict with its sign, and what it met where there is anything to say."""
    yield verdict_span(f"{SIGNS[verdict.outcome]} {verdict.outcome}", verdict.outcome)
    if verdict.message and verdict.outcome != "not run":  # why is said once, at the top of the page
        yield span(verdict.message, "message", "no-search")


def _prose(written: Scenario | Examples) -> list[nodes.Node]:
    return [nodes.paragraph("", text) for text in paragraphs(written.description)]


def _steps(scenario: Scenario) -> nodes.bullet_list:
    steps = nodes.bullet_list(classes=["steps"])
    before = ""
    for step in (*scenario.background, *scenario.steps):
        steps += _step(step, "And" if step.kind == before else step.kind.capitalize())
        before = step.kind
    return steps


def _step(step: Step, keyword: str) -> nodes.list_item:
    words = nodes.paragraph("", "", span(keyword, "keyword"), nodes.Text(" "), *with_parameters(step.text))
    item = nodes.list_item("", words)
    if step.table:
        head, *body = step.table if len(step.table) > 1 else ((), *step.table)
        cells = [row(list(map(_filled, line))) for line in body]
        item += table(head or ("",) * len(body[0]), cells, label=f"{step.text}:", classes=["step-table"])
    if step.docstring is not None:
        item += nodes.literal_block(step.docstring, step.docstring, language="none", classes=["docstring"])
    return item


def _examples(site: Site, feature: Feature, scenario: Scenario, examples: Examples) -> Iterator[nodes.Node]:
    if examples.name:
        yield nodes.paragraph("", "", nodes.strong("", examples.name), classes=["examples-name"])
    yield from _prose(examples)
    label = f"Examples of {scenario.name}" + (f": {examples.name}" if examples.name else "")
    verdicts = ((cells, site.results.verdict(name_of(feature), line)) for line, cells in examples.rows)
    rows = [line for cells, verdict in verdicts for line in _rows(cells, verdict)]
    yield table([*examples.columns, [span("last run", "verdict-head")]], rows, label=label, classes=["examples"])


def _rows(cells: tuple[str, ...], verdict: Verdict) -> Iterator[nodes.row]:
    """The row of an example; what it met has a row of its own below."""
    outcome, (sign, *message) = verdict.outcome.replace(" ", "-"), verdict_nodes(verdict)
    yield row([*map(_filled, cells), [sign]], outcome)
    if message:
        met = entry(message)
        met["morecols"] = len(cells)
        yield nodes.row("", met, classes=[outcome, "met"])


def _filled(cell: str) -> str | list[nodes.Node]:
    return list(with_parameters(cell)) if "<" in cell else cell
