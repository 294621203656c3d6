from pathlib import Path

import pytest
from living import charts
from living.charts import CHARTS, LIMITS, SESSION

from brim.cli.profiling import profiled
from brim.trigger.profiles import PROFILES

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def made():
    """Every chart by its name."""
    return {name: make() for name, make in CHARTS.items()}


def test_the_thresholds_are_those_of_the_command(made):
    """For each window the table has the threshold that `brim profiles` names, and a dash where it is refused."""
    chart = made["thresholds"]
    for place, size in enumerate(charts.WINDOWS, 3):
        told = profiled(model=None, window=size, max_output=32_000).profiles
        assert {row[0]: row[place] for row in chart.rows} == {
            name: "–" if one.threshold is None else f"{one.threshold:,}" for name, one in told.items()
        }


def test_a_profile_that_compares_a_cost_is_not_drawn(made):
    """How full a window is says a line of those that count its tokens; the others stand in caption and table."""
    chart = made["thresholds"]
    apart = {row[0] for row in chart.rows if row[1] == "the cost of what was read"}
    assert apart == {"codelet-typescript", "codelet-rust"}
    names = chart.drawing.partition("<ul")[2].partition("</ul>")[0]
    assert all((name in names) == (name not in apart) for name in PROFILES)
    assert all(f"{name} " in chart.caption for name in apart)


def test_the_model_of_the_recorded_session_is_that_of_the_demonstration():
    """What `make demo` says of the model is what the charts go by."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"DEMO_ARGS ?= --window {LIMITS.context_window} --max-output {LIMITS.max_output_tokens}\n" in makefile
    assert f"DEMO ?= {SESSION.relative_to(ROOT)}\n" in makefile
