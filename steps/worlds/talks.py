"""A user who talks with an agent of a library, LangChain or pydantic-ai: a row says how.

The usable context has 7,000 tokens, each answer about 875. `kept` says where the application keeps the messages,
`restart` after which turn its process starts again; sizes are in tokens, and `sizes` those of single questions.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from pytest_bdd import parsers, when

LIBRARIES = {"LangChain": "steps.langchain_agents", "pydantic-ai": "steps.pydantic_ai_agents"}


def said_by_all(errors: Sequence[Exception]) -> str:
    """Return what errors say, once where their first words are the same."""
    texts = {str(error)[:25]: str(error) for error in errors}
    return "; ".join(texts.values())


def talk_with(library: str, **cells: str) -> Any:
    """Return the talk that these cells describe, led to its end. Whatever was sent has whole pairs of calls."""
    made = import_module(LIBRARIES[library]).talked(cells)
    assert made.faults == []
    return made


@when(parsers.re(f"a user talks with an agent of (?P<library>{'|'.join(LIBRARIES)})"), target_fixture="outcome")
def talk(library, datatable):
    columns, row = datatable
    return talk_with(library, **{name.replace(" ", "_"): cell for name, cell in zip(columns, row, strict=True)})
