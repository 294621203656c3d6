"""`{profiles}`: one table of all profiles. Thresholds and counts are the product's, and each formula is checked."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from math import floor
from typing import Any, Final

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from brim.models import ModelLimits
from brim.trigger.profiles import PROFILES, Profile, profile_table
from living.charts import COUNTS, WORDS
from living.origins.claims import CELL, rows
from living.site import site_of
from living.tables import row, table
from living.text import between, with_links

WINDOWS: Final = (200_000, 1_000_000)
ANSWER: Final = 32_000
SYMBOLS: Final = {"−": "-", "×": "*", "⌊": "floor(", "⌋": ")", "%": "/100", ",": ""}
FORMULA: Final = re.compile(r"[\d,%⌊⌋×−() ]|window|usable")


class ProfileTable(SphinxDirective):
    """A line for each profile, in the product's order: its name, its formula, its sources."""

    has_content = True

    def run(self) -> list[nodes.Node]:
        """The table. Raises an error where the lines do not name every profile, in the product's order."""
        lines = {name: rest for _, (name, *rest) in rows(1, "\n".join(self.content))}
        if list(lines) != list(PROFILES):
            raise self.error(f"the table names {', '.join(lines)}; the profiles are {', '.join(PROFILES)}")
        columns = [
            "profile",
            "threshold",
            "due",
            "counts",
            "new messages",
            *(f"{size:,}" for size in WINDOWS),
            "source",
        ]
        found = [row(list(self._cells(PROFILES[name], rest))) for name, rest in lines.items()]
        return [table(columns, found, label="All profiles and their thresholds", classes=["profiles"])]

    def _cells(self, profile: Profile, rest: list[str]) -> Iterator[str | list[nodes.Node]]:
        formula, sources = rest[0], CELL.join(rest[1:])
        site, docname = site_of(self.config), self.env.current_document.docname
        if not agrees(formula, profile):
            raise self.error(f"the threshold of {profile.name} is not {formula}")
        yield [nodes.literal("", profile.name)]
        yield [nodes.Text(formula)]
        yield WORDS[profile.comparison]
        yield COUNTS[profile.measure]
        yield "estimated" if profile.counts_tail else "not counted"
        yield from (thresholds(profile.name)[size] for size in WINDOWS)
        yield between([nodes.inline("", "", *with_links(docname, one, site.root)) for one in sources.split("; ")], "; ")


def thresholds(name: str) -> Mapping[int, str]:
    """The threshold of a profile in each window, as it is read; a dash where the profile refuses it."""
    found = {}
    for size in WINDOWS:
        told = {one.name: one.threshold for one in profile_table(_limits(size))}
        found[size] = "–" if told[name] is None else f"{told[name]:,}"
    return found


def agrees(formula: str, profile: Profile) -> bool:
    """Whether a formula, written as in decision 0165, gives the profile's threshold in every window of the table."""
    if FORMULA.sub("", formula):
        return False
    code = "".join(SYMBOLS.get(sign, sign) for sign in formula)
    told = ((size, thresholds(profile.name)[size]) for size in WINDOWS)
    return all(f"{_value(code, size):,}" == tokens for size, tokens in told)


def _value(code: str, window: int) -> int:
    known: dict[str, Any] = {"__builtins__": {}, "floor": floor, "window": window, "usable": window - ANSWER}
    return int(eval(code, known))  # noqa: S307 - of digits, operators and two names


def _limits(window: int) -> ModelLimits:
    return ModelLimits(context_window=window, max_output_tokens=ANSWER)


def setup(app: Sphinx) -> None:
    """Make the directive known."""
    app.add_directive("profiles", ProfileTable)
