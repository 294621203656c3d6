"""One capability has one name: a module of a domain package has the feature of its name, and the reverse."""

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOMAIN = ("conversation", "tokens", "trigger", "pruning", "selection", "summary", "compaction")
EXCEPTIONS = {
    "tokens/exact": "exact numbers for five packages; their rule, TRG_22, is about thresholds",
    "compaction/policy": "its feature is engine/settings, since only a compactor shows what a setting changes",
}
"""Modules without a feature of their name, each with the reason; at most five."""
ENGINE_WITHOUT = {"driving", "loop", "recalling"}
"""Modules of the engine without a feature."""


def names(folder: Path, kind: str) -> set[str]:
    """The names of the files of a kind in a folder, below it too."""
    found = (path.relative_to(folder).with_suffix("").as_posix() for path in folder.rglob(f"*.{kind}"))
    return {name for name in found if not name.endswith("__init__")}


@pytest.mark.parametrize("package", DOMAIN)
def test_a_domain_package_has_a_module_for_each_feature(package: str) -> None:
    """And a feature for each module, but for the exceptions."""
    modules = names(ROOT / "src" / "brim" / package, "py")
    features = names(ROOT / "features" / package, "feature")
    exceptions = {name.partition("/")[2] for name in EXCEPTIONS if name.startswith(f"{package}/")}
    assert modules - features == exceptions
    assert features <= modules


def test_the_exceptions_are_few() -> None:
    """At most five, so that a new helper goes into the module that it helps."""
    assert len(EXCEPTIONS) <= 5


def test_most_modules_of_the_engine_have_a_feature() -> None:
    """And each of its features has a module."""
    modules = names(ROOT / "src" / "brim" / "engine", "py")
    features = names(ROOT / "features" / "engine", "feature")
    assert modules - features == ENGINE_WITHOUT
    assert features <= modules
