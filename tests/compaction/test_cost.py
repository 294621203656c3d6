"""What a compaction costs: against a count call by call, in any decimal context, and of real plans."""

from decimal import Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.compaction.context_window import ContextWindow
from brim.compaction.cost import Prices, Traffic, price_traffic, traffic_of
from brim.compaction.plan import plan_compaction
from brim.conversation.messages import read_message
from brim.engine.compactor import Compactor
from brim.errors import InvalidInput
from brim.models import NO_LIMIT, ModelLimits
from brim.summary.summarizer_input import SummaryRequest
from brim.testing import ScriptedSummarizer

MANY = 300
MILLION = 1_000_000

price = st.decimals(min_value=0, max_value=100, places=4)
prices = st.builds(Prices, input=price, output=price, cache_read=price, cache_write=price)


@st.composite
def traffics(draw):
    """Tokens that a compaction moves."""
    before, after = draw(st.integers(0, 10**6)), draw(st.integers(0, 10**6))
    return Traffic(
        before=before,
        after=after,
        unchanged=draw(st.integers(0, min(before, after))),
        form=draw(st.sampled_from(["warm", "rendered", None])),
        instruction=draw(st.integers(0, 10**6)),
        summary=draw(st.integers(0, 10**5)),
    )


def by_hand(traffic, listed):
    """After how many calls all that was spent is no more than without a compaction, call by call."""
    read, write = Fraction(listed.cache_read), Fraction(listed.cache_write)
    compacted = Fraction(0)
    if traffic.form:
        compacted = traffic.instruction * Fraction(listed.input) + traffic.summary * Fraction(listed.output)
    if traffic.form == "warm":
        compacted += traffic.before * read
    compacted += traffic.unchanged * read + (traffic.after - traffic.unchanged) * write
    going_on = traffic.before * read
    for calls in range(1, MANY):
        if compacted <= going_on and (traffic.before - traffic.after) * read > 0:
            return calls
        compacted += traffic.after * read
        going_on += traffic.before * read
    return None


@given(traffics(), prices)
def test_it_pays_after_as_many_calls_as_a_count_call_by_call_says(traffic, listed):
    """The formula and the count agree, however the summary is asked for."""
    pays = price_traffic(traffic, listed).pays_after
    assert by_hand(traffic, listed) == (pays if pays is None or pays < MANY else None)


@given(traffics(), prices)
def test_no_part_of_a_cent_is_lost(traffic, listed):
    """What is told is what the prices say, to the last digit, even where the caller's decimals are short."""
    with localcontext(prec=2):
        cost = price_traffic(traffic, listed)
    assert Fraction(cost.call_before) == traffic.before * Fraction(listed.cache_read) / MILLION
    assert Fraction(cost.call_after) == traffic.after * Fraction(listed.cache_read) / MILLION
    assert Fraction(cost.cache_write) == (traffic.after - traffic.unchanged) * Fraction(listed.cache_write) / MILLION
    assert cost == price_traffic(traffic, listed)


@pytest.mark.parametrize("name", ["input", "output", "cache_read", "cache_write"])
@pytest.mark.parametrize("wrong", ["-0.01", "NaN", "inf"])
def test_every_price_is_a_number_from_0(name, wrong):
    """Each of the four; a free one and a millionth of a cent are prices."""
    prices = {"input": Decimal(0), "output": Decimal("1E-8"), "cache_read": Decimal(0), "cache_write": Decimal(0)}
    assert Prices(**prices)
    with pytest.raises(InvalidInput, match=f"price {name} is"):
        Prices(**prices | {name: Decimal(wrong)})


def conversation(turns=20, output=8_000):
    """Turns with a tool output of so many characters each."""
    raws = []
    for number in range(turns):
        use = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": "ls"}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": "x" * output}
        raws += [
            {"role": "user", "content": f"Step {number}."},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result]},
            {"role": "assistant", "content": "Done."},
        ]
    return tuple(map(read_message, raws))


def plan_of(messages=None, limits=NO_LIMIT, **options):
    """The plan of a compaction by hand."""
    window = ContextWindow(limits, messages=conversation() if messages is None else messages, system="You code. " * 400)
    return plan_compaction(window, **options)


def asked(plan, form="warm", **changed):
    """The request for its summary."""
    plain = {"model": "m", "messages": (), "max_tokens": 2_000, "form": form, "replaces_tokens": 30_000}
    return SummaryRequest(**plain | {"tokens": plan.context.tokens_before + 700} | changed)


@pytest.mark.parametrize(
    ("longest", "replaces", "told", "written"),
    [
        (2_000, 30_000, None, 2_000),
        (2_000, 1_200, None, 1_200),
        (2_000, 30_000, 900, 900),
        (2_000, 30_000, 9_000, 2_000),
    ],
)
def test_a_summary_is_as_long_as_it_may_be_until_somebody_knows(longest, replaces, told, written):
    """No longer than is asked for, nor than what it replaces, and as long as is told."""
    plan = plan_of()
    request = asked(plan, max_tokens=longest, replaces_tokens=replaces)
    assert traffic_of(plan, request, told).summary == written


def test_the_first_request_of_a_plan_is_the_one_that_its_summarizer_receives():
    """What is priced is what is sent (CMP_09)."""
    summarizer = ScriptedSummarizer("All went well.")
    compactor = Compactor(limits=ModelLimits(context_window=200_000, max_output_tokens=8_000), summarizer=summarizer)
    plan = compactor.plan([message.raw for message in conversation(turns=10, output=20_000)])
    first = plan.call.first_request
    compactor.apply(plan)
    assert [first] == [*summarizer.requests]
