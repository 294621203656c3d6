"""The index of identifiers: its corpus, and what only other ways to go on with a conversation show."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brim import Compactor, Conversation
from brim.sessions.store import open_store
from brim.summary.identifiers import NO_IDENTIFIERS, collect_identifiers, index_section
from steps.summary.identifiers import HEADING, LIMITS, OFTEN, Talk, index_of
from tests.summary.tables import described, rows


def summary_of(talk: Talk, writer: str = "a model") -> str:
    """Return the summary of all turns but the last."""
    return talk.compactor(writer).compact(talk.messages()).summary


@pytest.mark.parametrize("row", rows("identifiers.tsv"), ids=described)
def test_each_sort_is_listed_and_nothing_else(row: dict[str, str]) -> None:
    """Exact words are, and neither prose nor what may be a secret (REC_02)."""
    assert ", ".join(index_of(summary_of(Talk(4).say("the model", row["text"], 2))).index) == row["row"]


@pytest.mark.parametrize(("length", "count"), [(199, 1), (200, 1), (201, 0)])
def test_an_identifier_has_at_most_200_characters(length: int, count: int) -> None:
    """A longer one is data (REC_02)."""
    talk = Talk(4).say("the model", f"See {'long_name_'.ljust(length, 'x')} once more.", 2)
    assert len(index_of(summary_of(talk)).index) == count


@pytest.mark.parametrize("speaker", ["the model", "a tool", "a failed tool"])
@pytest.mark.parametrize("lines", [0, 200, 1_000], ids=["at both ends", "in what is read", "in what is not"])
def test_what_any_part_of_an_output_calls_a_secret_is_none(speaker: str, lines: int) -> None:
    """An output names a password, also where it is not read, and the value stands bare in another text (REC_02)."""
    filler = "lorem ipsum\n" * lines
    named = f"{filler}DB_PASSWORD=hunter_two_99\n{filler}"
    talk = Talk(4).say("a tool", named, 1).say(speaker, "Connected with hunter_two_99 to db_two.", 2)
    assert index_of(summary_of(talk)).index == ["symbols: db_two"]


def behind_a_summary() -> list[Any]:
    """Return a compacted conversation, whose index names a ticket."""
    talk = Talk(4).say("a tool", "See SHOP-9999.", 2)
    return talk.compactor("a model").compact(talk.messages()).messages


def test_what_follows_a_summary_without_a_prompt_belongs_to_the_turn_that_it_continues() -> None:
    """It is told by the turn after it (REC_02)."""
    ahead = [behind_a_summary()[0], {"role": "assistant", "content": "See SHOP-1234."}]
    talk = Talk(4)
    talk.fields["recall"] = True
    summary = talk.compactor("a model").compact([*ahead, *Talk(4).messages()]).summary
    assert index_of(summary).index == ["errors and ids: SHOP-1234"]
    assert index_of(summary).heading == f"{HEADING}, all of turn 1:"


def test_output_that_was_cleared_is_among_what_left() -> None:
    """It left the context before the turns did (REC_02)."""
    talk = Talk(4).say("a tool", "See SHOP-1234.", 2)
    talk.fields |= {"prune": True, "prune_protect": 0, "prune_minimum": 0}
    compactor = talk.compactor("a model")
    window = compactor.window(talk.messages())
    assert window.prune().outputs
    assert index_of(compactor.compact(window).summary).index == ["errors and ids: SHOP-1234"]


def in_an_engine(compactor: Compactor, _folder: Path) -> Callable[[list[Any]], str]:
    """The conversation of an engine, which compacts by itself."""
    conversation = Conversation(compactor)

    def go_on(messages: list[Any]) -> str:
        conversation.extend(messages)
        compaction = conversation.prepare().compaction
        assert compaction is not None
        return compaction.summary

    return go_on


def in_a_session(compactor: Compactor, folder: Path) -> Callable[[list[Any]], str]:
    """The conversation of a session, read again each time."""
    store = open_store(folder)
    with store.create() as session:
        name = session.id

    def go_on(messages: list[Any]) -> str:
        with store.open(name) as session:
            session.extend(messages)
            window = session.view().window(LIMITS, compactor.policy)
            made = Compactor(limits=LIMITS, summarizer=compactor.summarizer, policy=compactor.policy).compact(window)
            session.compacted(made)
        return made.summary

    return go_on


@pytest.mark.parametrize("keeper", [in_an_engine, in_a_session])
def test_identifiers_are_known_wherever_a_conversation_is_kept(keeper: Any, tmp_path: Path) -> None:
    """Twenty compactions add up in an engine and in a session, too (REC_02)."""
    talk = Talk(3).say("a tool", "See SHOP-1234.", 2)
    talk.fields |= OFTEN | {"recall": True}
    go_on = keeper(talk.compactor("a model"), tmp_path)
    summaries = [go_on(talk.messages()) for _ in range(20)]
    assert index_of(summaries[-1]).index == ["errors and ids: SHOP-1234 (2, …, 59)"]


@pytest.mark.parametrize(("characters", "listed"), [(300, True), (301, False)])
def test_a_command_is_listed_up_to_a_length(characters: int, listed: bool) -> None:
    """A longer one is a script (REC_02)."""
    command = f"make {'x' * (characters - 5)}"
    talk = Talk(4).say("a command", command, 2)
    talk.fields["identifiers_share"] = 0.5
    summary = talk.compactor("a model").compact(talk.messages()).summary
    assert (command in summary) == listed


def test_a_command_with_a_value_that_another_text_calls_a_secret_is_not_listed() -> None:
    """Its own form does not show it (REC_02)."""
    talk = Talk(4).say("the model", "The password: hunter_2a", 2).say("a command", "login me hunter_2a", 2)
    talk.fields["identifiers_share"] = 0.5
    assert "hunter_2a" not in talk.compactor("a model").compact(talk.messages()).summary


@pytest.mark.parametrize("key", ["Zx8kQ2mV7tR4wL9pN3sB6yD1", "Token 3fa9c1d2e4b5a69788776655443322110099aabb"])
def test_a_command_with_what_has_the_form_of_a_key_is_not_listed(key: str) -> None:
    """Nothing calls it a secret (REC_02)."""
    talk = Talk(4).say("a command", f"log-in me {key}", 2)
    talk.fields["identifiers_share"] = 0.5
    assert "log-in" not in talk.compactor("a model").compact(talk.messages()).summary


@pytest.mark.parametrize("max_chars", range(150, 260))
def test_an_index_with_commands_holds_to_its_limit(max_chars: int) -> None:
    """The line of the commands takes its line break too (REC_02)."""
    names = [(1, "work", f"See name_{number:02}.") for number in range(60)]
    known = collect_identifiers([*names, (1, "command", "make")], NO_IDENTIFIERS)
    index = index_section(known, max_chars, shown=(), folder="")
    assert max_chars - len("name_00, ") <= len(index) <= max_chars
    assert index.endswith("`make`")
