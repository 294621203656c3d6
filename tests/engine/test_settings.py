"""Every field of a policy and every switch of the environment has an example of what it changes."""

from pathlib import Path

from brim.compaction.policy import CompactionPolicy
from brim.engine.settings import with_switches
from brim.pruning.tool_outputs import SWITCHES as PRUNING
from brim.trigger.overflow import SWITCHES as COMPACTION
from steps.rulebook import read_feature

FEATURE = Path(__file__).parents[2] / "features" / "engine" / "settings.feature"


def told() -> str:
    """All that the feature says."""
    return FEATURE.read_text(encoding="utf-8")


def examples(column: str) -> set[str]:
    """The cells of a column in all tables of the scenarios that compare two compactors."""
    tables = [
        table
        for scenario in read_feature(FEATURE).scenarios
        for table in scenario.tables
        if {"default", "set"} <= {*table.columns} or column == "variable"
    ]
    return {
        dict(zip(table.columns, cells, strict=True))[column]
        for table in tables
        if column in table.columns
        for _, cells in table.rows
    }


def test_every_field_has_a_row():
    """With its outcome by default and with the setting; three have scenarios of their own."""
    assert examples("field") | {"ahead", "max_conversations", "recall"} == {*CompactionPolicy.model_fields}
    assert '"ahead" set to "0.5"' in told()
    assert '"max_conversations" set to "<most>"' in told()
    assert '"recall" set to "true"' in told()


def test_every_switch_has_a_row():
    """Of compaction and of pruning, brim's own and OpenCode's."""
    assert examples("variable") == {*COMPACTION, *PRUNING}


def test_a_policy_without_switches_is_the_same():
    """Nothing is copied where the environment says nothing."""
    policy = CompactionPolicy()
    assert with_switches(policy, {"BRIM_DISABLE_AUTOCOMPACT": "no"}) is policy
