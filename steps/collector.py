"""Collects features strictly: whatever pytest-bdd would drop or pass over in silence is an error, with its cure.

Every feature file is a module of tests of its own, bound to the worlds and to the step module of its name. It relies
on private names of pytest-bdd, whose major version is therefore pinned; tests/test_collector.py proves each error.
"""

from __future__ import annotations

import importlib
import inspect
import re
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import replace
from functools import cache
from itertools import chain
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from pytest_bdd import gherkin_parser
from pytest_bdd import scenario as bind_scenario
from pytest_bdd.compat import get_fixture_names, getfixturedefs
from pytest_bdd.exceptions import StepError
from pytest_bdd.feature import get_feature
from pytest_bdd.gherkin_parser import DataTable
from pytest_bdd.parser import Feature as BoundFeature
from pytest_bdd.parser import Step, render_string
from pytest_bdd.scenario import get_python_name_generator, scenario_wrapper_template_registry
from pytest_bdd.steps import StepNamePrefix, step_function_context_registry
from pytest_bdd.utils import registry_get_safe

from steps.definitions import Definition, Matching, Pairs, by_opening, definitions_among, faults_of_use, matching
from steps.faults import Fault, converting, faults_of_form, faults_of_place
from steps.rulebook import RULE_ID, Feature, Rule, Scenario, UnreadableFeature, parsed, read_feature
from steps.verdicts import lines_of

ROOT = Path(__file__).parent.parent


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Every feature file is a module of tests."""
    return FeatureModule.from_parent(parent, path=file_path) if file_path.suffix == ".feature" else None


def pytest_bdd_step_error(request: pytest.FixtureRequest, step: Step) -> None:
    """A failure shows the line of the feature that it is about."""
    place = f"{request.node.path}:{step.line_number}".replace(f"{ROOT}/", "")
    told = f"{step.keyword.strip()} {step.name}"
    request.node.add_report_section("call", "feature", f"{place}: {told}")
    request.node.user_properties.append(("step", told))


class FeatureModule(pytest.Module):
    """A feature, run by the wordings of all worlds and by the step module of its name, if there is one."""

    def collect(self) -> Iterable[pytest.Item]:
        """Its scenarios and rows. Raises CollectError with every fault that was found."""
        self._refuse(faults_of_place(ROOT, self.path))
        written = self._read()
        self._refuse(faults_of_form(written, _registered(self.config)))
        _register_ids(self.config, written)
        items = list(super().collect())
        bound = self._bound()
        self._refuse(self._faults_of_steps(bound))
        self._refuse(_faults_of_loss(written, items))
        _describe(items, written)
        return items

    def istestfunction(self, obj: object, name: str) -> bool:
        """Its scenarios are its tests, whatever the names of what its step module imports."""
        return registry_get_safe(scenario_wrapper_template_registry, obj) is not None

    def istestclass(self, obj: object, name: str) -> bool:
        """It has no tests in classes."""
        return False

    def _getobj(self) -> ModuleType:
        """A namespace with all that the step module has, and a test function a scenario."""
        steps = self._import_steps()
        module = ModuleType(steps.__name__, steps.__doc__)
        module.__dict__.update(vars(steps))
        for name in self._bound().scenarios:
            function = bind_scenario(str(self.path), name)(lambda: None)
            _name_rows(function)
            free = next(one for one in get_python_name_generator(name) if one not in vars(module))
            setattr(module, free, function)
        return module

    def _read(self) -> Feature:
        try:
            return read_feature(self.path)
        except UnreadableFeature as error:
            cure = "Mend it, or take the file out of features"
            raise self._stop(Fault(self.path, error.line, f"it does not parse: {error}", cure)) from error

    def _bound(self) -> BoundFeature:
        """The feature as pytest-bdd reads it."""
        try:
            return get_feature(str(self.path.parent), self.path.name)
        except StepError as error:
            raise self._stop(Fault(self.path, error.line, error.message.rstrip("."), "Mend the step")) from error

    def _is_strict(self) -> bool:
        """Whether the limits of the language hold for its package."""
        return self.path.parent.name not in converting(ROOT)

    def _import_steps(self) -> ModuleType:
        parts = self.path.relative_to(ROOT / "features").with_suffix("").parts
        name = ".".join(("steps", *parts))
        if not any((ROOT / "steps").joinpath(*parts[:-1]).glob(f"{parts[-1]}*")):
            return ModuleType(name, f"Steps of {self.path.name}: it has no wordings of its own.")
        if name not in sys.modules:
            pytest.register_assert_rewrite(name)
        try:
            return importlib.import_module(name)
        except Exception as error:
            trace = pytest.ExceptionInfo.from_exception(error).getrepr(style="short")
            met = f"its step module {name} cannot be imported"
            raise self._stop(Fault(self.path, 1, met, f"Mend what Python met\n{trace}")) from error

    def _faults_of_steps(self, bound: BoundFeature) -> Iterator[Fault]:
        manager = self.session._fixturemanager  # noqa: SLF001  pytest lists fixtures nowhere else
        found = [one.func for one, _ in step_definitions.visible_to(self, manager)]
        steps = Matching(self.path, definitions_among(found), strict=self._is_strict())
        for template in bound.scenarios.values():
            rows = [row for table in template.examples for row in table.as_contexts()]
            for row in rows or [{}]:
                for step in template.steps:
                    yield from steps.faults_of(_filled_in(step, row))
        own = sys.modules.get(self.obj.__name__)
        yield from steps.faults_of_module(Path((own and own.__file__) or ""))
        yield from self.config.stash.setdefault(USES, Uses()).faults_after(steps)

    def _refuse(self, faults: Iterator[Fault]) -> None:
        if found := list(faults):
            raise self._stop(*found)

    def _stop(self, *faults: Fault) -> pytest.Collector.CollectError:
        """The error that stops the collection, with paths as one would type them."""
        return self.CollectError("\n".join(map(str, faults)).replace(f"{ROOT}/", ""))


class Uses:
    """On how many lines of features each wording of the worlds is used, once all features are collected."""

    def __init__(self) -> None:
        self.counts: Counter[tuple[Definition, str]] = Counter()
        self.features: set[Path] = set()
        self._known: dict[tuple[Path, int], Definition] = {}

    def faults_after(self, steps: Matching) -> Iterator[Fault]:
        """The wordings of the worlds that are used once, when the last feature of all has been matched."""
        if steps.feature in self.features:
            return
        self.features.add(steps.feature)
        for one in steps.definitions:
            if one.is_of_a_world:
                self._known.setdefault(one.place, one)
        for (one, act), lines in steps.lines.items():
            if one.is_of_a_world:
                self.counts[self._known[one.place], act] += len(lines)
        if len(self.features) == _number_of_features() and "worlds" not in converting(ROOT):
            yield from chain.from_iterable(faults_of_use(one, self.counts) for one in self._known.values())


USES = pytest.StashKey[Uses]()


@cache
def _number_of_features() -> int:
    return sum(1 for _ in (ROOT / "features").rglob("*.feature"))


PREFIX = StepNamePrefix.step_def.value


class StepDefinitions:
    """The fixtures of step definitions that a feature can see, listed once for each feature.

    pytest-bdd 9.0.1 searches every fixture of the run, twice for each step it runs, so that its time grows with the
    square of the rulebook. A feature registers all its definitions before its first scenario is collected.
    """

    def __init__(self) -> None:
        self._visible: dict[pytest.Collector, list[tuple[Any, Definition]]] = {}
        self._by_opening: dict[pytest.Collector, Pairs[Any]] = {}
        self._found: dict[tuple[pytest.Collector, str, str], list[object]] = {}

    def visible_to(self, feature: pytest.Collector, fixturemanager: Any) -> list[tuple[Any, Definition]]:
        """The fixtures that are step definitions, with these."""
        if feature not in self._visible:
            names = [name for name in get_fixture_names(fixturemanager) if name.startswith(PREFIX)]
            fixtures = chain.from_iterable(getfixturedefs(fixturemanager, name, feature) or () for name in names)
            contexts = ((one, registry_get_safe(step_function_context_registry, one.func)) for one in fixtures)
            self._visible[feature] = [(one, Definition(context)) for one, context in contexts if context is not None]
        return self._visible[feature]

    def matching(self, step: Step, fixturemanager: object, node: pytest.Item) -> list[object]:
        """The fixtures whose step definition matches a step; the same as `find_fixturedefs_for_step`."""
        key = (node.parent, step.type, step.name)
        if key not in self._found:
            if node.parent not in self._by_opening:
                self._by_opening[node.parent] = by_opening(self.visible_to(node.parent, fixturemanager))
            self._found[key] = matching(step, self._by_opening[node.parent])
        return self._found[key]


def _filled_in(step: Step, row: Mapping[str, object]) -> Step:
    """A step as it would run with a row, but for a text that stands under it."""
    if "<" not in step.name and step.datatable is None:
        return step
    filled_in = copy(step)
    filled_in.name = render_string(step.name, row)
    filled_in.datatable = step.datatable and _table_filled_in(step.datatable, row)
    return filled_in


def _table_filled_in(table: DataTable, row: Mapping[str, object]) -> DataTable:
    """A table with the values of a row. pytest-bdd 9.0.1 copies each table with all that it refers to."""
    if not any("<" in cell.value for line in table.rows for cell in line.cells):
        return table
    lines = [
        replace(line, cells=[replace(cell, value=render_string(cell.value, row)) for cell in line.cells])
        for line in table.rows
    ]
    return replace(table, rows=lines)


step_definitions = StepDefinitions()
Step.render_datatable = staticmethod(_table_filled_in)
# The package's attribute of this name is the decorator, so the module is taken from where Python keeps modules.
sys.modules["pytest_bdd.scenario"].find_fixturedefs_for_step = step_definitions.matching
gherkin_parser.Parser = lambda: SimpleNamespace(parse=parsed)
# pytest-bdd 9.0.1 reads the signature of a step's function twice for each step it runs.
for _module in ("pytest_bdd.scenario", "pytest_bdd.utils"):
    sys.modules[_module].signature = cache(inspect.signature)


def _registered(config: pytest.Config) -> set[str]:
    return {re.split(r"[:(]", line)[0].strip() for line in config.getini("markers")}


def _register_ids(config: pytest.Config, feature: Feature) -> None:
    tags = {*feature.tags, *(tag for rule in feature.rules for tag in rule.tags)}
    for scenario in feature.scenarios:
        tags.update(scenario.tags, *(table.tags for table in scenario.tables))
    for tag in sorted(tags - _registered(config)):
        if RULE_ID.fullmatch(tag):
            config.addinivalue_line("markers", f"{tag}: the rule of that id")


def _name_rows(function: object) -> None:
    """Rows are called by their description, where they have one of their own."""
    for mark in getattr(function, "pytestmark", ()):
        if mark.name == "parametrize":
            rows = mark.args[1]
            names = [row.values[0].get("description") for row in rows]
            times = Counter(names)
            rows[:] = [
                row._replace(id=name) if name and times[name] == 1 else row
                for row, name in zip(rows, names, strict=True)
            ]


def _faults_of_loss(feature: Feature, items: list[pytest.Item]) -> Iterator[Fault]:
    """As many examples are collected as are written, scenario by scenario."""
    collected = Counter(_line(item) for item in items)
    for scenario in feature.scenarios:
        if (found := collected.pop(scenario.line, 0)) != scenario.count:
            met = f"{found} of the {scenario.count} examples of {scenario.name!r} are collected"
            yield Fault(feature.path, scenario.line, met, "Report it: the collector and pytest-bdd read it differently")


def _line(item: pytest.Function) -> int:
    return scenario_wrapper_template_registry[item.function].line_number


def _describe(items: list[pytest.Item], feature: Feature) -> None:
    """Tell reports which example each is: for the closing line, and for the site by way of the JUnit file."""
    lines = {scenario.line: iter(lines_of(scenario)) for scenario in feature.scenarios}
    for item in items:
        rule, scenario = _home(feature, _line(item))
        row = item.callspec.params.get("_pytest_bdd_example", {}) if hasattr(item, "callspec") else {}
        item.user_properties += [
            ("feature", feature.path.relative_to(ROOT / "features").with_suffix("").as_posix()),
            ("rule", rule.sentence),
            ("ids", " ".join(rule.ids)),
            ("scenario", scenario.name),
            ("line", str(next(lines[scenario.line]))),
            ("row", " | ".join(row.values())),
        ]


def _home(feature: Feature, line: int) -> tuple[Rule, Scenario]:
    return next((rule, one) for rule in feature.rules for one in rule.scenarios if one.line == line)
