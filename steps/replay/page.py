"""Steps of features/replay/page.feature."""

from __future__ import annotations

import json

import pytest
from lxml import html
from pytest_bdd import given, parsers, then, when

from steps.recorded_sessions import MODEL, rows_of_long_paths, table, write_session
from steps.vocabulary import phrase

READS = [20_020 + number * 2_100 for number in range(6)]
ROWS = [
    {"record": "response", "read": str(read), "cached": str(before), "wrote": "100", "result": "8000"}
    for before, read in zip([0, *READS], READS, strict=False)
]


@pytest.fixture(autouse=True)
def policies(machine):
    """The files of the policies."""
    for name, threshold in (("early.toml", 28_420), ("late.toml", 50_000), ("middle.toml", 70_000)):
        machine.write(name, f"[compaction]\nthreshold = {threshold}\n")


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


@given(phrase('a file "{name:Quoted}" that is {kind}'))
def failing_file(machine, name, kind):
    if kind == "a list":
        machine.write(name, '{"list": "of ropes"}')
    else:
        write_session(
            machine.project, [{"record": "response", "read": "0", "wrote": "0"}], name=name.removesuffix(".jsonl")
        )


@given(phrase('brim has replayed "{arguments:Quoted}"'))
def replay_before(machine, arguments):
    assert machine.run("replay", *arguments.split()).code == 0


@when(phrase('brim replays "{arguments:Quoted}" under "{files:Quoted}" as a page'), target_fixture="answer")
def replay_under(machine, arguments, files):
    own = [part for file in files.split(", ") for part in ("--policy", file)]
    return machine.run("replay", *arguments.split(), *own, "--summary-tokens", "1k", "--html", "page.html")


@when(phrase('brim replays "{arguments:Quoted}" as a page'), target_fixture="answer")
def replay_as_page(machine, arguments):
    return machine.run("replay", *named(arguments).split(), "--summary-tokens", "1k", "--html", "page.html")


@when(parsers.re(r'brim replays "(?P<arguments>[^"]*)"$'), target_fixture="answer")
def run(machine, arguments):
    return machine.run("replay", *arguments.split())


@pytest.fixture
def page(machine, answer):
    """The page that was written."""
    return html.document_fromstring((machine.project / "page.html").read_text("utf-8"))


def text(element):
    """The text of an element, its spaces single."""
    return " ".join(element.text_content().replace("\N{NO-BREAK SPACE}", " ").split())


def rows(page, caption):
    """The rows of the table whose caption begins so, each by the names of its columns; a policy by its name alone."""
    (found,) = page.xpath(f"//table[starts-with(caption, '{caption}')]")
    columns = [text(cell) for cell in found.xpath("thead/tr/th")]
    for row in found.xpath("tbody/tr"):
        yield dict(zip(columns, [row[0].text.strip(), *map(text, row[1:])], strict=False))


def check_rows(found, datatable):
    """The rows, in the columns that are named."""
    names, *expected = datatable
    assert [[row[name] for name in names] for row in found] == expected


@then("the page has the figures")
def check_figures(page, datatable):
    check_rows(rows(page, "Figures of each policy"), datatable)


@then("the sums are")
def check_sums(page, datatable):
    check_rows(rows(page, "Sums of each policy"), datatable)


@then(phrase('the sessions are "{names:Quoted}"'))
def check_sessions(page, names):
    assert ", ".join(map(text, page.xpath("//h2")[1:])) == names


@then(phrase('the row of "{name:Quoted}" says "{words:Quoted}"'))
def check_row(page, name, words):
    (row,) = (row for row in page.xpath("//tbody/tr") if row[0].text.strip() == name)
    assert words in text(row[1])


@then(phrase('the chart "{title:Quoted}" is described with "{words:Quoted}"'))
def check_chart(page, title, words):
    (chart,) = (one for one in page.xpath("//@aria-label") if one.startswith(f"{title}. "))
    assert words in chart


@then(phrase('the charts of the window are "{names:Quoted}"'))
def check_charts(page, names):
    assert [text(one) for one in page.xpath("//figcaption/strong")] == names.split("; ")


@then(phrase('the page reads "{words:Quoted}"'))
def check_words(page, words):
    assert words in text(page)


@then(phrase('the page lists "{reason:Quoted}" as not replayed'))
def check_failed(page, reason):
    (told,) = page.xpath("//section[h2[starts-with(., 'Not replayed')]]//li")
    assert text(told).startswith(reason)


@then(phrase('the headings are "{names:Quoted}"'))
def check_headings(page, names):
    found = page.xpath("//*[self::h1 or self::h2 or self::h3]")
    assert ", ".join(map(text, found)) == names
    assert {one.tag for one in found[2:]} == {"h3"}


@then(phrase('the verdict is "{words:Quoted}"'))
def check_verdict(page, words):
    assert text(page.xpath("//header/p")[0]) == words


@then("the marks of the policies are")
def check_marks(page, datatable):
    found = [row for row in page.xpath("//tbody/tr/th") if row.xpath("../preceding-sibling::tr")]
    assert [[one.text.strip(), ", ".join(map(text, one.xpath("small")))] for one in found] == datatable[1:]


@then(parsers.re(r'the page reads "(?P<words>.+)" and holds no element of it$'))
def check_text(page, words):
    assert named(words) in text(page)
    assert page.xpath("//script | //b | //@onload") == []


@then(phrase('it tells the user "{words:Quoted}"'))
def check_told(answer, words):
    assert answer.code == 0, answer.error
    assert words in answer.out


@then(phrase('it ends with {code:Count}, and says "{words:Quoted}"'))
def check_error(answer, code, words):
    assert answer.code == code
    assert words in answer.error


@then("the session is as it was")
def check_session(machine):
    lines = (machine.project / "harbor.jsonl").read_text("utf-8").splitlines()
    assert json.loads(lines[1])["message"]["model"] == MODEL
    assert not (machine.project / "page.html").exists()
