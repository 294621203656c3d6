"""Every field of a policy and every switch of the environment has an example of what it changes."""

from pathlib import Path

from brim.compaction.policy import CompactionPolicy
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
