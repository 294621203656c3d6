"""Steps of features/replay/page.feature."""

from __future__ import annotations

import pytest
from lxml import html
from pytest_bdd import given, parsers, then, when

from steps.recorded_sessions import rows_of_long_paths, table, write_session
from steps.vocabulary import phrase
from steps.worlds.tables import check_rows

READS = [20_020 + number * 2_100 for number in range(6)]
ROWS = [
    {"record": "response", "read": str(read), "cached": str(before), "wrote": "100", "result": "8000"}
    for before, read in zip([0, *READS], READS, strict=False)
]


@pytest.fixture(autouse=True)
def policies(machine):
    """The files of the policies."""
    for name, threshold in (("early.toml", 28_420), ("late.toml", 50_000), ("middle.toml", 70_000)):
        machine.write(name, f"[compaction]\nthreshold = {threshold}\nkeep_tokens = 25000\nsummary_share = 0.1\n")


def named(text):
    """A name with its escapes read."""
    return text.encode("ascii").decode("unicode_escape")


@given(parsers.re(r'a session "(?P<name>[^ ]+)"$'))
def session(machine, name):
    write_session(machine.project, ROWS, name=named(name).removesuffix(".jsonl"))


@given(parsers.re(r'a session "(?P<name>[^ ]+)" with the model "(?P<model>.+)"$'))
def session_of_a_model(machine, name, model):
    write_session(machine.project, ROWS, name=named(name).removesuffix(".jsonl"), model=model)


@given(phrase('a session "{name:Quoted}" of these records'))
def session_of_records(machine, name, datatable):
    write_session(machine.project, table(datatable), name=name.removesuffix(".jsonl"))


@given(
    phrase(
        'a session "{name:Quoted}" of {count:Count} responses that first read {long:Count} files whose paths have '
        "{size} characters"
    )
)
def session_of_paths(machine, name, count, long, size):
    write_session(machine.project, rows_of_long_paths(count, long, size), name=name.removesuffix(".jsonl"))


@when(
    parsers.re(r'brim replays "(?P<arguments>[^"]*)"(?: under "(?P<files>[^"]*)")? as a page'), target_fixture="outcome"
)
def replay_as_page(machine, arguments, files):
    own = [part for file in (files or "").split(", ") if file for part in ("--policy", file)]
    answer = machine.run("replay", *named(arguments).split(), *own, "--summary-tokens", "1k", "--html", "page.html")
    assert (machine.project / "page.html").exists(), answer.error
    return columns_of(html.document_fromstring((machine.project / "page.html").read_text("utf-8")))


def columns_of(page):
    """What a page says, by the columns of a result. It holds no element of a name from outside."""
    assert page.xpath("//script | //b | //@onload") == []
    return {
        "text": text(page.body),
        "head": text(page.xpath("//header/p")[0]),
        "headings": [text(one) for one in page.xpath("//*[self::h1 or self::h2 or self::h3]")],
        "sessions": [text(one) for one in page.xpath("//section[@class='session']/h2")],
        "windows": [text(one) for one in page.xpath("//figcaption/strong")],
        "chart": page.xpath("//@aria-label"),
        "failures": [text(one) for one in page.xpath("//section[h2[starts-with(., 'Not replayed')]]//li")],
        "policies": [*rows(page.xpath("//table")[0])],
    }


def text(element):
    """The text of an element, its spaces single."""
    return " ".join(element.text_content().split())


def rows(table):
    """The rows of a table of policies, each by the names of its columns, with its marks, or why it is refused."""
    columns = [text(cell) for cell in table.xpath("thead/tr/th")]
    for row in table.xpath("tbody/tr"):
        name, *cells = row[0].text.strip(), *map(text, row[1:])
        refused = cells[0] if len(cells) < len(columns) - 1 else None
        figures = {} if refused else dict(zip(columns[1:], cells, strict=True))
        marks = [text(one) for one in row.xpath("th/small")]
        yield {"policy": name, "marks": marks, "refused": refused} | {
            column.replace(" ", "_"): cell for column, cell in figures.items()
        }


@then("the policies on the page are")
def check_policies(outcome, datatable):
    check_rows(outcome["policies"], datatable)
