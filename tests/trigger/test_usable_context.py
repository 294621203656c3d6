"""The usable context is exact for any limits."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.errors import Refused
from brim.models import ModelLimits
from brim.trigger.usable_context import output_reserve, usable_context, validate_limits

limits = st.builds(ModelLimits, context_window=st.integers(0, 10**7), max_output_tokens=st.integers(0, 10**6))


@given(limits, st.integers(0, 10**6))
def test_room_and_usable_context_make_up_the_window(model, cap):
    """What is set aside is never above the cap, and what is left never below nothing."""
    room = output_reserve(model, cap)
    assert room == (min(model.max_output_tokens, cap) if model.max_output_tokens else cap)
    assert usable_context(model, cap) == max(model.context_window - room, 0)


@given(limits)
def test_room_is_required_exactly_where_there_is_a_window(model):
    """Without room the refusal says how much was set aside of what."""
    usable = usable_context(model)
    if usable or not model.context_window:
        assert validate_limits(model) == usable
    else:
        with pytest.raises(Refused) as refusal:
            validate_limits(model)
        assert f"window {model.context_window}, reserved {output_reserve(model)};" in str(refusal.value)
