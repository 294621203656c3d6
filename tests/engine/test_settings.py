"""Every field of a policy and every switch of the environment has an example of what it changes."""

from pathlib import Path

import pytest

from brim.compaction.policy import CompactionPolicy
from brim.engine.settings import with_switches
from brim.errors import BrimError
from brim.pruning.tool_outputs import SWITCHES as PRUNING
from brim.trigger.overflow import SWITCHES as COMPACTION
from steps.rulebook import read_feature

FEATURE = Path(__file__).parents[2] / "features" / "engine" / "settings.feature"


def examples(column: str, beside: str) -> set[str]:
    """Return the cells of a column in all tables of the feature that have another column too."""
    tables = [table for scenario in read_feature(FEATURE).scenarios for table in scenario.tables]
    return {
        dict(zip(table.columns, cells, strict=True))[column]
        for table in tables
        if {column, beside} <= {*table.columns}
        for _, cells in table.rows
    }


def test_every_field_has_a_row():
    """With its outcome with the setting, beside that by default; the tools that edit have a table of their own."""
    assert examples("field", "set") == {*CompactionPolicy.model_fields}


def test_every_switch_has_a_row():
    """Of compaction and of pruning, brim's own and OpenCode's."""
    assert examples("variable", "result") == {*COMPACTION, *PRUNING}


def test_a_policy_without_switches_is_the_same():
    """Nothing is copied where the environment says nothing."""
    policy = CompactionPolicy()
    assert with_switches(policy, {"BRIM_DISABLE_AUTOCOMPACT": "no"}) is policy


@pytest.mark.parametrize(
    ("field", "value", "told"),
    [
        ("words_share", 2, "it has to be above 0 and at most 1"),
        ("summary_share", 0, "the share of the summary is 0; it has to be above 0 and at most 1"),
        ("identifiers_share", 0.6, r"the share of the identifiers is 0\.6; it has to be from 0 to 0\.5"),
        ("max_conversations", 0, "greater than or equal to 1"),
    ],
)
def test_a_setting_that_cannot_work_is_refused(field, value, told):
    """The error names what it has to be (SET_01)."""
    with pytest.raises(BrimError, match=told):
        CompactionPolicy(**{field: value})
