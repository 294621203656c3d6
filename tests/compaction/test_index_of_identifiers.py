"""The index of identifiers: what is looked for, and that none is where none is wanted."""

from __future__ import annotations

from brim.compaction import context_window, plan
from brim.compaction.policy import CompactionPolicy
from brim.engine.compactor import Compactor
from brim.models import ModelLimits
from brim.summary.identifiers import collect_identifiers

ADDRESS = "https://example.org/harbour/plan.png"
PLAN = {"type": "image", "source": {"type": "url", "url": ADDRESS}}


def messages():
    """Thirty turns, the first with a picture from the web; results full of paths."""
    said = [{"role": "user", "content": [{"type": "text", "text": "Build this."}, PLAN]}]
    for n in range(30):
        call = {"type": "tool_use", "id": f"t{n}", "name": "Bash", "input": {"command": f"pytest tests/test_{n}.py"}}
        listed = "".join(f"src/piers/pier_{n}/part_{part}.py: error\n" for part in range(40))
        said += [
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": listed}]},
            {"role": "assistant", "content": f"Pier {n} stands."},
            {"role": "user", "content": f"Build pier {n + 1}."},
        ]
    return said


def compacted(**policy):
    """Those messages, compacted without a model."""
    limits = ModelLimits(context_window=12_000, max_output_tokens=1_000)
    return Compactor(limits=limits, policy=CompactionPolicy(**policy)).compact(messages())


def test_the_address_of_a_picture_is_in_the_summary():
    """The picture leaves, and where it was does not."""
    made = compacted()
    assert PLAN not in [block for one in made.messages for block in one["content"]]
    assert ADDRESS in made.summary


def test_without_an_index_nothing_is_looked_for(monkeypatch):
    """A share of 0 costs nothing."""
    read = []
    looked = collect_identifiers

    def noted(*given, **named):
        read.append(given)
        return looked(*given, **named)

    for module in (plan, context_window):
        monkeypatch.setattr(module, "collect_identifiers", noted)
    assert ADDRESS not in compacted(identifiers_share=0).summary
    assert read == []
    assert compacted().plan.changes_anything
    assert read
