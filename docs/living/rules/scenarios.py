"""A scenario on a page: its steps, their tables, and its examples with the verdict beside every row."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, count

from docutils import nodes

from living.results import Verdict
from living.rules.rulebook import is_portable, name_of, paragraphs, portability
from living.rules.verdicts import signed, told
from living.site import Site
from living.tables import entry, folded, row, table
from living.text import span, verdict_span, with_parameters
from steps.rulebook import Examples, Feature, Rule, Scenario, Step

VERDICT = "last run"
NOT_RUN = "not run"
"""Why is told once, at the top of the page."""


def scenario_section(site: Site, feature: Feature, rule: Rule, scenario: Scenario, anchor: str) -> nodes.section:
    """A scenario under its name; after the first of its rule folded, unless it failed or was skipped."""
    section = nodes.section("", nodes.title("", scenario.name), ids=[anchor], classes=["scenario"])
    if portability(feature, rule) == "partly portable" and is_portable(feature, rule, scenario):
        section += nodes.paragraph("", "", span("portable", "portable"), classes=["marks"])
    shown = [*_prose(scenario), _steps(scenario)]
    if not scenario.outline:
        shown.append(nodes.paragraph("", "", *verdict_nodes(site.results.verdict(name_of(feature), scenario.line))))
    shown += [node for one in scenario.tables for node in _examples(site, feature, scenario, one)]
    tally = site.results.tally(name_of(feature), [scenario])
    first = scenario is rule.scenarios[0]
    section += shown if first else folded(told(tally), *shown, opened=tally.worst in {"failed", "skipped"})
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
    """A verdict with its sign, and what it met where there is anything to tell."""
    yield verdict_span(signed(verdict.outcome), verdict.outcome)
    if verdict.message and verdict.outcome != NOT_RUN:
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
        item += _step_table(step)
    if step.docstring is not None:
        item += nodes.literal_block(step.docstring, step.docstring, language="none", classes=["docstring"])
    return item


def _step_table(step: Step) -> nodes.table:
    head, *body = step.table if len(step.table) > 1 else ((), *step.table)
    cells = [row(list(map(_filled, line))) for line in body]
    return table(head or ("",) * len(body[0]), cells, label=f"{step.text}:", classes=["step-table"])


def _examples(site: Site, feature: Feature, scenario: Scenario, examples: Examples) -> Iterator[nodes.Node]:
    if examples.name:
        yield nodes.paragraph("", "", nodes.strong("", examples.name), classes=["examples-name"])
    yield from _prose(examples)
    label = f"Examples of {scenario.name}" + (f": {examples.name}" if examples.name else "")
    verdicts = ((cells, site.results.verdict(name_of(feature), line)) for line, cells in examples.rows)
    rows = [line for cells, verdict in verdicts for line in _rows(cells, verdict)]
    yield table([*examples.columns, [span(VERDICT, "verdict-head")]], rows, label=label, classes=["examples"])


def _rows(cells: tuple[str, ...], verdict: Verdict) -> Iterator[nodes.row]:
    """The row of an example; what it met has a row of its own below."""
    outcome = verdict.outcome.replace(" ", "-")
    yield row([*map(_filled, cells), [verdict_span(signed(verdict.outcome), verdict.outcome)]], outcome)
    if verdict.message and verdict.outcome != NOT_RUN:
        met = entry([span(verdict.message, "message", "no-search")])
        met["morecols"] = len(cells)
        yield nodes.row("", met, classes=[outcome, "met"])


def _filled(cell: str) -> str | list[nodes.Node]:
    return list(with_parameters(cell)) if "<" in cell else cell
