import re
import subprocess
import sys
from pathlib import Path

import pytest
from living.changes import difference, features_in, features_of, main, versions

from tests.site.git_projects import ROWS, feature, project, rule, scenario

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.timeout(300)
TWO = feature(rule(), rule("LIM_02", "Nothing is kept twice"))


@pytest.fixture
def small(tmp_path):
    """A project with a repository and no commit."""
    return project(tmp_path / "small")


def between(small, old, new):
    """What changed from one text of the feature to another."""
    small.commit(old, tag="v0.1.0")
    small.commit(new, tag="v0.2.0")
    return difference(features_of(small.root, "v0.1.0"), features_of(small.root, "v0.2.0"))


def notes_of(found):
    """What changed in the one rule that changed."""
    ((_, notes),) = found.changed
    assert not found.added
    assert not found.removed
    return [(note.what, note.before, note.after) for note in notes]


@pytest.mark.parametrize(
    ("new", "notes"),
    [
        pytest.param(
            rule(sentence="Whatever fits in is kept"),
            [("sentence", ("What fits is kept",), ("Whatever fits in is kept",))],
            id="sentence",
        ),
        pytest.param(
            rule(source="another document."), [("source", ("a document.",), ("another document.",))], id="source"
        ),
        pytest.param(rule("LIM_01 LIM_02"), [("ids", ("LIM_01",), ("LIM_01 LIM_02",))], id="an id more"),
        pytest.param(
            rule(more="\n    It is old.\n"), [("description", (), ("It is old.",))], id="a description where none was"
        ),
        pytest.param(
            rule("LIM_01 portable"),
            [("portable", ("holds for this implementation",), ("holds for every implementation",))],
            id="portable",
        ),
        pytest.param(
            rule(scenarios=[scenario(rows=(ROWS[0], "| one over | 11 | broken |"))]),
            [
                (
                    "rows of “A limit is judged to the piece”",
                    ("one over · pieces 11 · verdict refused",),
                    ("one over · pieces 11 · verdict broken",),
                )
            ],
            id="a row with another verdict",
        ),
        pytest.param(
            rule(scenarios=[scenario(rows=(*ROWS, "| twice | 20 | refused |"))]),
            [("rows of “A limit is judged to the piece”", (), ("twice · pieces 20 · verdict refused",))],
            id="a row more",
        ),
        pytest.param(
            rule(scenarios=[scenario(rows=ROWS[1:])]),
            [("rows of “A limit is judged to the piece”", ("exactly · pieces 10 · verdict kept",), ())],
            id="a row less",
        ),
        pytest.param(
            rule(scenarios=[scenario(rows=(*ROWS, ROWS[1]))]),
            [("rows of “A limit is judged to the piece”", (), ("one over · pieces 11 · verdict refused",))],
            id="a row twice",
        ),
        pytest.param(
            rule(scenarios=[scenario(rows=ROWS[::-1])]),
            [
                (
                    "order of the rows of “A limit is judged to the piece”",
                    ("exactly · pieces 10 · verdict kept", "one over · pieces 11 · verdict refused"),
                    ("one over · pieces 11 · verdict refused", "exactly · pieces 10 · verdict kept"),
                )
            ],
            id="rows in another order",
        ),
        pytest.param(
            rule(scenarios=[scenario(then="the verdict is <verdict>")]),
            [
                (
                    "steps of “A limit is judged to the piece”",
                    ("Then they are <verdict>",),
                    ("Then the verdict is <verdict>",),
                )
            ],
            id="a step in other words",
        ),
        pytest.param(
            rule(scenarios=[]),
            [
                (
                    "scenario “A limit is judged to the piece”",
                    (
                        "Given a limit of 10",
                        "When <pieces> pieces arrive",
                        "Then they are <verdict>",
                        "exactly · pieces 10 · verdict kept",
                        "one over · pieces 11 · verdict refused",
                    ),
                    (),
                )
            ],
            id="a scenario less",
        ),
    ],
)
def test_what_changed_in_a_rule(small, new, notes):
    """Each part of a rule that is another is told by itself, as it was and as it is."""
    assert notes_of(between(small, feature(rule()), feature(new))) == notes


def test_rules_of_one_id_are_told_apart_by_their_sentences(small):
    """Where several rules share an id, the one that changed is found, and the others are as they were."""
    first, second, third = (rule(sentence=text) for text in ("What fits is kept", "An order is kept", "A name is kept"))
    found = between(small, feature(first, second, third), feature(third, rule(sentence="An order is kept here"), first))
    assert notes_of(found) == [("sentence", ("An order is kept",), ("An order is kept here",))]


def test_the_only_rule_of_an_id_is_the_same_whatever_it_says(small):
    """An id is for ever: where its sentence is another, its rule has changed, however much."""
    found = between(small, feature(rule(sentence="An order is kept")), feature(rule(sentence="Twice is once")))
    assert notes_of(found) == [("sentence", ("An order is kept",), ("Twice is once",))]


def test_versions_are_tags_that_led_here(small):
    """The oldest first; other tags, and those of branches, are passed over."""
    small.commit(TWO, tag="v0.9")
    small.commit(TWO, tag="v0.10")
    small.git("tag", "nightly")
    small.git("checkout", "-q", "-b", "aside")
    small.commit(TWO, tag="v9.9")
    small.git("checkout", "-q", "main")
    assert versions(small.root) == ("v0.9", "v0.10")


def test_a_revision_without_features_has_no_rules(small):
    """A revision from before the rulebook is one without rules, not an error."""
    small.commit(tag="v0.0.1")
    assert features_of(small.root, "v0.0.1") == ()


def test_the_tree_reads_as_its_commit(small):
    """What is on disk and what was committed are the same rules, in any script."""
    small.commit(feature(rule(sentence="Größe zählt")), path="features/lager/größe.feature")
    found = difference(features_of(small.root, "HEAD"), features_in(small.root))
    assert str(found) == "No rule was added, changed or removed."


@pytest.fixture
def changes(small, capsys):
    """Runs the command on the small project: code, output, error."""

    def run(*arguments):
        code = main([*arguments, "--root", str(small.root)])
        return code, *capsys.readouterr()

    return run


def test_the_command_tells_of_two_revisions(small, changes):
    """Added, changed and removed rules, each change as it was and as it is."""
    small.commit(TWO, tag="v0.1.0")
    row = rule(scenarios=[scenario(rows=(ROWS[0], "| one over | 11 | broken |"))])
    small.commit(feature(row, rule("LIM_03", "An empty shelf keeps nothing")), tag="v0.2.0")
    assert changes("v0.1.0", "HEAD") == (
        0,
        """\
v0.1.0 → HEAD: 1 rule added, 1 rule changed, 1 rule removed.

Added
  LIM_03  An empty shelf keeps nothing

Changed
  LIM_01  What fits is kept
    rows of “A limit is judged to the piece”
      was      one over · pieces 11 · verdict refused
      now      one over · pieces 11 · verdict broken

Removed
  LIM_02  Nothing is kept twice
""",
        "",
    )


def test_the_command_compares_with_the_tree_as_it_is(small, changes):
    """Without a second revision, what is not committed counts."""
    small.commit(TWO, tag="v0.1.0")
    assert changes("v0.1.0") == (0, "v0.1.0 → this tree: No rule was added, changed or removed.\n", "")
    small.write(feature(rule()))
    assert "Removed\n  LIM_02  Nothing is kept twice\n" in changes("v0.1.0")[1]


@pytest.mark.parametrize(
    ("broken", "revision", "told"),
    [
        (None, "v0.2.0", "git ls-tree: fatal: Not a valid object name v0.2.0"),
        ("nonsense\n", "v0.1.0", "revision v0.1.0: features/store/limits.feature:1: it does not parse: "),
    ],
)
def test_the_command_says_what_it_cannot_read(small, changes, broken, revision, told):
    """An unknown revision, or one whose features do not parse, is a line on standard error, and exit code 1."""
    small.commit(broken or TWO, tag="v0.1.0")
    code, out, error = changes(revision)
    assert (code, out) == (1, "")
    assert error.startswith(told)


def test_a_copy_without_its_history_has_no_versions(tmp_path):
    """An unpacked archive cannot compare, and that is no error."""
    assert versions(project(tmp_path, repository=False).root) == ()


@pytest.mark.nightly
def test_the_page_goes_from_version_to_version(small, tmp_path):
    """The newest step first; a rule that stands is a link to its place."""
    source, site = tmp_path / "pages", tmp_path / "site"
    source.mkdir()
    (source / "index.md").write_text("# What changed\n\n```{changes}\n```\n", encoding="utf-8")
    small.commit(feature(rule()), tag="v0.1.0")
    small.commit(TWO, tag="v0.2.0")
    small.write(feature(rule("LIM_02", "Nothing is kept twice", source="another document.")))
    sphinx = [sys.executable, "-m", "sphinx", "-W", "-q", "-c", str(ROOT / "docs"), "-D", f"living_root={small.root}"]
    subprocess.run([*sphinx, str(source), str(site)], check=True)
    html = (site / "index.html").read_text(encoding="utf-8")
    assert re.findall(r"<h2>([^<]*)", html) == ["Since v0.2.0", "From v0.1.0 to v0.2.0", "v0.1.0"]
    said = " ".join(re.sub(r"<[^>]*>", " ", html[html.index("<article") : html.index("</article>")]).split())
    assert "1 rule changed, 1 rule removed." in said
    assert "source was a document. now another document." in said
    assert "Removed LIM_01 What fits is kept" in said
    assert "The first version, with 1 rule." in said
    assert html.count('href="rulebook/store/limits.html#rule-lim_02"') == 2
