from pathlib import Path

from living.charts import LIMITS, SESSION

ROOT = Path(__file__).parents[2]


def test_the_model_of_the_recorded_session_is_that_of_the_demonstration():
    """What `make demo` says of the model is what the charts go by."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    assert f"DEMO_ARGS ?= --window {LIMITS.context_window} --max-output {LIMITS.max_output_tokens}\n" in makefile
    assert f"DEMO ?= {SESSION.relative_to(ROOT)}\n" in makefile
