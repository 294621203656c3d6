"""The page of a replay as real Chromium shows it: light and dark, on a telephone and on paper."""

from typing import Final

import pytest
from axe_playwright_python.sync_playwright import Axe

from brim.compaction.policy import CompactionPolicy
from brim.models import ModelLimits
from brim.replay import Candidate, candidates, replay
from brim.replay.page import page
from brim.transcripts import read_transcript
from steps.recorded_sessions import rows_of_long_paths, write_session
from tests.site.looks import CUT_OFF, PALE, SMALL, TEXT, WIDE
from tests.site.visits import browser, visits  # noqa: F401  what a test of a page asks for

pytestmark = [pytest.mark.peers, pytest.mark.chromium]

LIMITS = ModelLimits(context_window=200_000, max_output_tokens=32_000)
PAGE = "page.html"
PAPER = 979  # Letter on its side at 96 dots an inch, within margins of a centimetre
LEAST = 11.5
"""Pixels of the smallest text."""
TEXTS = f"{TEXT}, .grid, .ticks span, .label, figcaption span, .legend li"
OVERLAPPING = """
() => [...document.querySelectorAll('figure')].flatMap(chart => {
  const texts = [...chart.querySelectorAll('.grid, .ticks span')]
    .map(one => [one.textContent, one.getBoundingClientRect()]);
  return texts.flatMap(([text, a], index) => texts.slice(index + 1)
    .filter(([, b]) => a.left < b.right && b.left < a.right && a.top < b.bottom - 1 && b.top < a.bottom - 1)
    .map(([other]) => `${text} lies over ${other}`));
})
"""
"""Texts of a chart that lie over each other."""


def rows(model="claude-opus-4-5-20251101"):
    """A session that grows by 9,000 tokens a response, is compacted by itself at 160,000, and goes on."""
    reads = [20_020 + number * 9_000 for number in range(16)]
    grown = [
        {"record": "response", "read": str(read), "cached": str(before), "wrote": "900", "result": "32000"}
        for before, read in zip([0, *reads], reads, strict=False)
    ]
    after = [{"record": "response", "read": str(44_000 + 9_000 * number), "wrote": "900"} for number in range(4)]
    return [*grown, {"record": "automatic compaction", "read": "160000"}, *after]


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """The address of a folder with a page of three sessions and a file that failed."""
    folder = tmp_path_factory.mktemp("page")
    answers = []
    for name, model in (("a-session-with-quite-a-long-name-of-its-own", "claude-opus-4-5"), ("other", "own-model")):
        file = write_session(folder, rows(), "2.1.17", name=name, model=model)
        answers.append({"file": f"talks/{file.name}", **replay(read_transcript(file), LIMITS).answer()})
    policies = [*candidates(), Candidate("forgetful", CompactionPolicy(threshold=70_000))]
    file = write_session(folder, rows_of_long_paths(20, 5, "4,000"), name="long-paths")
    answers.append(
        {"file": file.name, **replay(read_transcript(file), LIMITS, policies, summary_tokens=1_000).answer()}
    )
    answers.append({"file": "talks/notes.txt", "error": "talks/notes.txt is of no format that brim knows"})
    (folder / PAGE).write_text(page(answers), encoding="utf-8")
    return folder.as_uri()


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_has_no_fault(home, visits, theme):  # noqa: F811
    """It logs no error and asks for nothing else, axe-core finds nothing, and its colors are those of the theme."""
    window = visits(home, theme=theme)
    shown = window.go(PAGE)
    violations = Axe().run(shown, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(one["id"], [node["target"] for node in one["nodes"][:3]]) for one in violations] == []
    assert window.complaints == []
    assert window.requests == [f"{home}/{PAGE}"]
    light = "() => getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).map(Number)[0]"
    assert (shown.evaluate(light) > 127) == (theme == "light")


CUT: Final = """
() => [...document.querySelectorAll('main *, header *')].filter(one => one.clientWidth
  && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).overflowX !== 'visible').map(one => one.outerHTML)
"""
"""What is cut, or scrolls by itself."""


@pytest.mark.parametrize("width", [360, 500, 768, 1_440])
def test_the_page_fits_its_width(home, visits, width):  # noqa: F811
    """Nothing is cut or scrolls by itself, and no text is small or lies over another."""
    shown = visits(home, width=width).go(PAGE)
    assert shown.evaluate(WIDE) == []
    assert shown.evaluate(CUT) == []
    assert shown.evaluate(SMALL, [TEXTS, LEAST]) == []
    assert shown.evaluate(OVERLAPPING) == []


def test_a_chart_fills_its_place_while_its_text_keeps_its_size(home, visits):  # noqa: F811
    """On a telephone and on a wide page."""
    found = []
    for width in (360, 600):
        chart = visits(home, width=width).go(PAGE).locator(".plot").first
        size = chart.locator(".grid").first.evaluate("one => getComputedStyle(one).fontSize")
        found.append((round(chart.bounding_box()["width"]), size))
    assert found[0][0] > 320
    assert found[1][0] > 240
    assert found[0][1] == found[1][1]


def test_the_page_is_whole_on_paper(home, visits):  # noqa: F811
    """Everything is dark on white, no table is cut off, and what is folded away is shown."""
    window = visits(home, theme="dark", width=PAPER)
    shown = window.go(PAGE)
    shown.emulate_media(media="print", color_scheme="dark")
    assert shown.evaluate(WIDE) == []
    assert shown.evaluate(CUT_OFF) == []
    assert shown.evaluate(PALE, TEXT) == []
    assert shown.locator("details li").first.is_visible()


def test_every_shape_and_pattern_is_told_apart_without_color(home, visits):  # noqa: F811
    """What a legend names differs from the others by more than its color."""
    shown = visits(home).go(PAGE)
    keys = shown.locator("ul.legend").evaluate_all(
        """legends => legends.map(legend => [...legend.querySelectorAll('.mark, i, svg > *')].map(one => {
          const style = getComputedStyle(one);
          return [one.textContent, style.strokeDasharray, style.strokeWidth, style.position, style.height,
            style.backgroundImage.replace(/rgb[^)]*./g, ''), style.backgroundColor === 'rgba(0, 0, 0, 0)'].join(' ');
        }))"""
    )
    assert keys
    assert [len(legend) - len(set(legend)) for legend in keys] == [0] * len(keys)
