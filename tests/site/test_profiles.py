"""The table of all profiles in decision 0202 says what the product does."""

from pathlib import Path

from living.charts import COUNTS, WORDS

from brim.models import ModelLimits
from brim.trigger.profiles import PROFILES, profile_table

DECISION = next((Path(__file__).parents[2] / "docs" / "decisions").glob("0202-*.md")).read_text(encoding="utf-8")
ANSWER = 32_000


def test_each_profile_is_told_as_it_is():
    """In the order of the product: when it is due, what it counts, and its threshold in two windows."""
    head, _, *lines = DECISION.partition("## All profiles\n\n")[2].partition("\n\n")[0].splitlines()
    *_, small, large, _ = (cell.strip() for cell in head.strip("| ").split("|"))
    tables = [
        profile_table(ModelLimits(context_window=int(size.replace(",", "")), max_output_tokens=ANSWER))
        for size in (small, large)
    ]
    told = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in lines]
    assert [(row[0], *row[2:7]) for row in told] == [
        (
            f"`{one.name}`",
            WORDS[one.comparison],
            COUNTS[one.measure],
            "estimated" if one.counts_appended else "not counted",
            *(f"{now.threshold:,}" for now in at),
        )
        for one, at in zip(PROFILES.values(), zip(*tables, strict=True), strict=True)
    ]
