"""Steps of features/compaction/result.feature."""

from __future__ import annotations

from pytest_bdd import parsers, when

from brim.compaction.plan import plan_compaction
from brim.compaction.result import compact_without_model
from brim.engine.compactor import Compactor
from brim.summary.summarizer_input import SummaryAnswer
from steps.conversation_table import filler
from steps.vocabulary import tokens
from steps.worlds.plans import characters, judged


@when("the template writes the summary", target_fixture="outcome")
def write_by_template(window):
    return judged(window, compact_without_model(plan_compaction(window)))


class Writer:
    """A summarizer that answers with the same words, or with as many as it is asked for, and notes each request."""

    def __init__(self, words: str | None) -> None:
        self.words = words
        self.requests = []

    def summarize(self, request, _on_text):
        """Return the words, or as many of four characters as it is asked for tokens."""
        self.requests.append(request)
        words = filler(str(request.max_tokens)) if self.words is None else self.words
        return SummaryAnswer(text=words, stop_reason="end_turn")


WRITTEN = r'"(?P<words>[^"]*)"|(?P<count>[\d,]+) characters|as much as it is asked for'


@when(parsers.re(f"a model writes (?:{WRITTEN})"), target_fixture="outcome")
def write_by_model(window, words, count):
    writer = Writer("x" * tokens(count) if count else words and characters(words))
    compaction = Compactor(summarizer=writer, sleep=lambda _: None).compact(window)
    return judged(window, compaction, requests=writer.requests)
