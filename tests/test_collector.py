"""The strict collector of features: what a test runner would pass over in silence is an error, with its cure."""

import shutil
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from steps.prerequisites import sized

ROOT = Path(__file__).parent.parent
MACHINERY = (
    "__init__",
    "alias_httpx2",
    "collector",
    "definitions",
    "faults",
    "prerequisites",
    "rulebook",
    "verdicts",
    "workers",
)

FEATURE = """\
@portable
Feature: Limits
  What fits is kept.

  Rule: What fits a limit is kept
    Source: a document.

    Background:
      Given an empty shelf

    Scenario Outline: A limit is judged to the piece
      Given a limit of <limit>
      When <pieces> pieces arrive
      Then they are <verdict>

      Examples:
        | description | limit | pieces | verdict |
        | exactly     | 10    | 10     | kept    |
        | one over    | 10    | 11     | refused |

    Scenario: No limit keeps all
      When these pieces arrive
        | piece |
        | 1     |
      Then they are kept
""".replace("  Rule: What fits", "  @LIM_01 @LIM_02\n  Rule: What fits")

STEPS = '''\
"""Steps of features/store/limits.feature."""

from pytest_bdd import given, parsers, then, when


@given(parsers.parse("a limit of {limit:d}"), target_fixture="limit")
def a_limit(limit):
    return limit


@when(parsers.parse("{pieces:d} pieces arrive"), target_fixture="kept")
def pieces_arrive(limit, pieces):
    return pieces <= limit


@when("these pieces arrive", target_fixture="kept")
def these_arrive(datatable):
    return len(datatable) == 2


@then(parsers.parse("they are {verdict}"))
def check(kept, verdict):
    assert kept == (verdict == "kept")
'''

SHARED = '''\
"""Shared steps."""

from pytest_bdd import given


@given("an empty shelf")
def empty_shelf():
    pass


@given("a shelf that nobody speaks of")
def unspoken_shelf():
    pass
'''


WORLD = '''\
"""Wordings that all features share."""

from pytest_bdd import given


@given("a shelf of wood")
def wooden_shelf():
    pass
'''


@dataclass
class Tree:
    """A small project of its own, with the real collector in it."""

    pytester: pytest.Pytester
    monkeypatch: pytest.MonkeyPatch

    def write(self, path: str, text: str) -> None:
        """Write one of its files."""
        file = self.pytester.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def edit(self, path: str, old: str, new: str) -> None:
        """Replace, once, a text that is there."""
        text = (self.pytester.path / path).read_text(encoding="utf-8")
        assert text.count(old) == 1
        self.write(path, text.replace(old, new))

    def run(self, *arguments: str) -> pytest.RunResult:
        """Run pytest on it in this process, as if nothing of this project's steps had been imported."""
        for name in [name for name in sys.modules if name.split(".")[0] in {"steps", "features"}]:
            self.monkeypatch.delitem(sys.modules, name)
        self.monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # others take longer to load than the run takes
        return self.pytester.runpytest_inprocess("-p", "pytest_bdd.plugin", "-p", "pytest_timeout", *arguments)


@pytest.fixture
def tree(pytester, monkeypatch):
    """A tree in which nothing is wrong."""
    made = Tree(pytester, monkeypatch)
    for path in ("pyproject.toml", "features/conftest.py", *(f"steps/{name}.py" for name in MACHINERY)):
        made.write(path, (ROOT / path).read_text(encoding="utf-8"))
    made.write("steps/shared.py", SHARED)
    made.write("steps/worlds/__init__.py", (ROOT / "steps/worlds/__init__.py").read_text(encoding="utf-8"))
    made.write("steps/worlds/shelves.py", WORLD)
    made.write("steps/converting.txt", "# not yet\nstore\nworlds\n")
    made.write("steps/implementation.py", "")
    made.write("features/store/limits.feature", FEATURE)
    made.write("steps/store/limits.py", STEPS)
    made.write("src/brim/store/limits.py", "")
    made.write("tests/test_nothing.py", "def test_nothing():\n    pass\n")
    return made


FILE = "features/store/limits.feature"


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        ([], 4),
        (["tests", "features"], 4),
        (["features"], 3),
        (["features/store"], 3),
        ([FILE, FILE], 3),
        ([f"{FILE}::test_no_limit_keeps_all"], 1),
        ([f"{FILE}::test_a_limit_is_judged_to_the_piece[one over]"], 1),
        ([f"{FILE}::test_no_limit_keeps_all", f"{FILE}::test_a_limit_is_judged_to_the_piece[exactly]"], 2),
        (["-m", "LIM_02 and portable"], 3),
        (["features", "-k", "over"], 1),
    ],
    ids=lambda value: " ".join(value) or "no arguments" if isinstance(value, list) else str(value),
)
def test_every_way_of_naming_features_runs_them(tree, arguments, passed):
    """The whole tree, a folder, a file, a node, a tag and a word all find their examples."""
    result = tree.run(*arguments)
    assert result.ret == pytest.ExitCode.OK
    assert result.parseoutcomes()["passed"] == passed


def test_tags_reach_the_examples_that_they_stand_over(tree):
    """A tag on a rule, a scenario or a table of Examples selects what stands under it, and no more."""
    tree.edit(FILE, "    Scenario: No limit", "    @LIM_03\n    Scenario: No limit")
    tree.edit(FILE, "      Examples:", "      @LIM_04\n      Examples: Tagged")
    untagged = "      Examples: Untagged\n        | limit | pieces | verdict |\n        | 3     | 4      | refused |\n"
    tree.edit(FILE, "    @LIM_03", f"{untagged}\n    @LIM_03")
    passed = {tag: tree.run("features", "-m", tag).parseoutcomes()["passed"] for tag in ("LIM_01", "LIM_03", "LIM_04")}
    assert passed == {"LIM_01": 4, "LIM_03": 1, "LIM_04": 2}


def test_a_failing_step_fails_its_example_and_shows_the_values(tree):
    """An assertion in a step module is explained, and its verdict is counted."""
    tree.edit(FILE, "| 11     | refused |", "| 11     | kept    |")
    result = tree.run("features")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*assert False == ('kept' == 'kept'*", f"{FILE}:15: Then they are kept"])
    closing = "brim rulebook: 1 package, 2 rules in 1 sentence, 3 examples: 2 passed, 1 failed, 0 skipped"
    result.stdout.fnmatch_lines([closing])


STEP_FILE = "steps/store/limits.py"
ROWS = """\
        | exactly     | 10    | 10     | kept    |
        | one over    | 10    | 11     | refused |
"""

FORM = {
    "two scenarios of one name under different rules": (
        "    Scenario: No limit keeps all",
        "  @LIM_03\n  Rule: Other\n    Source: s.\n\n    Scenario: A limit is judged to the piece",
        "26: a second scenario is called 'A limit is judged to the piece' (the first is on line 12), *of its own.",
    ),
    "a rule without an id": (
        "  @LIM_01 @LIM_02\n",
        "",
        "5: the rule 'What fits a limit is kept' has no id. Tag it *@TRG_04.",
    ),
    "a rule without a source": (
        "    Source: a document.",
        "    From a document.",
        "6: the rule * does not say where it comes from. Begin its description with 'Source: '.",
    ),
    "a rule that nothing shows": (
        "  @LIM_01",
        "  @LIM_09\n  Rule: Unshown\n    Source: s.\n\n  @LIM_01",
        "6: the rule 'Unshown' has no scenario. Show it by example.",
    ),
    "a scenario outside every rule": (
        "  @LIM_01",
        "  Scenario: Loose\n    Given an empty shelf\n\n  @LIM_01",
        "5: the scenario 'Loose' stands outside every rule. Move it *.",
    ),
    "a scenario without steps": (
        "      When these pieces arrive\n        | piece |\n        | 1     |\n      Then they are kept\n",
        "",
        "22: the scenario 'No limit keeps all' has no steps *. Write its steps or remove it.",
    ),
    "an unknown tag": (
        "    Scenario: No limit",
        "    @urgent\n    Scenario: No limit",
        "23: the tag @urgent is not known. Spell it *",
    ),
    "Examples without rows": (
        ROWS,
        "",
        "17: the Examples of 'A limit is judged to the piece' have no rows. Add rows or remove the table.",
    ),
    "an outline without Examples": (
        "    Scenario: No limit",
        "    Scenario Outline: No limit",
        "22: the outline 'No limit keeps all' has no Examples *. Give it an Examples table.",
    ),
    "a column that no step uses": (
        "Given a limit of <limit>",
        "Given a limit of 10",
        "17: no step uses the column 'limit' of the Examples of *. Use <limit> in a step or drop the column.",
    ),
    "a feature that does not parse": (
        "    Scenario: No limit keeps all",
        "    Scenario No limit keeps all",
        "22: it does not parse: *Scenario No limit keeps all*. Mend it, *",
    ),
    "a step defined for another keyword": (
        "Given an empty shelf",
        "When an empty shelf",
        '10: no step is defined for When "an empty shelf". Define it in the step module.',
    ),
    "a row that no definition reads": (
        "| exactly     | 10    |",
        "| exactly     | ten   |",
        '13: no step is defined for Given "a limit of ten". *',
    ),
    "a table that the step misses": (
        "        | piece |\n        | 1     |\n",
        "",
        '23: * takes a datatable, and there is none under When "these pieces arrive". Write it *',
    ),
}

BEFORE = '@when("these'
BETWEEN = "    pass\n\n\n" + BEFORE
STEPS_AND_FEATURE = {
    "an ambiguous step": (
        BEFORE,
        '@when(parsers.parse("these {things} arrive"))\ndef any_arrive(things, datatable):\n' + BETWEEN,
        f'{FILE}:23: 2 steps are defined for When "these pieces arrive": *limits.py:16*limits.py:21*. Keep one *',
    ),
    "an unused step": (
        BEFORE,
        '@when("nothing arrives")\ndef none():\n' + BETWEEN,
        f"{STEP_FILE}:16: no scenario uses the step 'When nothing arrives'. Remove it, *",
    ),
    "an async step": (
        "def check",
        "async def check",
        f"{STEP_FILE}:*: the step 'Then they are {{verdict}}' is async, and pytest-bdd would pass it *. Make it *",
    ),
    "a table that the step does not take": (
        "def these_arrive(datatable):\n    return len(datatable) == 2",
        "def these_arrive():\n    return True",
        f"{FILE}:23: * does not take the datatable under When *. Give the function an argument 'datatable', *",
    ),
    "a value that the step does not take": (
        "def pieces_arrive(limit, pieces):\n    return pieces <= limit",
        "def pieces_arrive(limit):\n    return True",
        f'{FILE}:14: * does not take {{pieces}} of When "10 pieces arrive". *',
    ),
    "a step module that cannot be imported": (
        "from pytest_bdd import",
        "from pytest_bdd_of_old import",
        f"{FILE}:1: its step module steps.store.limits cannot be imported. Mend what Python met",
    ),
}
FAULTS = {name: (FILE, old, new, f"{FILE}:{told}") for name, (old, new, told) in FORM.items()}
FAULTS |= {name: (STEP_FILE, *fault) for name, fault in STEPS_AND_FEATURE.items()}


SOME = list(FAULTS)[:: sized(5, nightly=1)]


@pytest.mark.parametrize(("path", "old", "new", "told"), [FAULTS[name] for name in SOME], ids=SOME)
def test_a_fault_stops_the_collection(tree, path, old, new, told):
    """Each fault is an error at collection that names the file, the line and the cure."""
    tree.edit(path, old, new)
    result = tree.run("features")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    assert result.parseoutcomes() == {"errors": 1}
    result.stdout.fnmatch_lines([told])


def test_a_feature_without_its_source_stops_the_collection(tree):
    """A feature with no source module is an error that names the missing file."""
    (tree.pytester.path / "src/brim/store/limits.py").unlink()
    result = tree.run("features")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    told = f"{FILE}:1: the feature has no source module. Write src/brim/store/limits.py, or rename the feature."
    result.stdout.fnmatch_lines([told])


def test_a_wording_of_a_world_yields_to_another(tree):
    """A feature that has the same words of its own goes by them."""
    tree.write("steps/worlds/shelves.py", WORLD.replace("a shelf of wood", "a limit of {limit:d}"))
    tree.edit(
        "steps/worlds/shelves.py", '@given("a limit of {limit:d}")', '@given(parsers.parse("a limit of {limit:d}"))'
    )
    tree.edit("steps/worlds/shelves.py", "import given", "import given, parsers")
    tree.edit("steps/worlds/shelves.py", "def wooden_shelf():\n    pass", "def wooden_shelf(limit):\n    raise OSError")
    assert tree.run("features").parseoutcomes() == {"passed": 3}


ACTS = """\


class Acts(parsers.StepParser):
    acts = {"waits": 1, "goes": 2}
    opening = "the clerk "

    def each(self, text):
        for one in text.split(", "):
            if one not in self.acts:
                raise ValueError(f"the act {one!r} is not known")
            yield one, ()

    def problem(self, name):
        try:
            return [*self.each(name.removeprefix(self.opening))] and None
        except ValueError as error:
            return str(error)

    def is_matching(self, name):
        return name.startswith(self.opening) and not self.problem(name)

    def parse_arguments(self, name):
        return {"acts": name.removeprefix(self.opening)}


@when(Acts("the clerk {acts}"), target_fixture="kept")
def clerk(acts):
    return True
"""
ROW = "        | exactly     | 10    | 10     | kept    |\n"
ARRIVE = "      When these pieces arrive\n        | piece |\n        | 1     |\n"
LIMITS_OF_THE_LANGUAGE = {
    "a wording used once": (
        "",
        "",
        "STEP_FILE:16: the wording 'When these pieces arrive' is used once. Use a wording *",
    ),
    "too many rows": (
        ROW,
        "".join(f"        | row {number}       | 10    | 10     | kept    |\n" for number in range(13)),
        "FILE:12: the scenario 'A limit is judged to the piece' has 14 rows, and 12 at most are read. *",
    ),
    "an act that is not known": (
        ARRIVE,
        "      When the clerk waits, jumps\n",
        "FILE:23: no step is defined for * By the wording 'the clerk {acts}' the act 'jumps' is not known.",
    ),
    "a line of acts that is too long": (
        ARRIVE,
        f"      When the clerk {', '.join(['waits'] * 14)}\n",
        "FILE:23: a line of acts has 106 characters, and 100 at most are read. Write the acts under the step, *",
    ),
    "an act used once": (ARRIVE, "      When the clerk waits\n", "STEP_FILE:*: the act 'waits' of * is used once. *"),
    "an act used nowhere": (
        ARRIVE,
        "      When the clerk waits\n",
        "STEP_FILE:*: the act 'goes' of * is used nowhere. *",
    ),
}


LIMITS = list(LIMITS_OF_THE_LANGUAGE)[:: sized(3, nightly=1)]


@pytest.mark.parametrize(("old", "new", "told"), [LIMITS_OF_THE_LANGUAGE[name] for name in LIMITS], ids=LIMITS)
def test_a_converted_package_keeps_the_limits_of_the_language(tree, old, new, told):
    """What is not in the list of what is converting is an error that names the file, the line and the cure."""
    tree.edit("steps/converting.txt", "store\n", "")
    if "clerk" in new:
        tree.write(STEP_FILE, STEPS + ACTS)
    if old:
        tree.edit(FILE, old, new)
    result = tree.run("features")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines([told.replace("STEP_FILE", STEP_FILE).replace("FILE", FILE)])


def test_a_wording_of_a_world_is_used_twice(tree):
    """Once all features are collected, and no package is left that may still need it."""
    told = ["steps/worlds/shelves.py:6: the wording 'Given a shelf of wood' is used nowhere. *"]
    tree.edit("steps/converting.txt", "worlds\n", "")
    tree.run("features").stdout.fnmatch_lines(told)
    tree.edit("steps/converting.txt", "store\n", "store\nworlds\n")
    assert tree.run("features").parseoutcomes() == {"passed": 3}


def test_an_example_that_pytest_loses_stops_the_collection(tree):
    """Fewer collected examples than written ones are an error, whatever lost them."""
    tree.edit("steps/collector.py", "in self._bound().scenarios:", "in list(self._bound().scenarios)[1:]:")
    result = tree.run("features")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(
        [f"{FILE}:12: 0 of the 2 examples of 'A limit is judged to the piece' are collected. *"]
    )


def test_reports_carry_the_rule(tree):
    """The JUnit file tells of each example which feature, rule and row it is."""
    tree.run("features", "--junitxml=junit.xml")
    written = (tree.pytester.path / "junit.xml").read_text(encoding="utf-8")
    assert '<property name="feature" value="store/limits" />' in written
    assert '<property name="rule" value="What fits a limit is kept" />' in written
    assert '<property name="ids" value="LIM_01 LIM_02" />' in written
    assert '<property name="row" value="one over | 10 | 11 | refused" />' in written


def test_a_run_against_a_program_names_it(tree):
    """The closing line names the program, and counts apart what it did not know."""
    tree.write(
        "steps/implementation.py",
        "def pytest_addoption(parser):\n    parser.addoption('--implementation')\n",
    )
    tree.edit(STEP_FILE, "    return len(datatable) == 2", "    pytest.skip('unknown operation: arrive')")
    tree.edit(STEP_FILE, "from pytest_bdd", "import pytest\nfrom pytest_bdd")
    tree.run("features", "--implementation", "node adapter").stdout.fnmatch_lines(
        ["brim rulebook against node adapter: *, 3 examples: 2 passed, 0 failed, 1 skipped (1 for unknown operations)"]
    )


def test_a_fresh_process_runs_the_tree(tree):
    """Nothing above rests on what this process had imported before."""
    shutil.rmtree(tree.pytester.path / "tests")
    result = tree.pytester.runpytest_subprocess("features", "-p", "no:cacheprovider")
    result.stdout.fnmatch_lines(
        ["brim rulebook: 1 package, 2 rules in 1 sentence, 3 examples: 3 passed, 0 failed, 0 skipped", "*3 passed*"]
    )
