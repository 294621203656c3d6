"""Features and source are two trees of one shape; a step module of a feature's name has wordings of its own."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from pytest_bdd.parser import FeatureParser, Step

from steps import shared
from steps.definitions import Definition, definitions_among
from steps.faults import converting
from steps.rulebook import read_feature
from steps.session_acts import ACTS, COMMANDS
from steps.stored_sessions import PAST

ROOT = Path(__file__).parent.parent


def names(folder: str, pattern: str) -> set[Path]:
    """Files of rooms under a folder of the project, without their suffix; an underscore or the worlds are no names."""
    base = ROOT / folder
    found = (path.relative_to(base).with_suffix("") for path in base.glob(f"*/{pattern}"))
    return {path for path in found if not path.name.startswith("_") and path.parts[0] not in {"__pycache__", "worlds"}}


FEATURES = names("features", "*.feature")
STEPS = names("steps", "*.py")


def test_every_feature_stands_in_a_room():
    """A feature lies in the folder of its room, one deep."""
    everywhere = {path.relative_to(ROOT / "features").with_suffix("") for path in ROOT.glob("features/**/*.feature")}
    assert everywhere == FEATURES


def test_every_feature_has_its_source():
    """A feature has a source module or package of its name."""
    source = ROOT / "src/brim"
    packages = {path.parent.relative_to(source) for path in source.glob("*/*/__init__.py")}
    assert sorted(FEATURES - names("src/brim", "*.py") - packages) == []


def test_every_step_module_has_its_feature():
    """A step module speaks for a feature of its name, and has wordings of its own."""
    assert sorted(STEPS - FEATURES) == []
    assert [name for name in sorted(STEPS) if not {"given", "when", "then"} & set(_decorators(_tree(name)))] == []


def test_no_step_module_uses_another_features_steps():
    """What two features need is in a world: a step module imports no other feature's steps."""
    packages = {name.parts[0] for name in STEPS}
    imports = [(name, one) for name in sorted(STEPS) for one in _imports(_tree(name)) if one.startswith("steps.")]
    foreign = [(str(name), one) for name, one in imports if one.split(".")[1] in packages]
    assert [one for one in foreign if one[0].split("/")[0] not in converting(ROOT)] == []


def test_what_is_converting_is_there():
    """The list of what is not written in the language yet names folders of features, and the worlds."""
    assert sorted(converting(ROOT) - {name.parts[0] for name in FEATURES} - {"worlds"}) == []


def test_a_step_module_says_whose_it_is():
    """A step module begins by naming its feature, or at least with what it is about."""
    silent = [name for name in sorted(STEPS) if not ast.get_docstring(_tree(name))]
    assert silent == []


def test_a_step_module_leaves_binding_to_the_collector():
    """No step module calls scenarios() or scenario(): it would run a feature twice, or past the collector."""
    calls = (node for name in STEPS for node in ast.walk(_tree(name)) if isinstance(node, ast.Call))
    assert [ast.unparse(call) for call in calls if ast.unparse(call.func) in {"scenario", "scenarios"}] == []


def test_portable_steps_know_no_implementation():
    """The steps of a feature that is portable as a whole import nothing of brim."""
    portable = [name for name in sorted(STEPS) if "portable" in _feature(name).tags]
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
    return (module for module in _imports(tree) if module.split(".")[0] == "brim")


def _imports(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        yield from [one.name for one in node.names] if isinstance(node, ast.Import) else []
        yield from [node.module or ""] if isinstance(node, ast.ImportFrom) else []


def _decorators(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            yield from (ast.unparse(one).partition("(")[0] for one in node.decorator_list)


def _steps() -> Iterator[Step]:
    for name in FEATURES:
        feature = FeatureParser(str(ROOT / "features" / name.parent), f"{name.name}.feature").parse()
        for template in feature.scenarios.values():
            for row in [row for table in template.examples for row in table.as_contexts()] or [{}]:
                yield from template.render(row).steps


def _spoken(definition: Definition, steps: list[Step]) -> bool:
    return any(definition.matches(step) for step in steps)
