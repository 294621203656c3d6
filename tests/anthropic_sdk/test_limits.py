"""Limits asked of the provider: what went out, what came back, and every way to be refused."""

import asyncio

import httpx2
import pytest
import respx
from anthropic import Anthropic, AsyncAnthropic

from brim.anthropic.limits import alimits_from, limits_from
from brim.errors import ProviderFailed, UnknownLimits, UnknownModel, WrongKey
from brim.models import ModelLimits
from steps.api_answers import ADDRESS, MODEL, error_body

URL = f"{ADDRESS}/v1/models/{MODEL}"
STATED = {
    "id": MODEL,
    "type": "model",
    "display_name": "Claude Sonnet 5.5",
    "created_at": "2026-09-01T00:00:00Z",
    "lifecycle": "active",
    "max_input_tokens": 1_000_000,
    "max_tokens": 128_000,
}


@pytest.fixture(autouse=True)
def no_key_around(monkeypatch, tmp_path):
    """No key but the one that a test gives."""
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "ANTHROPIC_PROFILE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))


def ask(model=MODEL, *, key="key"):
    """Ask by a client that does not try again."""
    return limits_from(Anthropic(api_key=key, max_retries=0), model)


def aask(model=MODEL, *, key="key"):
    """As ask, in an event loop."""
    return asyncio.run(alimits_from(AsyncAnthropic(api_key=key, max_retries=0), model))


either = pytest.mark.parametrize("asked", [ask, aask], ids=["sync", "async"])


@either
@respx.mock
def test_the_limits_are_those_that_the_provider_states(asked):
    """The window and the longest answer, of the model that was named."""
    route = respx.get(URL).mock(return_value=httpx2.Response(200, json=STATED))
    assert asked() == ModelLimits(context_window=1_000_000, max_output_tokens=128_000)
    assert route.call_count == 1


@either
@pytest.mark.parametrize("window", [None, 0, "plenty"])
@respx.mock
def test_a_model_without_a_window_is_asked_for_by_name(asked, window):
    """Where neither the provider nor the model data states one, the error names the model and the cure."""
    respx.get(f"{ADDRESS}/v1/models/own-model").mock(
        return_value=httpx2.Response(200, json=STATED | {"max_input_tokens": window})
    )
    with pytest.raises(UnknownLimits, match=r"'own-model'.*limits=ModelLimits\("):
        asked("own-model")


@either
@respx.mock
def test_a_window_that_the_provider_leaves_open_is_that_of_the_model_data(asked):
    """The model data answers where the provider states no window (TRG_23)."""
    respx.get(URL).mock(return_value=httpx2.Response(200, json=STATED | {"max_input_tokens": None}))
    assert asked() == ModelLimits(context_window=1_000_000)


@either
@pytest.mark.parametrize(
    ("status", "kind", "error"),
    [
        (401, "authentication_error", WrongKey),
        (404, "not_found_error", UnknownModel),
        (500, "api_error", ProviderFailed),
    ],
)
@respx.mock
def test_a_refusal_is_an_error_of_brim(asked, status, kind, error):
    """No error of the SDK leaves brim; it is the cause of brim's own."""
    respx.get(URL).mock(return_value=httpx2.Response(status, json=error_body(kind, "no")))
    with pytest.raises(error, match=r"limits=ModelLimits\(") as raised:
        asked()
    assert type(raised.value) is error
    assert type(raised.value.__cause__).__module__ == "anthropic"


@either
@respx.mock
def test_a_provider_that_cannot_be_reached_failed(asked):
    """A broken line is the provider's failure."""
    respx.get(URL).mock(side_effect=httpx2.ConnectError("refused"))
    with pytest.raises(ProviderFailed, match="check the network"):
        asked()


@either
def test_without_a_key_nothing_is_asked(asked):
    """The error names where a key is given."""
    with respx.mock(assert_all_called=False) as router, pytest.raises(WrongKey, match="ANTHROPIC_API_KEY"):
        asked(key=None)
    assert not router.calls


@either
def test_without_a_model_nothing_is_asked(asked):
    """A name that is empty is no model's."""
    with respx.mock(assert_all_called=False) as router, pytest.raises(UnknownModel, match="no model is named"):
        asked("")
    assert not router.calls
