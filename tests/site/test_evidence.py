"""The page of the evidence: its figures are those of the data."""

import json
from pathlib import Path

import pytest

from tests import answer_figures, policy_figures, survival_figures
from tests.scorecard import DATA as SCORECARD

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "evidence.md").read_text(encoding="utf-8")


def read(path):
    """The data of a page."""
    return json.loads(path.read_text(encoding="utf-8"))


def strings():
    """Of how many strings each strategy leaves how many, and what a search brings back."""
    data = read(SCORECARD)
    left = {one["name"]: one["present"] for one in data["strategies"]}
    brim = data["strategies"][0]
    found = brim["present"] + brim["after_search"]
    names = ("brim", "masking alone", "the newest messages alone", "LangChain")
    leaves = [left[name] for name in names]
    return (
        f"of {data['strings']} strings that an agent may need later, brim leaves {leaves[0]}, clearing of old outputs "
        f"{leaves[1]}, the newest messages alone {leaves[2]}, LangChain's summarization {leaves[3]}; one search each "
        f"with `recall` finds {found}"
    )


def densities():
    """How many strings brim and LangChain leave for each 1,000 tokens."""
    data = {one["name"]: one for one in read(SCORECARD)["strategies"]}
    brim, langchain = (1_000 * data[name]["present"] / data[name]["tokens"] for name in ("brim", "LangChain"))
    return f"{brim:.2f} for brim and {langchain:.2f} for LangChain"


def costs():
    """What eleven sessions cost under three policies."""
    counted = policy_figures.replayed(read(policy_figures.DATA))
    usable, windowing, masking = (
        sum(one["policies"][name]["cost"] for one in counted) for name in ("usable", "windowing", "masking")
    )
    return (
        f"the default ${usable:.0f} for eleven sessions, a threshold of 80,000 tokens ${windowing:.0f}, "
        f"clearing alone ${masking:.0f}"
    )


def answers():
    """How many answers are longer than the reserve."""
    tokens = [one for transcript in read(answer_figures.DATA) for one in transcript["answers"]]
    return f"{sum(one > 32_000 for one in tokens)} of {len(tokens):,} is longer than 32,000 tokens"


def survived():
    """The last line of the table of what survives."""
    cells = survival_figures.table(read(survival_figures.DATA)).splitlines()[-1].split(" | ")
    return f"at least {cells[3]} of the user's words, and {cells[6]} facts, at {cells[1]} places"


@pytest.mark.parametrize("made", [strings, densities, costs, answers, survived])
def test_a_figure_of_the_page_is_that_of_its_data(made):
    """Each is computed again from the data of the page that it leads to."""
    assert made() in PAGE


def test_every_row_leads_to_a_page():
    """What is said to be measured can be looked up."""
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and "---" not in line][1:]
    assert len(rows) == 9
    assert all("](" in row for row in rows)
