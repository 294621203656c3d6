"""A user who talks with an agent of a library, LangChain or pydantic-ai: a row says how.

The usable context has 7,000 tokens, each answer about 875. `kept` says where the application keeps the messages,
`restart` after which turn its process starts again; sizes are in tokens, and `sizes` those of single questions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from pytest_bdd import parsers, when

from brim.summary.identifiers import HEADING

LIBRARIES = {"LangChain": "steps.langchain_agents", "pydantic-ai": "steps.pydantic_ai_agents"}


class Talk(ABC):
    """What a talk came to, whatever the library."""

    usable: int
    """Tokens that a request may have."""
    sent: Sequence[Sequence[Any]]
    """The messages of each request that the model answered."""
    sizes: Sequence[int]
    """Their tokens."""

    def __init__(self) -> None:
        self.events: list[Any] = []
        self.errors: list[Exception] = []
        self.warned: list[str] = []

    @staticmethod
    @abstractmethod
    def faults_of(messages: Sequence[Any]) -> Sequence[Any]:
        """Return calls without results, and results without calls."""

    @property
    @abstractmethod
    def last_summary(self) -> str:
        """The summary in the last request."""

    @property
    def summaries(self) -> int:
        """How many summaries were written."""
        return sum(event.kind == "compacted" for event in self.events)

    @property
    def too_large(self) -> list[int]:
        """The sizes of the requests that exceed the usable context."""
        return [size for size in self.sizes if size > self.usable]

    @property
    def refused(self) -> int:
        """How many questions met an error."""
        return len(self.errors)

    @property
    def error(self) -> str:
        """What these errors say, once where their first words are the same."""
        return "; ".join({str(error)[:25]: str(error) for error in self.errors}.values())

    @property
    def requests(self) -> int:
        """How many requests the model answered."""
        return len(self.sent)

    @property
    def index(self) -> str:
        """The index of identifiers in the last summary."""
        return self.last_summary.rpartition(f"\n{HEADING}")[2]


def talk_with(library: str, **cells: str) -> Talk:
    """Return the talk that these cells describe, led to its end. Whatever was sent has whole pairs of calls."""
    made = import_module(LIBRARIES[library]).talked(cells)
    assert not [fault for sent in made.sent for fault in made.faults_of(sent)]
    return made


@when(parsers.re(f"a user talks with an agent of (?P<library>{'|'.join(LIBRARIES)})"), target_fixture="outcome")
def talk(library, datatable):
    columns, row = datatable
    return talk_with(library, **{name.replace(" ", "_"): cell for name, cell in zip(columns, row, strict=True)})
