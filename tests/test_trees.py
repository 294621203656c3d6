"""Features, steps and source are three trees of one shape: what is in one has its like in the others."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from pytest_bdd.parser import FeatureParser, Step

from steps import shared
from steps.definitions import Definition, definitions_among
from steps.rulebook import read_feature
from steps.session_acts import ACTS, COMMANDS
from steps.stored_sessions import PAST

ROOT = Path(__file__).parent.parent


def names(folder: str, pattern: str) -> set[Path]:
    """Files of rooms under a folder of the project, without their suffix; a leading underscore is nobody's name."""
    base = ROOT / folder
    found = (path.relative_to(base).with_suffix("") for path in base.glob(f"*/{pattern}"))
    return {path for path in found if not path.name.startswith("_") and path.parts[0] != "__pycache__"}


FEATURES = names("features", "*.feature")


def test_every_feature_stands_in_a_room():
    """A feature lies in the folder of its room, one deep."""
    everywhere = {path.relative_to(ROOT / "features").with_suffix("") for path in ROOT.glob("features/**/*.feature")}
    assert everywhere == FEATURES


def test_every_feature_has_its_steps_and_its_source():
    """A feature has a step module of its name, and a source module or package of its name."""
    source = ROOT / "src/brim"
    packages = {path.parent.relative_to(source) for path in source.glob("*/*/__init__.py")}
    assert sorted(FEATURES - names("steps", "*.py")) == []
    assert sorted(FEATURES - names("src/brim", "*.py") - packages) == []


def test_every_step_module_has_its_feature():
    """A step module speaks for a feature of its name."""
    assert sorted(names("steps", "*.py") - FEATURES) == []


def test_a_step_module_says_whose_it_is():
    """A step module begins by naming its feature, or at least with what it is about."""
    silent = [name for name in sorted(FEATURES) if not ast.get_docstring(_tree(name))]
    assert silent == []


def test_a_step_module_leaves_binding_to_the_collector():
    """No step module calls scenarios() or scenario(): it would run a feature twice, or past the collector."""
    calls = (node for name in FEATURES for node in ast.walk(_tree(name)) if isinstance(node, ast.Call))
    assert [ast.unparse(call) for call in calls if ast.unparse(call.func) in {"scenario", "scenarios"}] == []


def test_portable_steps_know_no_implementation():
    """The steps of a feature that is portable as a whole import nothing of brim."""
    portable = [name for name in sorted(FEATURES) if "portable" in _feature(name).tags]
    assert {str(name): found for name in portable if (found := list(_imports_of_brim(_tree(name))))} == {}


def test_every_shared_phrase_is_spoken():
    """A phrase in steps/shared.py is one that features use: a step module of its own would tell, this one cannot."""
    steps = list(_steps())
    behind_fixtures = [getattr(one, "__wrapped__", one) for one in vars(shared).values()]
    assert [one.phrase for one in definitions_among(behind_fixtures) if not _spoken(one, steps)] == []


def test_every_act_on_a_session_is_spoken():
    """Each act that a phrase puts behind another is in a feature: the phrase alone would hide one that is not."""
    spoken = [step.name for step in _steps()]
    acts = [*ACTS, *COMMANDS, *PAST]
    assert [act for act in acts if not any(re.search(act, words) for words in spoken)] == []


def _tree(name: Path) -> ast.Module:
    return ast.parse((ROOT / "steps" / name).with_suffix(".py").read_text(encoding="utf-8"))


def _feature(name: Path):
    return read_feature((ROOT / "features" / name).with_suffix(".feature"))


def _imports_of_brim(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        modules = [one.name for one in node.names] if isinstance(node, ast.Import) else []
        modules += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        yield from (module for module in modules if module.split(".")[0] == "brim")


def _steps() -> Iterator[Step]:
    for name in FEATURES:
        feature = FeatureParser(str(ROOT / "features" / name.parent), f"{name.name}.feature").parse()
        for template in feature.scenarios.values():
            for row in [row for table in template.examples for row in table.as_contexts()] or [{}]:
                yield from template.render(row).steps


def _spoken(definition: Definition, steps: list[Step]) -> bool:
    return any(definition.matches(step) for step in steps)
