"""The verdicts of a run, read from what pytest really writes of it."""

import pytest
from living.results import Results, Verdict, fingerprint, is_whole
from sphinx.errors import ExtensionError

from tests.test_collector import FEATURE, FILE, STEP_FILE

LIMITS = "store/limits"
LINES = FEATURE.splitlines()
EXACTLY, ONE_OVER, ALONE = (
    next(number for number, line in enumerate(LINES, 1) if text in line)
    for text in ("| exactly", "| one over", "Scenario: No limit")
)


@pytest.fixture
def run(tree):
    """A function that runs the features of the small project and reads what became of them."""

    def run_features(*arguments):
        tree.run("features", "--junitxml=results.xml", *arguments)
        return Results.read(tree.pytester.path / "results.xml", tree.pytester.path)

    return run_features


def outcomes(results):
    """The outcomes of the three examples, in the order of the file."""
    return [results.verdict(LIMITS, line).outcome for line in (EXACTLY, ONE_OVER, ALONE)]


def test_a_broken_row_has_failed_and_says_where(run, tree):
    """The message gives the step that the failure is about, and its first words."""
    tree.edit(FILE, "| one over    | 10    | 11     | refused |", "| one over    | 10    | 11     | kept    |")
    results = run()
    assert outcomes(results) == ["passed", "failed", "passed"]
    assert results.verdict(LIMITS, ONE_OVER).message == "Then they are kept: assert False == ('kept' == 'kept'"


def test_what_did_not_run_is_told_as_not_run(run):
    """A run of one row says nothing of the others, nor of a line that holds no example."""
    results = run("-k", "over")
    assert outcomes(results) == ["not run", "passed", "not run"]
    assert results.verdict(LIMITS, 1) == results.verdict("store/others", ONE_OVER) == Verdict("not run")


@pytest.mark.parametrize("content", [b"", b"<testsuites>\n<testsuite>\n</testsuites>"], ids=["empty", "torn"])
def test_a_file_that_is_no_junit_file_is_refused(tmp_path, content):
    """The error gives the file, what was met and what cures it."""
    file = tmp_path / "results.xml"
    file.write_bytes(content)
    with pytest.raises(ExtensionError, match=r"no JUnit file: .* Run the features again, or remove it") as refused:
        Results.read(file)
    assert str(file) in str(refused.value)


@pytest.mark.parametrize("path", [FILE, "src/brim/store/limits.py"])
def test_results_of_another_tree_hold_for_no_example(run, tree, path):
    """Once a feature, a step or the source has changed, nothing is shown as passed or failed."""
    made = run()
    before = (tree.pytester.path / path).read_text(encoding="utf-8")
    tree.write(path, before + "# changed\n")
    file = tree.pytester.path / "results.xml"
    results = Results.read(file, tree.pytester.path)
    assert (results.current, results.version) == (False, made.version)
    assert results.verdict(LIMITS, ALONE) == Verdict("not run")
    tree.write(path, before)
    assert Results.read(file, tree.pytester.path) == made


AT_IMPORT = ("from pytest_bdd", "{}\n\nfrom pytest_bdd")
AT_THE_END = ("    assert kept ==", "    {}\n    assert kept ==")


@pytest.mark.parametrize(("old", "new"), [AT_IMPORT, AT_THE_END], ids=["while it is collected", "while it runs"])
def test_a_tree_that_changes_during_its_run_has_no_version(run, tree, old, new):
    """Verdicts of the code as it was are not those of the code as it is."""
    source = tree.pytester.path / "src/brim/store/limits.py"
    tree.edit(STEP_FILE, old, new.format(f"open({str(source)!r}, 'w').write('LATER = 1')"))
    results = run()
    assert source.read_text(encoding="utf-8") == "LATER = 1"
    assert (results.version, results.current) == ("", False)


def test_a_fingerprint_is_of_names_and_contents(tmp_path):
    """It changes when a file is edited, renamed or split in two, and not for what a run leaves behind."""
    (tmp_path / "src").mkdir()
    met = []
    for files in ({"a": "1"}, {"a": "2"}, {"b": "2"}, {"a": "1", "b": "2"}, {"a": "12"}, {"a": "", "12": ""}):
        for name, text in files.items():
            (tmp_path / "src" / name).write_text(text, encoding="utf-8")
        met.append(fingerprint(tmp_path))
        for name in ("__pycache__/a.pyc", ".a.swp", "brim.egg-info/PKG-INFO", "../docs/a.md", "../build/a"):
            (tmp_path / "src" / name).parent.mkdir(exist_ok=True)
            (tmp_path / "src" / name).write_text("left behind", encoding="utf-8")
        assert fingerprint(tmp_path) == met[-1]
        for name in files:
            (tmp_path / "src" / name).unlink()
    assert len(set(met)) == len(met)


def test_results_are_whole_where_every_example_of_this_tree_has_its_verdict(run, tree):
    """Those of some examples, of another tree, and what is no JUnit file at all are not; failures do not matter."""
    tree.edit(FILE, "| one over    | 10    | 11     | refused |", "| one over    | 10    | 11     | kept    |")
    root = tree.pytester.path
    met = [is_whole(root / "results.xml", root)]
    for arguments in (["-k", "over"], []):
        run(*arguments)
        met.append(is_whole(root / "results.xml", root))
    (root / "torn.xml").write_bytes((root / "results.xml").read_bytes()[:-9])
    met.append(is_whole(root / "torn.xml", root))
    tree.write(FILE, FEATURE)
    assert [*met, is_whole(root / "results.xml", root)] == [False, False, True, False, False]
