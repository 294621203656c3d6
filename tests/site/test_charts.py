import os
import re
import subprocess
import sys
from itertools import combinations, pairwise
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from living.charts import recorded, responses, thresholds, window
from living.charts.chart import SIZES, THEMES, drawn, figure_of, settings
from living.charts.directive import CHARTS, ingredients, nodes_of
from living.charts.labels import short, spread
from matplotlib import style
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from brim.cli.inspecting import answer as inspected
from brim.cli.profiling import answer as profiled
from brim.models import ModelLimits
from brim.transcripts import read_transcript
from brim.transcripts.inspection import inspect_transcript
from brim.trigger.budget import summarization_budget
from brim.trigger.profiles import PROFILES, billing_equivalent_of_usage, profile_table

ROOT = Path(__file__).parents[2]
DRAWINGS = [(name, theme, size) for name in CHARTS for theme in THEMES for size in SIZES]
IN_ONE_PROCESS = """
import hashlib
from living.charts.chart import SIZES, THEMES, drawn
from living.charts.directive import CHARTS
for name, chart in CHARTS.items():
    for theme in THEMES:
        for size in SIZES:
            print(name, theme.name, size.name, hashlib.sha256(drawn(chart(), theme, size)).hexdigest())
"""
CLOSE = 2.0
"""CSS pixels by which the boxes of two labels may meet: they are a little larger than their letters."""


@pytest.fixture(scope="module")
def charts():
    """Every chart by its name."""
    return {name: make() for name, make in CHARTS.items()}


def every_drawing(function):
    """The test, for each chart in each theme and width."""
    ids = [f"{name}-{theme.name}-{size.name}" for name, theme, size in DRAWINGS]
    return pytest.mark.parametrize(("name", "theme", "size"), DRAWINGS, ids=ids)(function)


def hashes_of_another_process(folder, seed):
    """What a process of its own draws, in another folder, with another home and another order of its sets."""
    told = {"PYTHONHASHSEED": str(seed), "HOME": str(folder), "SOURCE_DATE_EPOCH": str(seed), "TZ": "Asia/Tokyo"}
    paths = os.pathsep.join([str(ROOT / "docs"), str(ROOT), str(ROOT / "src")])
    command = [sys.executable, "-W", "ignore", "-c", IN_ONE_PROCESS]
    return subprocess.run(
        command, cwd=folder, env=os.environ | told | {"PYTHONPATH": paths}, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.nightly
def test_a_drawing_is_the_same_to_the_byte_wherever_it_is_made(tmp_path):
    """Two processes that share no folder, home, clock or order of sets draw the same bytes."""
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    told = hashes_of_another_process(first, 1)
    assert len(told.splitlines()) == len(DRAWINGS)
    assert told == hashes_of_another_process(second, 1_000_000_000)


@every_drawing
def test_a_drawing_stands_alone(charts, name, theme, size):
    """It is well-formed, of its size, with letters as outlines, and names no date, folder, font or address to load."""
    svg = drawn(charts[name], theme, size).decode()
    top = ET.fromstring(svg)  # noqa: S314 - made a line above
    assert top.get("viewBox") == f"0 0 {size.width * 0.75:g} {charts[name].heights[size.narrow] * 0.75:g}"
    assert not re.search(r"<(text|image|script|a|dc:date|foreignObject)\b", svg)
    assert str(ROOT) not in svg
    assert all(link.startswith("#") for link in re.findall(r'href="([^"]*)"', svg))


@every_drawing
def test_no_label_is_cut_off_or_covered(charts, name, theme, size):
    """Every label lies inside the drawing, and no two of them on each other."""
    with style.context(settings(theme, size), after_reset=True):
        figure = figure_of(charts[name], theme, size)
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        renderer = canvas.get_renderer()
        shown = [text for text in figure.findobj(Text) if text.get_text().strip() and text.get_visible()]
        boxes = {(text.get_text(), number): text.get_window_extent(renderer) for number, text in enumerate(shown)}
    whole = figure.bbox
    for (said, _), box in boxes.items():
        assert whole.x0 <= box.x0 + CLOSE, said
        assert box.x1 <= whole.x1 + CLOSE, said
        assert whole.y0 <= box.y0 + CLOSE, said
        assert box.y1 <= whole.y1 + CLOSE, said
    for (one, first), (other, second) in combinations(boxes.items(), 2):
        across = min(first.x1, second.x1) - max(first.x0, second.x0)
        up = min(first.y1, second.y1) - max(first.y0, second.y0)
        assert min(across, up) < CLOSE, (one, other)


@pytest.mark.parametrize("theme", THEMES, ids=lambda theme: theme.name)
def test_every_colour_is_read_on_the_page(theme):
    """Whatever a label is written in stands out by 4.5 to 1 or more."""
    for colour in ("text", "muted", "blue", "orange", "green", "grey"):
        assert contrast(getattr(theme, colour), theme.page) >= 4.5, colour


def contrast(one, other):
    """The ratio of two colours as WCAG defines it."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def luminance(colour):
    """The relative luminance of a colour as WCAG defines it."""
    shares = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_the_thresholds_are_those_of_the_command():
    """For each window a line has the threshold that `brim profiles` names, and nothing where it is refused."""
    for place, size in enumerate(thresholds.WINDOWS):
        limits = ModelLimits(context_window=size, max_output_tokens=32_000)
        told = profiled(limits, profile_table(limits))["profiles"]
        assert {line.profile: line.thresholds[place] for line in thresholds.lines()} == {
            name: profile["threshold"] for name, profile in told.items()
        }


def test_lines_are_told_apart_without_colour():
    """No two profiles share dash and marker, unless their lines are one."""
    for one, other in combinations((line for line in thresholds.lines() if line.drawn), 2):
        same = thresholds.STYLES[one.profile][1:] == thresholds.STYLES[other.profile][1:]
        assert not same or one.thresholds == other.thresholds


def test_the_page_names_thresholds_of_the_table(charts):
    """What the page says of a window of 200,000 tokens stands in the column of that window."""
    page = (ROOT / "docs" / "charts.md").read_text(encoding="utf-8")
    told = page.partition("For a window of 200,000 tokens")[2].partition("\n\n")[0]
    table = charts["thresholds"].table
    column = {row[table.columns.index("200,000")] for row in table.rows}
    assert {"168,000", "155,000", "167,000", "100,000"} == set(re.findall(r"\d+,000", told)) - {"32,000"} <= column


def test_a_refused_threshold_is_a_dash(charts):
    """Where a profile is refused its cell says so."""
    rows = {row[0]: row[3:] for row in charts["thresholds"].table.rows}
    assert rows["claude-code-2.0"][:2] == ("–", "19,000")
    assert "codelet-rust 12,600" in charts["thresholds"].alternative


def test_a_profile_that_compares_a_cost_is_not_drawn(charts):
    """How full a window is says a line of those that count its tokens; the others stand in caption and table."""
    chart = charts["thresholds"]
    apart = {name for name, profile in PROFILES.items() if profile.measure is billing_equivalent_of_usage}
    assert apart == {"codelet-typescript", "codelet-rust"}
    for size in SIZES:
        with style.context(settings(THEMES[0], size), after_reset=True):
            labels = " ".join(text.get_text() for text in figure_of(chart, THEMES[0], size).findobj(Text))
        assert all((name in labels) == (name not in apart) for name in PROFILES)
    assert all(f"{name} " in chart.caption for name in apart)
    assert {row[0] for row in chart.table.rows if row[1] == "the cost of what was read"} == apart


def test_the_step_of_the_budget_is_that_of_the_rule(charts):
    """The table has both sides of the step, as the feature has them, and so does the text for those who do not see."""
    assert ("50,000", "40,000") in charts["budget"].table.rows
    assert ("50,001", "1") in charts["budget"].table.rows
    assert "40,000 at a window of 50,000, drops to 1 at 50,001" in charts["budget"].alternative
    assert all(row == (f"{int(row[0].replace(',', '')):,}", budget_of(row[0])) for row in charts["budget"].table.rows)


def budget_of(window_said):
    """The budget of a window as it is written."""
    return f"{summarization_budget(int(window_said.replace(',', ''))):,}"


def test_the_window_is_made_of_its_parts():
    """Reserve and usable make up the window; held and budget fit into it."""
    parts = window.parts()
    assert parts.reserve + parts.usable == parts.window
    assert parts.held <= parts.usable
    assert parts.budget <= parts.window


def test_the_breakdown_is_that_of_the_command(charts):
    """The rows of the composition are what `brim inspect` answers."""
    found = inspected(inspect_transcript(read_transcript(recorded.SESSION), recorded.LIMITS))
    told = dict(charts["composition"].table.rows)
    assert told["tool outputs"] == f"{found['composition']['tool_output']:,}"
    assert told["not in the file"] == f"{found['not_in_file']:,}"
    assert told["of which Bash"] == f"{found['tool_output_by_tool']['Bash']:,}"
    assert f"{found['window_now']:,}" in charts["composition"].caption


def test_the_window_over_the_session_ends_as_the_command_says(charts):
    """The line ends at what the window holds now, and each profile is due where `brim inspect` says."""
    found = inspected(inspect_transcript(read_transcript(recorded.SESSION), recorded.LIMITS))
    held = responses.held("usable")
    assert held[-1][1] == found["window_now"]
    assert len(held) == found["responses"]
    for name, due in responses.thresholds().items():
        assert (due.threshold, due.first_due) == (
            found["profiles"][name]["threshold"],
            found["profiles"][name]["first_due"],
        )
    for response, now in held:
        assert (now > responses.thresholds()["usable"].threshold) == (response >= 19)
    assert [row[0] for row in charts["responses"].table.rows if row[-1] == "usable"] == ["19"]


def test_the_model_of_the_recorded_session_is_that_of_the_demonstration():
    """What `make demo` says of the model is what the charts go by."""
    made = (ROOT / "Makefile").read_text(encoding="utf-8")
    limits = recorded.LIMITS
    assert f"DEMO_ARGS ?= --window {limits.context_window} --max-output {limits.max_output_tokens}\n" in made
    assert f"DEMO ?= {recorded.SESSION.relative_to(ROOT)}\n" in made


@pytest.mark.parametrize("name", CHARTS)
def test_who_does_not_see_a_chart_is_told_the_same(charts, name):
    """A chart has a text and a caption in whole sentences, and a table without an empty heading."""
    chart = charts[name]
    assert chart.name == name
    assert chart.alternative.endswith(".")
    assert chart.caption.endswith(".")
    assert len(chart.alternative) > len(chart.caption)
    assert all(chart.table.columns)
    assert {len(row) for row in chart.table.rows} == {len(chart.table.columns)}


@pytest.mark.parametrize("name", CHARTS)
def test_every_number_of_the_text_can_be_looked_up(charts, name):
    """What the text for those who do not see names in tokens stands in the table or in the caption."""
    chart = charts[name]
    read = " ".join((chart.caption, *chart.table.columns, *(cell for row in chart.table.rows for cell in row)))
    there = set(re.findall(r"\d[\d,.]*\d", read))
    assert set(re.findall(r"\d+(?:,\d{3})+", chart.alternative)) <= there


def test_a_chart_is_a_picture_a_caption_and_a_table(charts):
    """On a page it is the drawings, what they show, and the numbers, which open."""
    made = nodes_of(charts["budget"])
    assert made[0]["alternative"] == charts["budget"].alternative
    assert made[1].astext() == charts["budget"].caption
    assert "<details>" in made[2].astext()
    assert "50,001" in made[3].astext()


def test_a_line_that_runs_elsewhere_is_another_chart(monkeypatch):
    """The page of a chart is made anew where only the drawing differs, and no number of its table."""
    before = ingredients(None, "thresholds")
    monkeypatch.setattr(thresholds, "window_filled", lambda held, window: 50)
    after = ingredients(None, "thresholds")
    assert before[:-1] == after[:-1]
    assert before != after


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0.01, 0.2)), max_size=5))
def test_labels_are_moved_apart(ends):
    """Labels that fit do not overlap, keep their order, and do not leave the top."""
    places, sizes = [place for place, _ in sorted(ends)], [size for _, size in sorted(ends)]
    moved = spread(places, sizes)
    assert moved == sorted(moved)
    for (one, other), (first, second) in zip(pairwise(moved), pairwise(sizes), strict=True):
        assert other - one >= (first + second) / 2 - 1e-9
    assert all(place + size / 2 <= 1 + 1e-9 for place, size in zip(moved, sizes, strict=True))


@pytest.mark.parametrize(
    ("tokens", "said"), [(0, "0"), (999, "999"), (1_000, "1k"), (50_000, "50k"), (1_000_000, "1M"), (1_500_000, "1.5M")]
)
def test_a_count_on_an_axis_is_short(tokens, said):
    """Thousands and millions have a letter."""
    assert short(tokens) == said
