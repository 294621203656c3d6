"""What is wrong between a feature and the step definitions that pytest-bdd would run it with."""

from __future__ import annotations

import difflib
import inspect
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pytest_bdd.parser import Step
from pytest_bdd.parsers import parse, string
from pytest_bdd.steps import StepFunctionContext, step_function_context_registry
from pytest_bdd.utils import get_required_args

from steps.faults import Fault

Found = TypeVar("Found")
LEAST = 2
"""Lines of features on which a wording is used at least."""
LETTERS = 4
"""Letters by which phrases are looked up before any is tried."""
LONGEST = 100
"""Characters of a line of acts at most."""
PARTS = ("datatable", "docstring")
"""What stands under a step, by the argument that pytest-bdd hands it over in."""


@dataclass(eq=False)
class Definition:
    """A step definition: a phrase, of which kind, and the function behind it."""

    context: StepFunctionContext

    @cached_property
    def phrase(self) -> str:
        """The phrase as it is written in the step module, with its kind."""
        return f"{(self.context.type or 'step').capitalize()} {self.context.parser.name}"

    @cached_property
    def opening(self) -> str:
        """What its phrase begins with before the first value, as far as that is text."""
        parser = self.context.parser
        if (opening := getattr(parser, "opening", None)) is not None:
            return spoken(opening)
        return spoken(parser.name.partition("{")[0]) if isinstance(parser, (parse, string)) else ""

    @cached_property
    def grammar(self) -> Any:
        """The acts that may stand in its phrase, or under it; None if it has none."""
        parser = self.context.parser
        return parser if hasattr(parser, "acts") else getattr(parser, "grammar", None)

    @cached_property
    def is_of_a_world(self) -> bool:
        """Whether it is defined in `steps/worlds`."""
        return self.place[0].parent.name == "worlds"

    @cached_property
    def place(self) -> tuple[Path, int]:
        """The file and line of the function."""
        code = inspect.unwrap(self.context.step_func).__code__
        return Path(code.co_filename), code.co_firstlineno

    @cached_property
    def takes(self) -> frozenset[str]:
        """The names of the function's arguments."""
        return frozenset(inspect.signature(self.context.step_func).parameters)

    @cached_property
    def needs(self) -> frozenset[str]:
        """Those of them that have no default."""
        return frozenset(get_required_args(self.context.step_func))

    @cached_property
    def runs_later(self) -> bool:
        """Whether calling the function only makes a coroutine, which pytest-bdd never awaits."""
        function = inspect.unwrap(self.context.step_func)
        return inspect.iscoroutinefunction(function) or inspect.isasyncgenfunction(function)

    def matches(self, step: Step) -> bool:
        """Whether pytest-bdd may run the step with this definition."""
        return self.context.type in {None, step.type} and self.context.parser.is_matching(step.name)


def spoken(text: str) -> str:
    """A text without what no phrase distinguishes: capital letters, and how wide its spaces are."""
    return " ".join(text.casefold().split())


def definitions_among(functions: Sequence[object]) -> tuple[Definition, ...]:
    """The step definitions among the functions behind pytest's fixtures, each once."""
    contexts = {id(found): found for one in functions if (found := _context(one)) and _is_ours(found)}
    return tuple(Definition(context) for context in contexts.values())


def _context(function: object) -> StepFunctionContext | None:
    try:
        return step_function_context_registry.get(function)  # type: ignore[call-overload]
    except TypeError:  # not every function can be looked up weakly
        return None


def _is_ours(context: StepFunctionContext) -> bool:
    return not context.step_func.__module__.startswith("pytest_bdd.")


Pairs = Mapping[str, Sequence[tuple[Found, Definition]]]


def by_opening(definitions: Iterable[tuple[Found, Definition]]) -> Pairs[Found]:
    """Return definitions, with what comes with each, by the first letters of their phrases; by none if few."""
    found: defaultdict[str, list[tuple[Found, Definition]]] = defaultdict(list)
    for pair in definitions:
        opening = pair[1].opening
        found[opening[:LETTERS] if len(opening) >= LETTERS else ""].append(pair)
    return found


def matching(step: Step, definitions: Pairs[Found]) -> list[Found]:
    """What comes with the definitions that a step matches. Most differ in their first words: no pattern is tried.

    A wording of a world yields to another, which features have that are not written in the language yet.
    """
    name = spoken(step.name)
    near = (*definitions.get(name[:LETTERS], ()), *definitions.get("", ()))
    found = [pair for pair in near if name.startswith(pair[1].opening) and pair[1].matches(step)]
    others = [pair for pair in found if not pair[1].is_of_a_world] if len(found) > 1 else []
    return [one for one, _ in others or found]


class Matching:
    """Matches the steps of one feature with the definitions that it sees, and remembers which were used."""

    def __init__(self, feature: Path, definitions: Sequence[Definition], *, strict: bool = True) -> None:
        self.feature = feature
        self.definitions = definitions
        self.strict = strict
        self.lines: defaultdict[tuple[Definition, str], set[tuple[int, str]]] = defaultdict(set)
        """The lines on which each wording is used; of an act of it, by its pattern, each line as a row fills it in."""
        self.used: set[Definition] = set()
        self._seen: set[tuple[int, str, str, str]] = set()
        self._found: dict[tuple[str, str], list[Definition]] = {}
        self._by_opening = by_opening((one, one) for one in definitions)

    def faults_of(self, step: Step) -> Iterator[Fault]:
        """The faults of a step as it would run, its placeholders filled in; a step met before has none."""
        below = (
            "" if step.datatable is None else str([[cell.value for cell in row.cells] for row in step.datatable.rows])
        )
        if (key := (step.line_number, step.type, step.name, below)) in self._seen:
            return
        self._seen.add(key)
        found = self._definitions_of(step)
        self.used.update(found)
        if not found:
            yield Fault(self.feature, step.line_number, f"no step is defined for {step}", self._cure(step))
            return
        for one in found:
            self.lines[one, ""].add((step.line_number, ""))
        if len(found) > 1:
            spots = "; ".join(map(_spot, sorted(found, key=lambda one: one.place)))
            met = f"{len(found)} steps are defined for {step}: {spots}"
            yield Fault(self.feature, step.line_number, met, "Keep one of them, or reword")
        else:
            yield from self._faults_of_match(step, found[0])

    def faults_of_module(self, module: Path) -> Iterator[Fault]:
        """Definitions that never await, and those of the feature's own module that no scenario uses."""
        for definition in self.definitions:
            path, line = definition.place
            if definition.runs_later:
                met = f"the step {definition.phrase!r} is async, and pytest-bdd would pass it without running it"
                yield Fault(path, line, met, "Make it a plain function that runs the loop itself")
            if path == module and self.strict and definition in self.used:
                yield from faults_of_use(definition, {key: len(lines) for key, lines in self.lines.items()})
            elif path == module and definition not in self.used:
                met = f"no scenario uses the step {definition.phrase!r}"
                yield Fault(path, line, met, "Remove it, or write the scenario that needs it")

    def _definitions_of(self, step: Step) -> list[Definition]:
        key = (step.type, step.name)
        if key not in self._found:
            self._found[key] = matching(step, self._by_opening)
        return self._found[key]

    def _faults_of_match(self, step: Step, definition: Definition) -> Iterator[Fault]:
        """A value that the phrase reads, or a table or text under the step, which the function would not see."""
        given = {part for part in PARTS if getattr(step, part) is not None}
        read = definition.context.parser.parse_arguments(step.name) or {}
        for name in sorted((given | read.keys()) - definition.takes):
            what = f"the {name} under" if name in PARTS else f"{{{name}}} of"
            met = f"{_spot(definition)} does not take {what} {step}"
            yield Fault(self.feature, step.line_number, met, f"Give the function an argument {name!r}, or reword")
        if definition.grammar is not None:
            yield from self._faults_of_acts(step, definition)
        for name in sorted(definition.needs & {*PARTS} - given):
            met = f"{_spot(definition)} takes a {name}, and there is none under {step}"
            yield Fault(self.feature, step.line_number, met, "Write it under the step, or reword")

    def _faults_of_acts(self, step: Step, definition: Definition) -> Iterator[Fault]:
        """A line of acts that is too long, and acts under a step that are not known; each known one is counted."""
        grammar = definition.grammar
        if step.datatable is None:
            read = definition.context.parser.parse_arguments(step.name) or {}
            acts = [(step.line_number, text) for text in read.values() if isinstance(text, str)]
            if self.strict and len(step.name) > LONGEST:
                met = f"a line of acts has {len(step.name)} characters, and {LONGEST} at most are read"
                yield Fault(self.feature, step.line_number, met, "Write the acts under the step, one a line")
        else:
            rows = step.datatable.rows
            acts = [(row.location.line, cell.value) for row in rows for cell in row.cells]
        for line, text in acts:
            try:
                for act, _ in grammar.each(text):
                    self.lines[definition, act].add((line, text))
            except ValueError as error:
                yield Fault(self.feature, line, str(error), "Write an act that is known, or define it")

    def _cure(self, step: Step) -> str:
        for one in self.definitions:
            problem = getattr(one.context.parser, "problem", None)
            if problem is not None and one.context.type in {None, step.type} and (met := problem(step.name)):
                return f"By the wording {one.context.parser.name!r} {met}"
        phrases = [one.context.parser.name for one in self.definitions if one.context.type in {None, step.type}]
        near = difflib.get_close_matches(step.name, phrases, n=1)
        return "Define it in the step module" + (f", or use the phrase {near[0]!r}" if near else "")


def faults_of_use(definition: Definition, uses: Mapping[tuple[Definition, str], int]) -> Iterator[Fault]:
    """A wording, or an act of it, that stands on less than two lines of features."""
    path, line = definition.place
    parser = definition.context.parser
    for act in getattr(parser, "acts", [""]):
        below = sum(number for (one, name), number in uses.items() if name == act and one.grammar is parser and act)
        if (count := below or uses.get((definition, act), 0)) < LEAST:
            what = f"the act {act!r} of {definition.phrase!r}" if act else f"the wording {definition.phrase!r}"
            met = f"{what} is used {'once' if count else 'nowhere'}"
            yield Fault(path, line, met, "Use a wording that is there, or test it in tests")


def _spot(definition: Definition) -> str:
    path, line = definition.place
    return f"{definition.phrase!r} ({path.name}:{line})"
