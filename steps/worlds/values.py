"""Values: a conversation in a line or a table, a model, settings, and the result as a table or a value."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_bdd import given, parsers, then

from steps.conversation_table import filler, names, read_table, write_table
from steps.vocabulary import number, tokens
from steps.worlds.conversation_line import Line
from steps.worlds.notation import Notation, Unread
from steps.worlds.tables import agrees, check_rows, of, shown

Read = Callable[[str], Any]


def count(cell: str) -> int:
    """Return a whole number that may be less than nothing: -1, 40,000."""
    return -tokens(cell[1:]) if cell.startswith("-") else tokens(cell)


def switch(cell: str) -> bool:
    """Return whether something is on. Raises KeyError for a word that is neither on nor off."""
    return {"on": True, "off": False}[cell]


def limit(cell: str) -> dict[str, Any]:
    """Return a threshold of the user: 100,000 tokens, or 50% of the window."""
    return {"percent": number(cell.rstrip("%"))} if cell.endswith("%") else {"tokens": tokens(cell)}


MODEL: dict[str, tuple[str, Read]] = {
    "window": ("context_window", tokens),
    "answer": ("max_output_tokens", tokens),
    "input limit": ("max_input_tokens", tokens),
}
SETTINGS: dict[str, tuple[str, Read]] = {
    "anchor confidence": ("anchor_confidence", number),
    "answer cap": ("output_cap", tokens),
    "buffer": ("autocompact_buffer", tokens),
    "characters a token": ("characters_per_token", number),
    "compaction": ("disabled", lambda cell: not switch(cell)),
    "harness tags": ("harness_tags", lambda cell: frozenset(names(cell.removeprefix("none")))),
    "editing tools": ("editing_tools", names),
    "fallback": ("on_failure", str),
    "held at most": ("target_tokens", tokens),
    "index share": ("identifiers_share", number),
    "keep at most": ("keep_tokens", tokens),
    "keep share": ("keep_share", number),
    "keep target": ("keep_tokens", tokens),
    "kept messages": ("keep_messages", tokens),
    "least saving": ("prune_minimum", count),
    "focus": ("focus", str),
    "least clearing": ("clear_at_least", tokens),
    "on failure": ("on_failure", str),
    "pause": ("pause", switch),
    "pins": ("pinned", lambda words: lambda message: words in str(message["content"])),
    "longest summary": ("max_summary_tokens", tokens),
    "profile": ("profile", str),
    "prompt": ("prompt", str),
    "protected tokens": ("prune_protect", count),
    "protected tools": ("protected_tools", names),
    "pruning": ("prune", switch),
    "recall": ("recall", switch),
    "room for conversations": ("max_conversations", tokens),
    "recent turns": ("recent_turns", tokens),
    "required fact": ("required_facts", lambda cell: (filler(cell),)),
    "share": ("share", number),
    "share ahead": ("ahead", number),
    "share of": ("basis", {"the window": "window", "the usable context": "usable"}.__getitem__),
    "strict": ("strict", switch),
    "system prompt": ("system", filler),
    "summary share": ("summary_share", number),
    "target": ("target", tokens),
    "threshold": ("user_threshold", limit),
    "tools": ("tools", lambda cell: [{"description": filler(cell)[len('{"description":""}') :]}]),
    "to compact": ("empty", {"nothing": True, "something": False}.__getitem__),
    "words share": ("words_share", number),
}
"""Settings by their names on the page: what they are called in a policy or an operation, and how a cell is read."""


def read_settings(line: str, known: dict[str, tuple[str, Read]]) -> dict[str, Any]:
    """Return settings written in a line: `profile proactive, share 0.5`. Raises Unread."""
    found: dict[str, Any] = {}
    for item in line.split(", "):
        name = max((one for one in known if item.startswith(f"{one} ")), key=len, default=None)
        if name is None:
            raise Unread(f"the setting {item!r} begins with none of {', '.join(known)}")
        found |= setting(name, item.removeprefix(f"{name} "), known)
    return found


def setting(name: str, cell: str, known: dict[str, tuple[str, Read]]) -> dict[str, Any]:
    """Return one setting by its field. Raises Unread."""
    if name not in known:
        raise Unread(f"the setting {name!r} is none of {', '.join(known)}")
    field, read = known[name]
    try:
        value = read(cell)
    except (KeyError, ValueError, ArithmeticError) as error:
        raise Unread(f"{cell!r} is no value of the setting {name!r}") from error
    return {field: value} | ({"keep_share": 1} if name == "keep target" else {})


@given(Notation("the conversation {line}", Line.read), target_fixture="conversation")
def conversation_in_a_line(line):
    return Line.read(line)


@given("the conversation", target_fixture="conversation")
def conversation_in_a_table(datatable):
    return read_table(datatable)


@given(Notation("a model with {line}", lambda line: read_settings(line, MODEL)), target_fixture="limits")
def model_with(line):
    return read_settings(line, MODEL)


@given(Notation("the settings {line}", lambda line: read_settings(line, SETTINGS)), target_fixture="settings")
def settings_in_a_line(settings, line):
    return settings | read_settings(line, SETTINGS)


@given("the settings", target_fixture="settings")
def settings_in_a_table(settings, datatable):
    for name, cell in zip(*datatable, strict=True):
        settings = settings | setting(name, cell, SETTINGS)
    return settings


@then(Notation("the conversation is {line}", Line.read))
def check_conversation_in_a_line(outcome, line):
    assert of(outcome, "conversation") == Line.read(line)


@then("the conversation is")
def check_conversation_in_a_table(outcome, datatable):
    assert write_table(of(outcome, "conversation"), datatable[0]) == datatable


@then("the result is")
def check_result(outcome, datatable):
    check_rows(outcome if isinstance(outcome, list | tuple) else [outcome], datatable)


@then(parsers.re(r"the result is (?P<value>[^\"]+)"))
def check_value(outcome, value):
    assert agrees(outcome, value), outcome


@then(parsers.re(r"the (?P<part>[a-z -]+?) (?:is|are) \"(?P<words>(?s:.*))\""))
def check_part(outcome, part, words):
    assert agrees(of(outcome, part), words), shown(of(outcome, part))


@then(parsers.re(r"the (?P<part>[a-z ]+?) says \"(?P<words>[^\"]*)\"(?:, and not \"(?P<others>[^\"]*)\")?"))
def check_says(outcome, part, words, others):
    said = str(of(outcome, part))
    assert words.replace("\\n", "\n") in said, said
    assert not others or others.replace("\\n", "\n") not in said, said
