"""The page of the evidence: its figures are those of the data."""

import json
from pathlib import Path

import pytest

from brim import Compactor, ContextWindow, ModelLimits, cost_of
from brim.anthropic.prices import prices_of
from brim.summary.user_words import WORDS_SHARE, words_limit
from brim.testing import MessagesServer
from brim.trigger.usable_context import usable_context
from tests import answer_figures, hook_figures, hook_story, policy_figures, survival_figures
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
    return f"at least {cells[3]} of the user's words, and {cells[4]} facts, at {cells[1]} places"


def lost_by_agents():
    """What the compactions of Claude Code and of Codex lost of the user's words."""
    rows = read(hook_figures.DATA)["rows"]
    (held, left), (codex, codex_left) = (
        [sum(row[side]["words"] for row in rows if row["format"] == name) for side in ("held", "left")]
        for name in ("claude-code", "codex")
    )
    assert codex == codex_left
    return f"lost {held - left:,} of {held:,} characters of the user's words, those of Codex none of {codex:,}"


def lost_at_work():
    """How many requests of Claude Code lack the user's words after its own compaction, by how it is summarized."""
    rows = [row for row in read(hook_story.DATA) if row["agent"] == "claude"]
    without = {row["summary"]: row for row in rows if not row["hook"]}
    words, quoted = without["in other words"], without["quoting"]
    assert not any(row["lacking"] for row in rows if row["hook"])
    return (
        f"{words['lacking']} of {words['requests']} later requests of Claude Code lacked them, {quoted['lacking']} "
        "where the scripted summaries quote; with the hook none"
    )


def room():
    """Characters of the user's words in two windows, at four a token."""
    large, small = (
        4 * words_limit(usable_context(ModelLimits(context_window=window, max_output_tokens=answer)), WORDS_SHARE)
        for window, answer in ((200_000, 32_000), (32_000, 4_096))
    )
    rest = "in one of 32,000 with answers of up to 4,096 tokens"
    return f"room for {large:,} in a window of 200,000, for {small:,} {rest}"


def test_the_price_of_a_compaction_is_that_of_its_plan():
    """A conversation just above the threshold, with a summary of the longest length, in the cache or not."""
    limits, model = ModelLimits(context_window=200_000, max_output_tokens=32_000), "claude-sonnet-5-5"
    window = ContextWindow(limits)
    while not window.verdict().due:
        window.append({"role": "user", "content": "Go on. " * 100})
        window.append({"role": "assistant", "content": "Done. " * 400})
    with MessagesServer() as server, server.client() as client:
        plan = Compactor(client, model, limits=limits).plan(window)
    first, prices = plan.call.first_request, prices_of(model)
    cached = cost_of(plan, first, prices).summary
    new = cached + (prices.cache_write - prices.cache_read) * plan.context.tokens_before / 10**6
    page = " ".join((DOCS / "questions.md").read_text(encoding="utf-8").split())
    for said in (
        f"{first.max_tokens:,} tokens, costs ${cached:.2f} if the provider still caches the history, ${new:.2f} if not",
        f"{window.verdict().threshold:,} tokens at ${prices.cache_read:.2f} (cached) or ${prices.cache_write:.2f}",
        f"(not cached) and {first.max_tokens:,} at ${prices.output:.0f}, each per million",
        f"at ${prices.cache_write:.2f} per million: ${33_000 * prices.cache_write / 10**6:.2f} for 33,000 tokens",
    ):
        assert said in page


@pytest.mark.parametrize("made", [lost_by_agents, lost_at_work, room, strings, densities, costs, answers, survived])
def test_a_figure_of_the_page_is_that_of_its_data(made):
    """Each is computed again from the data of the page that it leads to."""
    assert made() in PAGE
