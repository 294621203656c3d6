"""An operation takes JSON values and gives them; what is not of its form is told on one line with the cure."""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.errors import InvalidInput, Refused
from brim.portable import operations
from brim.portable.operation import EXACT, Input, UnknownOperation, perform


def test_performs_on_plain_values_and_gives_plain_values(share_of):
    """Decimals go out as JSON numbers, whole ones as whole numbers."""
    given = {"size": 100, "share": 0.29, "slices": [{"label": "✓", "sizes": [1, 2]}]}
    assert perform("share_of", given) == {"exact": 29, "whole": 29, "label": "✓"}


def test_a_whole_number_stays_whole(share_of):
    """29 % of 100 is the integer 29, not 29.0, and not the 28.999… of binary fractions."""
    exact = perform("share_of", {"size": 100, "share": Decimal("0.29")})["exact"]
    assert (exact, type(exact)) == (29, int)


@pytest.mark.parametrize("share", [1, 1.0, 0.92, Decimal("0.92"), Decimal(1)])
def test_a_decimal_takes_any_number(share_of, share):
    """Whole or not, a JSON number is a number."""
    assert perform("share_of", {"size": 100, "share": share})["whole"] in {92, 100}


class Portion(Input):
    """A share, and nothing else."""

    share: Annotated[Decimal, EXACT]


@given(st.decimals(0, 1, places=12))
def test_no_share_is_bent_on_its_way(share):
    """A decimal of JSON is read digit by digit."""
    assert Portion.model_validate_json(f'{{"share": {float(share)!r}}}').share == share


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "share_of: size is missing"),
        ({"size": "many"}, "share_of: size is 'many'; it should be a valid integer"),
        ({"size": 1.5}, "share_of: size is 1.5; it should be a valid integer"),
        ({"size": True}, "share_of: size is True; it should be a valid integer"),
        ({"size": -1}, "share_of: size is -1; it should be greater than or equal to 0"),
        ({"size": None}, "share_of: size is None; it should be a valid integer"),
        ({"size": 1, "share": "0.5"}, "share_of: share is '0.5'; it should be a number"),
        ({"size": 1, "share": True}, "share_of: share is True; it should be a number"),
        ({"size": 1, "share": 1.01}, "share_of: share is 1.01; it should be less than or equal to 1"),
        ({"size": 1, "sise": 2}, "share_of: there is no sise; it takes size, share, slices"),
        ({"size": 1, "slices": [{"label": "a"}, {"tag": "b"}]}, "share_of: there is no slices.1.tag; it takes size"),
        ({"size": 1, "slices": [{"sizes": [1, "x" * 999]}]}, "share_of: slices.0.sizes.1 is 'xxxxxxxxxx"),
        ([1], "share_of: it is [1]; it should be an object"),
        (None, "share_of: it is None; it should be an object"),
    ],
)
def test_what_is_not_of_the_form_is_told(share_of, given, told):
    """The message names the field, what was met and what it takes, on one line of bounded length."""
    with pytest.raises(InvalidInput) as refusal:
        perform("share_of", given)
    message = str(refusal.value)
    assert message.startswith(told)
    assert "\n" not in message
    assert len(message) < 300


@pytest.mark.parametrize("share", [float("nan"), float("inf"), -float("inf")])
def test_a_number_is_finite(share_of, share):
    """Neither infinity nor a thing that is no number is a share."""
    with pytest.raises(InvalidInput, match="finite"):
        perform("share_of", {"size": 1, "share": share})


def test_a_refusal_passes_through(share_of):
    """What a rule refuses stays a refusal."""
    with pytest.raises(Refused, match="size 0"):
        perform("share_of", {"size": 0})


def test_an_unknown_operation_names_the_known():
    """One that nobody declared is told apart from one that refuses."""
    with pytest.raises(UnknownOperation, match="no operation 'prone'"):
        perform("prone", {})


def test_the_summary_is_one_line(share_of):
    """The docstring's line breaks are those of the code, not of the page."""
    assert share_of.summary == "Take a share of a size."


@pytest.mark.parametrize("name", sorted(operations.OPERATIONS))
def test_every_operation_is_declared_in_full(name):
    """It says what it is, names rules by their ids, and describes each of its fields."""
    declared = operations.OPERATIONS[name]
    assert declared.summary.endswith(".")
    assert declared.rules
    assert [field for field, told in declared.takes.model_fields.items() if not told.description] == []
