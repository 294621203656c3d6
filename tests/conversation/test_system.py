"""Messages of the system in the middle of a list: each goes where the API takes it, and none is lost."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.conversation.messages import Message, read_message, speaker, with_system_in_place
from brim.conversation.turns import begins_turn
from brim.testing import complaints

SAID = {
    "u": {"role": "user", "content": "Go."},
    "a": {"role": "assistant", "content": "Done."},
    "s": {"role": "system", "content": "It is late."},
    "d": {"role": "system", "content": [], "output_config": {"effort": "low"}},
    "f": {
        "role": "assistant",
        "content": [
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []},
        ],
    },
}
LETTERS = {(raw["role"], str(raw["content"])): letter for letter, raw in SAID.items()}


def read(letters: str) -> list[Message]:
    """A conversation in letters: user, assistant, system, a setting of the system, a search of the provider."""
    return [read_message(SAID[letter]) for letter in letters]


def written(messages: tuple[Message, ...]) -> str:
    """The same letters."""
    return "".join(LETTERS[message.raw["role"], str(message.raw["content"])] for message in messages[:-1]) + (
        LETTERS.get((messages[-1].raw["role"], str(messages[-1].raw["content"])), "U") if messages else ""
    )


@pytest.mark.parametrize(
    ("given_as", "sent"),
    [
        ("usaus", "usaus"),
        ("ussa", "ussa"),
        ("usua", "uusa"),
        ("uasua", "uausa"),
        ("suaus", "usaus"),
        ("ufsau", "ufsau"),
        ("usfu", "usfu"),
        ("udua", "udua"),
        ("duasu", "duaus"),
        ("uas", "uaU"),
    ],
    ids=[
        "in place",
        "two in place",
        "before the user",
        "behind the assistant",
        "first",
        "behind a result of the provider",
        "before a search",
        "a setting anywhere",
        "a setting first",
        "no user behind it: sent as the user's",
    ],
)
def test_each_goes_where_the_api_takes_it(given_as: str, sent: str) -> None:
    """Behind a user's message or a provider's result, and before the assistant's or at the end."""
    assert written(with_system_in_place(read(given_as))) == sent


@given(st.text("uasd", max_size=9).map(lambda letters: f"u{letters}"))
def test_the_api_takes_whatever_comes_out(letters: str) -> None:
    """No message is lost, and what stands right stays the very same."""
    messages = read(letters)
    placed = with_system_in_place(messages)
    assert complaints([message.raw for message in placed]) == []
    assert len(placed) == len(messages)
    if complaints([message.raw for message in messages]) == []:
        assert [id(message) for message in placed] == [id(message) for message in messages]


def test_it_is_neither_the_users_nor_the_models() -> None:
    """It begins no turn, and is shown as what the harness wrote; one that changes tools is pinned."""
    (said,) = read("s")
    assert not begins_turn(said)
    assert speaker(said) == "harness"
    tool = {"type": "tool_removal", "tool": {"type": "tool_reference", "name": "Look"}}
    assert [read_message({"role": "system", "content": one}).marks.pinned for one in ("Go.", [tool])] == [False, True]
