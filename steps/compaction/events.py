"""Steps of features/compaction/events.feature."""

from __future__ import annotations

import re
import warnings
from types import SimpleNamespace

from pytest_bdd import parsers, when

from brim.compaction.events import MemoryUpdated
from brim.engine.compactor import Compactor
from brim.summary.summarizer_input import SummaryAnswer
from brim.testing import ScriptedSummarizer
from steps.policies import with_policy
from steps.vocabulary import attempt, phrase

FAILURE = SummaryAnswer(failure="permanent", reason="the key is not known")
PROMPT = "Tell what happened so far."
"""The prompt of the summaries, so that the tokens of their requests do not depend on brim's own."""


def failing(event):
    """Fail at every event."""
    raise LookupError(event)


ANSWERED = '(?P<answers>answers "[^"]*"(?:, "[^"]*")*|fails for good)'


@when(parsers.re(f"the model {ANSWERED}(?P<listener>, and a listener fails)?"), target_fixture="outcome")
def compact(conversation, settings, answers, listener):
    """Compact by hand, with a second listener ahead of the other if one fails."""
    heard = []
    script = [FAILURE] if answers == "fails for good" else re.findall('"([^"]*)"', answers)
    compactor = Compactor(
        summarizer=ScriptedSummarizer(script, repeat=True),
        sleep=lambda _: None,
        on_event=[failing, heard.append] if listener else heard.append,
        **with_policy(settings | {"prompt": PROMPT}),
    )
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        made = attempt(compactor.compact, [one.raw for one in conversation])
    return SimpleNamespace(
        events=[str(one) for one in heard],
        failure=next((str(one) for one in heard if one.kind == "failed"), None),
        attempts=[one.attempts for one in heard if one.kind == "failed"],
        summary_of_the_last_event=getattr(heard[-1], "summary", None) if heard else None,
        last_event=str(heard[-1]) if heard else None,
        text=getattr(made, "text", ""),
        warned=[str(one.message) for one in warned],
    )


@when(phrase('{lines:Count} new lines are written to the memory file "{path:Quoted}"'), target_fixture="outcome")
def report_memory(lines, path):
    return SimpleNamespace(text=str(MemoryUpdated(path=path, lines=lines)))
