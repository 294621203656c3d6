"""The page of a feature: its prose, its rules with their sources, and every example with its verdict.

What is below a scenario's name is written as HTML: as nodes, the seven thousand examples took most of a build.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from html import escape

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from living.implemented import code_of, files_of
from living.links import decisions, linked
from living.results import SIGNS, Verdict, name_of
from living.rules.rulebook import SOURCE, anchors, counted, paragraphs, portability, source_of
from living.site import Site, site_of
from living.tables import NUMBER
from living.text import PARAMETER, add_directive, between, link, note, span, verdict_span
from steps.rulebook import Feature, Rule, Scenario, Step

CODE = 3
"""Places in the code that a rule names at most, those in the module of its feature first."""


def setup(app: Sphinx) -> None:
    """Make the directive known."""
    add_directive(app, "feature", feature_page)


def feature_page(directive: SphinxDirective) -> list[nodes.Node]:
    """`{feature} trigger/overflow` is the whole page of that feature, as a section."""
    site = site_of(directive.config)
    feature = site.rulebook.features[directive.arguments[0]]
    section = feature_section(directive.env.current_document.docname, site, feature)
    section[1:1] = banners_of(site)
    return [section]


def feature_section(docname: str, site: Site, feature: Feature) -> nodes.section:
    """The whole page, or its part of one."""
    name, tally = name_of(feature), site.results.tally(name_of(feature), feature.scenarios)
    files = [site.code(path) for path in files_of(site.root, name)]
    facts = [span(counted([feature])), verdict_span(str(tally), tally.worst), *files]
    return nodes.section(
        "",
        nodes.title("", feature.name),
        *(nodes.paragraph("", "", *linked(site, docname, text)) for text in paragraphs(feature.description)),
        nodes.paragraph("", "", *between(facts, " · "), classes=["facts"]),
        *(rule_section(docname, site, feature, rule) for rule in feature.rules),
        ids=[nodes.make_id(feature.name)],
        classes=["feature"],
    )


def banners_of(site: Site) -> list[nodes.warning]:
    """A warning where the last run was of another version, and its verdicts are kept back; else nothing."""
    if site.results.current or not site.results.verdicts:
        return []
    words = "The last run is not from this version, so no example is shown as holding. Run make test, then make docs."
    return [nodes.warning("", nodes.paragraph("", words))]


def rule_section(docname: str, site: Site, feature: Feature, rule: Rule) -> nodes.section:
    """A rule under its sentence: ids and state, where it comes from, its code, and what shows it."""
    ids, tally = anchors(feature)[rule.line], site.results.tally(name_of(feature), rule.scenarios)
    marks: list[nodes.Node] = [
        nodes.reference("", one, refid=at, classes=["rule-id"]) for at, one in zip(ids, rule.ids, strict=True)
    ]
    if portable := portability(feature, rule):
        marks.append(span(portable, "portable"))
    marks.append(verdict_span(str(tally), tally.worst))
    return nodes.section(
        "",
        nodes.title("", rule.sentence),
        nodes.paragraph("", "", *between(marks, " "), classes=["marks"]),
        *_notes(docname, site, feature, rule, ids),
        *(_scenario_section(site, feature, rule, n, f"{ids[0]}-scenario-{n + 1}") for n in range(len(rule.scenarios))),
        ids=list(ids),
        classes=["rule"],
    )


def _notes(docname: str, site: Site, feature: Feature, rule: Rule, ids: tuple[str, ...]) -> Iterator[nodes.Element]:
    """Its source, what else its description says, at the first rule of an id the decisions on it, and its code."""
    yield note("Source:", linked(site, docname, source_of(rule)))
    for text in paragraphs(rule.description):
        if not text.startswith(SOURCE):
            yield nodes.paragraph("", "", *linked(site, docname, text))
    first = {one for one, anchor in zip(rule.ids, ids, strict=True) if anchor == f"rule-{one.lower()}"}
    for one in decisions(site.root).values():
        if first & {*one.rules}:
            yield note(f"Decision {one.number}:", [link(docname, one.page, one.title)])
    *_, module = files_of(site.root, name_of(feature))
    if lines := code_of(site.root, rule, module)[:CODE]:
        yield note("Code:", between([site.code(*line) for line in lines], ", "))


def _scenario_section(site: Site, feature: Feature, rule: Rule, number: int, anchor: str) -> nodes.section:
    """A scenario under its name; after the first of its rule folded, unless it failed or was skipped."""
    scenario, name = rule.scenarios[number], name_of(feature)
    section = nodes.section("", nodes.title("", scenario.name), ids=[anchor], classes=["scenario"])
    if portability(feature, rule) == "partly portable" and portability(feature, rule, scenario):
        section += nodes.paragraph("", "", span("portable", "portable"), classes=["marks"])
    shown = "\n".join(_scenario(scenario, partial(site.results.verdict, name)))
    if number:
        tally = site.results.tally(name, [scenario])
        opened = " open" if tally.worst in {"failed", "skipped"} else ""
        shown = f"<details{opened}><summary>{escape(str(tally))}</summary>{shown}</details>"
    section += nodes.raw("", shown, format="html")
    return section


def _scenario(scenario: Scenario, verdict: Callable[[int], Verdict]) -> Iterator[str]:
    yield from _prose(scenario.description)
    steps, before = [], ""
    for step in (*scenario.background, *scenario.steps):
        steps.append(_step(step, "And" if step.kind == before else step.kind.capitalize()))
        before = step.kind
    yield f'<ul class="steps simple">{"".join(steps)}</ul>'
    if not scenario.outline:
        yield f"<p>{_verdict(verdict(scenario.line))}</p>"
    for one in scenario.tables:
        if one.name:
            yield f'<p class="examples-name"><strong>{escape(one.name)}</strong></p>'
        yield from _prose(one.description)
        heads = [*map(escape, one.columns), '<span class="verdict-head">last run</span>']
        yield _table("examples", heads, (line for at, cells in one.rows for line in _example(cells, verdict(at))))


def _step(step: Step, keyword: str) -> str:
    more = ""
    if step.table:
        head, *body = step.table if len(step.table) > 1 else ((), *step.table)
        more = _table("step-table", map(escape, head), (f"<tr>{''.join(map(_cell, cells))}</tr>" for cells in body))
    if step.docstring is not None:
        more += f'<div class="docstring highlight"><pre>{escape(step.docstring)}</pre></div>'
    return f'<li><p><span class="keyword">{keyword}</span> {_words(step.text)}</p>{more}</li>'


def _table(kind: str, heads: Iterable[str], rows: Iterable[str]) -> str:
    head = "".join(f'<th class="head">{one}</th>' for one in heads)
    head = f"<thead><tr>{head}</tr></thead>" if head else ""
    inside = f'<table class="{kind} table">{head}<tbody>\n{chr(10).join(rows)}\n</tbody></table>'
    return f'<div class="pst-scrollable-table-container">{inside}</div>'


def _prose(description: str) -> Iterator[str]:
    return (f"<p>{escape(text)}</p>" for text in paragraphs(description))


def _words(text: str) -> str:
    """The text of a step, its parameters set apart."""
    parts = enumerate(PARAMETER.split(text))
    return "".join(f'<span class="parameter">{escape(part)}</span>' if n % 2 else escape(part) for n, part in parts)


def _cell(text: str) -> str:
    return f'<td class="number">{escape(text)}</td>' if NUMBER.fullmatch(text) else f"<td>{_words(text)}</td>"


def _verdict(verdict: Verdict) -> str:
    """A verdict with its sign, and what it met where there is anything to say."""
    kind = f"verdict verdict-{verdict.outcome.replace(' ', '-')} no-search"
    sign = f'<span class="{kind}">{SIGNS[verdict.outcome]} {verdict.outcome}</span>'
    return sign + _met(verdict)


def _met(verdict: Verdict) -> str:
    """Return the error of a failed example, or the reason of a skip."""
    return f'<span class="message no-search">{escape(verdict.message)}</span>' if verdict.message else ""


def _example(cells: tuple[str, ...], verdict: Verdict) -> Iterator[str]:
    """The row of an example; what it met has a row of its own below."""
    outcome = verdict.outcome.replace(" ", "-")
    sign = _verdict(Verdict(verdict.outcome))
    yield f'<tr class="{outcome}">{"".join(map(_cell, cells))}<td>{sign}</td></tr>'
    if met := _met(verdict):
        yield f'<tr class="{outcome} met"><td colspan="{len(cells) + 1}">{met}</td></tr>'
