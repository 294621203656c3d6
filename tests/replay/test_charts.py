"""Charts of long sessions, and the page of many."""

import json
import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.compaction.policy import CompactionPolicy
from brim.models import ModelLimits
from brim.replay import Candidate, candidates, replay
from brim.replay.charts import POINTS, bar_chart, short, thinned
from brim.replay.page import DETAILED, page
from brim.transcripts import read_transcript
from steps.prerequisites import transcripts
from steps.recorded_sessions import write_session


@given(st.lists(st.integers(0, 1_000_000), max_size=3_000))
def test_a_thinned_line_keeps_its_order_and_its_peak(values):
    """And has as many points as a screen can show."""
    points = [*thinned(values)]
    indices = [index for index, _ in points]
    assert indices == sorted(set(indices))
    assert all(values[index] == value for index, value in points)
    assert len(points) <= POINTS
    assert [max(y for _, y in points)] == [max(values)] if values else points == []


class Read(HTMLParser):
    """What a browser reads: the elements with their attributes, and the text."""

    def __init__(self):
        super().__init__()
        self.elements, self.text = [], ""

    def handle_starttag(self, tag, attrs):
        """An element."""
        self.elements.append((tag, attrs))

    def handle_data(self, data):
        """Text."""
        self.text += data


@given(st.text(st.characters(), max_size=50))
def test_a_text_is_no_markup(text):
    """It is read as it was written, in an element and in an attribute; what no page may hold is replaced."""
    reader = Read()
    reader.feed(str(bar_chart("x", title="t", description=text, parts=[text], bars=[])))
    reader.close()
    (label,) = (value for _, attributes in reader.elements for name, value in attributes if name == "aria-label")
    for read in (label.removeprefix("t. "), reader.text.strip("\n")[2:]):
        assert all(one == other for one, other in zip(text, read, strict=True) if one.isprintable())
    assert {name for name, _ in reader.elements} <= {"ul", "li", "i", "div"}


@pytest.mark.parametrize(
    ("value", "shown"), [(0, "0"), (999, "999"), (121_600, "121.6k"), (200_000, "200k"), (1_048_576, "1.049M")]
)
def test_a_count_on_an_axis_is_short(value, shown):
    """Thousands and millions have a letter."""
    assert short(value) == shown


@pytest.mark.transcripts
def test_a_mark_names_what_its_compaction_held():
    """Also in a session of pi, two of whose responses wrote summaries and belong to no window."""
    file = transcripts() / "pi" / "pi-mono" / "before-compaction-two-compactions.jsonl"
    limits = ModelLimits(context_window=200_000, max_output_tokens=32_000)
    answer = replay(read_transcript(file), limits, candidates(["usable"])).answer()
    marks = re.findall(
        r'class="mark" .*title="after response ([0-9,]+) at ([0-9,]+) tokens', page([{"file": "pi", **answer}])
    )
    drawn = [tuple(int(one.replace(",", "")) for one in mark) for mark in marks]
    made = (*answer["recorded"]["compactions"], *answer["policies"][0]["compactions"])
    assert drawn == [(one["response"], one["held"]) for one in made]


def test_a_page_of_many_sessions_shows_the_first_ones(tmp_path):
    """And lists all of them."""
    file = write_session(tmp_path, [{"record": "response", "read": "20020", "wrote": "100"}])
    limits = ModelLimits(context_window=200_000, max_output_tokens=32_000)
    answer = replay(read_transcript(file), limits, candidates(["usable"])).answer()
    count = DETAILED + 1
    shown = page([{"file": f"talk{number}.jsonl", **answer} for number in range(count)])
    assert shown.count('class="session"') == DETAILED
    assert [shown.count(f'href="#s{number}"') for number in (1, DETAILED, count)] == [1, 1, 0]
    assert f"talk{count - 1}.jsonl" in shown


def test_an_answer_of_an_earlier_version_has_a_page(tmp_path):
    """It has no name but its file's, and no verdict of its own."""
    file = write_session(tmp_path, [{"record": "response", "read": "20020", "wrote": "100"}])
    limits = ModelLimits(context_window=200_000, max_output_tokens=32_000)
    answer = replay(read_transcript(file), limits, candidates(["usable"])).answer()
    del answer["project"], answer["first_words"], answer["recommendation"]["verdict"]
    shown = page([{"file": "talks/harbor.jsonl", **answer}])
    assert "<title>Replay: harbor.jsonl</title>" in shown
    assert '<p class="verdict">Nothing to choose between' in shown


def test_a_record_without_a_price_is_compared_with_nothing(tmp_path):
    """A summary of the tool's own may be by a model without a price: no sum has the costs of its session's policies."""
    limits, made = ModelLimits(context_window=200_000, max_output_tokens=32_000), []
    for name, summarizer in (("own", "own-model"), ("known", "claude-opus-4-5")):
        messages = []
        for number in range(8):
            model, last = ("claude-opus-4-5", False) if number < 7 else (summarizer, True)
            counts = {"input": 20_000 + 2_100 * number, "output": 100, "cache": {"read": 0, "write": 0}}
            asked = {"type": "compaction", "auto": True} if last else {"type": "text", "text": "Go on. " * 1_200}
            told = {"modelID": model, "providerID": "anthropic", "finish": "stop", "tokens": counts}
            about = {"id": f"a{number}", "role": "assistant", "parentID": f"u{number}", "summary": last, **told}
            messages.append({"info": {"id": f"u{number}", "role": "user"}, "parts": [asked]})
            messages.append({"info": about, "parts": [{"type": "text", "text": "Done." * 80}]})
        file = tmp_path / f"{name}.json"
        file.write_text(json.dumps({"info": {"id": name, "version": "1.4.3"}, "messages": messages}))
        policy = Candidate("early", CompactionPolicy(threshold=28_000))
        made.append({"file": file.name, **replay(read_transcript(file), limits, [policy]).answer()})
    costs = [one["policies"][0]["cost"] for one in made]
    assert made[0]["recorded"]["cost"] == "unknown"
    verdict = f"early would have cost ${costs[0]:.2f} beside a record without a price;"
    assert made[0]["recommendation"]["verdict"].startswith(verdict)
    recorded = made[1]["recorded"]["cost"]
    verdict = (
        f"No policy would have cost less than the ${recorded:.2f} recorded; early would have cost ${costs[1]:.2f}."
    )
    assert f'</h1>\n<p class="verdict">{verdict}</p>' in page(made)
