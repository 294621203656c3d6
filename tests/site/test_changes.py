import re
import subprocess
import sys
from pathlib import Path

import pytest
from living.changes import APPROVED, approved, difference, lines_changed, rules_at

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
    return difference(rules_at(small.root, "v0.1.0"), rules_at(small.root, "v0.2.0"))


def changed_in(found):
    """The lines that were removed and added in the one rule that changed."""
    (both,) = found.changed
    assert not found.added
    assert not found.removed
    return [line[0] + line[1:].strip() for line in lines_changed(*both) if line[0] in "+-"]


@pytest.mark.parametrize(
    ("new", "lines"),
    [
        (rule(sentence="All is kept"), ["-Rule: What fits is kept", "+Rule: All is kept"]),
        (rule(source="a guess."), ["-Source: a document.", "+Source: a guess."]),
        (rule("LIM_01 LIM_02"), ["-store/limits: @LIM_01", "+store/limits: @LIM_01 @LIM_02"]),
        (rule("LIM_01 portable"), ["-store/limits: @LIM_01", "+store/limits: @LIM_01 @portable"]),
        (rule(more="\n    It is old.\n"), ["+", "+It is old."]),
        (
            rule(scenarios=[scenario(rows=(ROWS[0], "| one over | 11 | broken |"))]),
            ["-| one over | 11 | refused |", "+| one over | 11 | broken |"],
        ),
        (rule(scenarios=[scenario(rows=ROWS[1:])]), ["-| exactly | 10 | kept |"]),
        (rule(scenarios=[scenario(then="all is <verdict>")]), ["-Then they are <verdict>", "+Then all is <verdict>"]),
    ],
)
def test_what_changed_in_a_rule(small, new, lines):
    """Each line that is another is told as it was and as it is."""
    assert changed_in(between(small, feature(rule()), feature(new))) == lines


def test_a_wider_column_is_no_change(small):
    """Nor is a rule that stands elsewhere in its feature."""
    wider = rule(scenarios=[scenario(rows=[row.replace(" |", "   |") for row in ROWS])])
    other = rule("LIM_02", "Nothing is kept twice")
    assert str(between(small, TWO, feature(other, wider))) == "No rule was added, changed or removed."


def test_a_step_of_the_background_changes_every_rule(small):
    """It runs before the examples of each."""
    after = TWO.replace("\n\n", "\n\n  Background:\n    Given a shelf\n\n", 1)
    assert str(between(small, TWO, after)) == "2 rules changed."


def test_rules_of_one_id_are_told_apart_by_their_sentences(small):
    """Where several rules share an id, the one that changed is found, and the others are as they were."""
    first, second, third = (rule(sentence=text) for text in ("What fits is kept", "An order is kept", "A name is kept"))
    found = between(small, feature(first, second, third), feature(third, rule(sentence="An order is kept here"), first))
    assert changed_in(found) == ["-Rule: An order is kept", "+Rule: An order is kept here"]


def test_the_only_rule_of_an_id_is_the_same_whatever_it_says(small):
    """An id is for ever: where its sentence is another, its rule has changed, however much."""
    found = between(small, feature(rule(sentence="An order is kept")), feature(rule(sentence="Twice is once")))
    assert changed_in(found) == ["-Rule: An order is kept", "+Rule: Twice is once"]


def test_a_revision_without_features_has_no_rules(small):
    """A revision from before the rulebook is one without rules, not an error."""
    small.commit(tag="v0.0.1")
    assert rules_at(small.root, "v0.0.1") == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (TWO, TWO, "No rule was added, changed or removed."),
        (feature(rule()), TWO, "1 rule added."),
        (
            TWO,
            feature(rule(sentence="All is kept"), rule("LIM_03", "Nothing is lost")),
            "1 rule added, 1 rule changed, 1 rule removed.",
        ),
    ],
)
def test_how_many_rules_changed_is_a_sentence(small, old, new, said):
    """What did not happen is left out."""
    assert str(between(small, old, new)) == said


def test_make_approve_notes_the_commit():
    """The file names a commit of 40 digits, as `make approve` writes it."""
    assert re.fullmatch(r"[0-9a-f]{40}", approved(ROOT))


def test_make_approve_refuses_rules_that_are_not_committed(small):
    """The commit would not hold them; it says so, and notes the commit once they are committed."""
    small.write((ROOT / "Makefile").read_text(encoding="utf-8"), "Makefile")
    small.write("", "docs/index.md")
    commit = small.commit(TWO)
    small.write(feature(rule()))
    refused = subprocess.run(["make", "approve"], cwd=small.root, capture_output=True, text=True, check=False)
    assert refused.returncode
    assert "features has changes that are not committed: commit them first" in refused.stderr
    assert approved(small.root) == ""
    small.git("checkout", "features")
    subprocess.run(["make", "approve"], cwd=small.root, capture_output=True, check=True)
    assert approved(small.root) == commit


def built(root, folder):
    """The page that a build of these rules makes, and what the build says."""
    source, site = folder / "pages", folder / "site"
    source.mkdir()
    (source / "index.md").write_text("# Rules to review\n\n```{changes}\n```\n", encoding="utf-8")
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-c", str(ROOT / "docs"), "-D", f"living_root={root}"]
    done = subprocess.run([*sphinx, str(source), str(site)], capture_output=True, text=True, check=False)
    html = (site / "index.html").read_text(encoding="utf-8")
    article = html[html.index("<article") : html.index("</article>")]
    return article, " ".join(re.sub(r"<[^>]*>", " ", article).split()), done.stderr


@pytest.mark.site
def test_the_page_lists_what_changed_since_the_approved_version(small, tmp_path):
    """Changed, added and removed rules, each change as it was and as it is; a rule that stands is a link."""
    small.write(small.commit(feature(rule(), rule("LIM_03", "An order is kept"))), APPROVED)
    small.write(feature(rule(source="another document."), rule("LIM_02", "Nothing is kept twice")))
    article, said, _ = built(small.root, tmp_path)
    assert re.findall(r"<h2>([^<]*)", article) == ["Changed", "Added", "Removed"]
    assert "1 rule added, 1 rule changed, 1 rule removed." in said
    assert "- Source: a document. + Source: another document." in said
    assert "LIM_02 Nothing is kept twice Why: a document." in said
    assert article.count('href="rulebook/store/limits.html#rule-lim_02"') == 1


@pytest.mark.site
def test_a_shallow_clone_says_what_it_lacks_and_how_to_get_it(small, tmp_path):
    """The approved commit is not there; the build goes on."""
    small.write(small.commit(TWO), APPROVED)
    small.commit(TWO)
    shallow = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{small.root}", str(shallow)], check=True)
    _, said, _ = built(shallow, tmp_path)
    assert f"does not have {approved(small.root)[:12]}, the version that was approved last" in said
    assert "git fetch --unshallow" in said


@pytest.mark.site
def test_an_approved_version_that_does_not_parse_is_an_error(small, tmp_path):
    """With its file, its line and its commit."""
    commit = small.commit("nonsense\n")
    small.write(commit, APPROVED)
    small.write(TWO)
    error = built(small.root, tmp_path)[2]
    assert f"features/store/limits.feature:1 of {commit}: it does not parse: " in error
