"""What survives a compaction of real sessions, counted by an oracle that shares no code with brim.

`python -m tests.survival_figures FOLDER --show` prints the figures of each cut.
"""

from __future__ import annotations

import json
from statistics import median

import pytest

from brim.transcripts import read_transcript
from steps.prerequisites import sized
from tests.real import oracle
from tests.real.conftest import FOLDER, sampled
from tests.survival_figures import DATA, LARGE, WAYS, allowed, counted, loop_is_kept, measured, sessions, share_of_words

pytestmark = pytest.mark.transcripts

RECORDED = [row for row in json.loads(DATA.read_text(encoding="utf-8"))["rows"] if sampled(FOLDER / row["file"])]
CLIPPED = "cd /Users/userxxxx/workspaces/pi-mono && npm run check 2>&1 | head -40"
SEARCHES = (
    (
        "cd src && for s in battery sysinfo git python node docker kubectl az aws gcp pro"
        'ject terraform; do n=$(awk "/func \\(.*\\*?${s^}\\) Enabled\\(\\) bool/,/^}/" segment'
        "s/$s.go 2>/dev/null | grep -cE '^\\s+[a-z"
    ),
    (
        "echo \"sanity (time.go should be >0): $(awk '/\\) Enabled\\(\\) bool \\{/,/^\\}/' segm"
        "ents/time.go | grep -cP '^\\t+[a-z]+\\.[A-Z][A-Za-z]*(\\.[A-Za-z]+)* = ')\" echo \"--"
        "- pinned segments in website/segment_dat"
    ),
)
EXPLAINED = {
    ("pi/pi-mono/before-compaction-two-compactions.jsonl", "failure", CLIPPED),
    (
        "mini-swe-agent/gemini-3-pro/scikit-learn__scikit-learn-25102.traj.json",
        "failure",
        "python reproduction_script.py",
    ),
    *(("claude-code/oh-my-posh/2.1.217-manual-preserved-messages.jsonl", "failure", one) for one in SEARCHES),
}
"""Losses that are none. The check of pi was broken off, and the same one, its output clipped otherwise, passed later;
the script of mini-swe-agent was deleted; the two of Claude Code do no more than search. The oracle takes a command by
its letters and counts them all the same."""


@pytest.fixture(scope="module")
def rows():
    """The figures of every cut of every session in the folder."""
    return measured([path for path in sessions(FOLDER) if sampled(path)], FOLDER)


@pytest.fixture(scope="module")
def cases(rows):
    """Those that are cases for compaction."""
    return counted({"rows": rows})


def test_the_data_of_the_page_is_what_comes_out_here(rows):
    """Nobody writes figures into the data by hand."""
    assert rows == RECORDED


@pytest.mark.parametrize("way", WAYS)
def test_the_words_of_the_user_are_present(cases, way):
    """At least 95 of 100 characters in the median and 75 in the least, every character counted."""
    shares = [share_of_words(row, way) for row in cases if row["words"]]
    assert median(shares) >= 0.95
    assert min(shares) >= 0.75


@pytest.mark.parametrize("way", WAYS)
def test_the_facts_are_present(cases, way):
    """At least 98 of 100 are found again, and what is not has an explanation."""
    assert sum(row[way]["facts"] for row in cases) >= 0.98 * sum(row["facts"] for row in cases)
    assert {(row["file"], *missing) for row in cases for missing in row[way]["missing"]} <= EXPLAINED


@pytest.mark.parametrize("way", WAYS)
def test_an_unfinished_loop_keeps_its_newest_work(cases, way):
    """It is kept whole, or fills six tenths of the keep target, or one call more would exceed it."""
    loops = [row for row in cases if row["loop"]]
    assert len(loops) >= sized(1, nightly=10)
    assert [row["file"] for row in loops if not loop_is_kept(row, way)] == []


@pytest.mark.parametrize("way", WAYS)
def test_little_is_left(cases, way):
    """At most 32% of the tokens, and what the words take of more than half of the summary's share."""
    large = [row for row in cases if row["tokens"] >= LARGE]
    assert len(large) >= sized(5, nightly=15)
    assert [(row["file"], row["cut"]) for row in large if row[way]["tokens"] > allowed(row, way)] == []


def test_the_readers_lose_no_words():
    """What a person wrote in a tool's own records is in the messages that brim reads, to the last character."""
    for path in filter(sampled, sessions(FOLDER)):
        transcript = read_transcript(path)
        said = oracle.context([message.raw for message in transcript.messages])
        spoken = oracle.spoken(path, transcript.format)
        assert oracle.words_present(spoken, said) == sum(map(oracle.characters, spoken)), path


def test_the_oracle_notices_a_summary_that_says_nothing():
    """Of words that are neither in a summary nor kept it finds none."""
    words = ["never touch the invoices, and keep the old folder until the release is out"]
    assert oracle.words_present(words, "The conversation went on and things were done.") == 0
    half = oracle.words_present(words, f"- {words[0][:40]} … left out")
    assert 0 < half < oracle.characters(words[0])
