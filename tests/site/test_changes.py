import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from living.approval import APPROVED, REJECTED, Approval, NotApproved, approvals, approve, rejections
from living.changes import difference, rules_at
from living.rules.rulebook import Rulebook

from tests.site.git_projects import ROWS, feature, project, rule, scenario
from tests.site.small_sites import build

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
    return difference(rules_at(small.root, "v0.1.0", "store"), rules_at(small.root, "v0.2.0", "store"))


def in_words(changes):
    """How many rules changed in which way: 2 new, 1 sentence."""
    return ", ".join(f"{count} {kind}" for kind, count in sorted(Counter(one.kind for one in changes).items()))


def test_a_wider_column_is_no_change(small):
    """Nor is a rule that stands elsewhere in its feature."""
    wider = rule(scenarios=[scenario(rows=[row.replace(" |", "   |") for row in ROWS])])
    other = rule("LIM_02", "Nothing is kept twice")
    assert between(small, TWO, feature(other, wider)) == []


def test_rules_of_one_id_are_told_apart_by_their_sentences(small):
    """Where several rules share an id, the one that changed is found, and the others are as they were."""
    first, second, third = (rule(sentence=text) for text in ("What fits is kept", "An order is kept", "A name is kept"))
    after = feature(third, rule(sentence="An order is kept here"), first)
    (change,) = between(small, feature(first, second, third), after)
    assert change.kind == "sentence"
    assert [change.before.rule.sentence, change.now.rule.sentence] == ["An order is kept", "An order is kept here"]


def test_a_revision_without_features_has_no_rules(small):
    """A revision from before the rulebook is one without rules, not an error."""
    small.commit(tag="v0.0.1")
    assert rules_at(small.root, "v0.0.1", "store") == []


FEWER = scenario(rows=ROWS[1:])
WORDS = ("| none | 10 | kept |", "| none | 11 | kept |")
TWICE = scenario(then="they are <verdict>\n      And all of them are <verdict>")
BROKEN = scenario(rows=(ROWS[0], "| one over | 11 | broken |"))
NUMBERED = [scenario(rows=("| one | 10 | told with 1, 2 |",)), scenario(rows=("| one | 10 | told with 1 and 2 |",))]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (feature(rule()), TWO, "1 new"),
        (
            TWO,
            feature(rule(sentence="All is kept"), rule("LIM_03", "Nothing is lost")),
            "1 new, 1 removed, 1 sentence",
        ),
        (feature(rule()), feature(rule(scenarios=[BROKEN])), "1 result"),
        (feature(rule()), feature(rule(sentence="It is", scenarios=[BROKEN])), "1 result"),
        (feature(rule()), feature(rule(sentence="Orders leave unread")), "1 new, 1 removed"),
        (feature(rule(sentence="A tenth is kept")), feature(rule(sentence="A fifth is kept")), "1 sentence"),
        (feature(rule()), feature(rule(scenarios=[scenario(then="none is <verdict>", rows=WORDS)])), "1 check"),
        (feature(rule(scenarios=[FEWER])), feature(rule()), "1 more"),
        (feature(rule()), feature(rule(scenarios=[FEWER], source="a guess.")), "1 fewer"),
        (feature(rule(scenarios=[TWICE])), feature(rule()), "1 fewer"),
        (feature(rule(scenarios=NUMBERED[:1])), feature(rule(scenarios=NUMBERED[1:])), "1 result"),
        (feature(rule()), feature(rule(more="\n    It is old.\n")), "1 edited"),
        (feature(rule(source="a long source.")), feature(rule(source="a long\n    source.")), ""),
        (TWO, feature(rule("LIM_02"), rule("LIM_01", "Nothing is kept twice")), ""),
    ],
)
def test_how_many_rules_changed_and_in_which_way(small, old, new, said):
    """A changed result weighs most; added examples, sources and descriptions are only counted, and ids are nothing.

    A rule of another id is the same one if its sentence is; one of the same id is another if its sentence is unlike.
    """
    assert in_words(between(small, old, new)) == said


def test_a_changed_result_is_told_with_its_steps(small):
    """What the example did, what it expected, and what it expects now."""
    (change,) = between(small, feature(rule()), feature(rule(scenarios=[BROKEN])))
    steps = "a limit of 10; 11 pieces arrive"
    assert change.results == [(steps, "they are refused", "they are broken")]


@pytest.mark.parametrize(
    ("now", "said"),
    [
        ("there are 9 of 12", ["there are 9 of 12"]),
        ("9 of 12 are there", [""]),
        ("there is room", [""]),
        ("10 and 12 are there", [""]),
    ],
)
def test_another_value_is_told_apart_from_another_check(small, now, said):
    """Other values of one check, or another check: with the same values it may say the opposite."""
    old, new = (feature(rule(scenarios=[scenario(then=then, rows=ROWS[:1])])) for then in ("there are 10 of 12", now))
    results = [one for change in between(small, old, new) for one in change.results]
    assert results == [("a limit of 10; 10 pieces arrive", "there are 10 of 12", one) for one in said]


def test_every_rejection_is_of_a_rule():
    """Once the sentence is mended or gone, its line goes."""
    assert {one.rule for one in rejections(ROOT)} <= {*Rulebook.read(ROOT).by_id}


def test_every_approval_is_of_a_package_and_a_commit():
    """As `make approve` writes it; a package that nobody has approved has no line."""
    packages = {path.parent.name for path in (ROOT / "features").rglob("*.feature")}
    noted = approvals(ROOT)
    assert {one.package for one in noted} <= packages
    assert all(re.fullmatch(r"[0-9a-f]{40}", one.commit) for one in noted)


@pytest.fixture
def reviewed(small):
    """A project with a package by A, and with reviewers: Ada and A, Own, who named himself, and Bob, not committed."""
    for names, author in (("Ada Reader\nA\n", "M"), ("Ada Reader\nA\nOwn\n", "Own")):
        small.write(f"# Reviewers\n\n{names}", "docs/reviewers.txt")
        small.git("add", "-A")
        small.git("-c", f"user.name={author}", "commit", "-q", "-m", "Name a reviewer")
    small.commit(TWO)
    small.write("# Reviewers\n\nAda Reader\nA\nOwn\nBob\n", "docs/reviewers.txt")
    return small


def test_a_reviewer_approves_a_package(reviewed):
    """A line names the package, the commit and the reviewer; approving again replaces it, and others stay."""
    reviewed.write("# Approvals\nother 1234 Bob\n", APPROVED)
    made = approve(reviewed.root, "Store", "Ada Reader")
    assert made == Approval("store", reviewed.git("rev-parse", "HEAD"), "Ada Reader")
    assert approve(reviewed.root, "store", "Ada Reader") == made
    assert approvals(reviewed.root) == [("other", "1234", "Bob"), made]


@pytest.mark.parametrize(
    ("package", "name", "why"),
    [
        ("stores", "Ada Reader", "there is no package 'stores': say PACKAGE=, one of store"),
        ("__pycache__", "Ada Reader", "there is no package '__pycache__': say PACKAGE=, one of store"),
        ("", "Ada Reader", "there is no package '': say PACKAGE=, one of store"),
        ("store", "Bob", "'Bob' is no reviewer of product: say NAME=, one of those in docs/reviewers.txt (3)"),
        ("store", "Own", "Own has added their own line to docs/reviewers.txt: somebody else commits it"),
        ("store", "", "'' is no reviewer of product"),
        ("store", "A", "A has written what is not yet approved of features/store: another reviewer approves that"),
    ],
)
def test_what_cannot_be_approved(reviewed, package, name, why):
    """Another name, no reviewer, or a reviewer's own change; nothing is written. A folder without rules is none."""
    reviewed.write("", "features/__pycache__/made.pyc")
    with pytest.raises(NotApproved) as refused:
        approve(reviewed.root, package, name)
    assert why in str(refused.value)
    assert approvals(reviewed.root) == []


def test_make_approve_is_the_command(reviewed):
    """It takes both from its line, and says why not."""
    command = [sys.executable, "-m", "living.approval", "store", "A"]
    paths = os.pathsep.join([str(ROOT / "docs"), str(ROOT)])
    ran = subprocess.run(
        command, cwd=reviewed.root, env=os.environ | {"PYTHONPATH": paths}, capture_output=True, text=True, check=False
    )
    assert ran.returncode
    assert ran.stderr.startswith("not approved: A has written what is not yet approved of features/store")


def built(root, folder, *options):
    """The page that a build of these rules makes, and what the build says."""
    source, site = folder / "pages", folder / "site"
    source.mkdir(exist_ok=True)
    (source / "index.md").write_text("# Review and sign off\n\n```{changes}\n```\n", encoding="utf-8")
    done = build(root, source, site, *options)
    html = (site / "index.html").read_text(encoding="utf-8") if (site / "index.html").exists() else ""
    article = html[html.find("<article") : html.find("</article>")]
    return article, " ".join(re.sub(r"<[^>]*>", " ", article).split()), done.stderr


def approved(small, commit):
    """Note that Ada has approved the one package at a commit."""
    small.write(f"store {commit} Ada\n", APPROVED)


@pytest.mark.site
def test_a_package_that_nobody_approved_is_listed_as_it_stands(small, tmp_path):
    """Its sentences by feature, how long they take to read, and where a reviewer is named; nothing is compared."""
    small.commit(TWO)
    small.commit(feature(rule(sentence="What fits stays"), rule("LIM_02", "Nothing is kept twice")))
    article, said, _ = built(small.root, tmp_path)
    assert (
        "All 2 sentences of 1 packages take about 1 minutes to read. Approved as they stand: 0 of 1 packages." in said
    )
    assert "Nobody may approve yet: docs/reviewers.txt has no name." in said
    assert "Store 2 1 ○ nobody" in said
    assert "Limits What fits stays LIM_01 ○ not run Nothing is kept twice LIM_02 ○ not run To approve: make" in said
    assert article.count('href="rulebook/store/index.html#rule-lim_02"') == 1


@pytest.mark.site
def test_a_package_that_was_approved_shows_what_changed_since(small, tmp_path):
    """What is expected otherwise comes first; what is removed names the commit, and a check that changed is counted."""
    rules = [rule(), rule("LIM_03", "An order is kept"), rule("LIM_04", "A name is kept"), rule("LIM_05", "One")]
    commit = small.commit(feature(*rules))
    approved(small, commit)
    checked = rule("LIM_05", "One", scenarios=[scenario(then="none is <verdict>")])
    changed = [rule(scenarios=[BROKEN]), rule("LIM_04", "A name is kept here"), rule("LIM_02", "No two"), checked]
    small.commit(feature(*changed))
    said = built(small.root, tmp_path)[1]
    assert "Store 4 1 ○ Ada, 5 changed since" in said
    assert f"Ada approved version {commit[:12]} of 2026-01-01. Below is what changed since. Changed result: " in said
    assert "a limit of 10; 11 pieces arrive: they are refused → they are broken Changed sentence: A name is" in said
    assert "A name is kept here LIM_04 Before: A name is kept New: No two LIM_02 Removed: An order is kept" in said
    assert "LIM_03 Removed by: A change (" in said
    assert "checked in another way: 1. In all, examples: 0 removed, 0 added; sources edited: 0. Each" in said
    assert f"line, with examples and sources: git diff {commit[:12]}" in said


@pytest.mark.site
def test_a_release_needs_every_package_approved_as_it_stands(reviewed, tmp_path):
    """One that nobody approved does not do, nor one that changed since."""

    def refused():
        return "open are store" in built(reviewed.root, tmp_path, "-E", "-D", "living_release=1")[2]

    met = [refused()]
    approve(reviewed.root, "store", "Ada Reader")
    met.append(refused())
    said = built(reviewed.root, tmp_path)[1]
    assert "Approved as they stand: 1 of 1 packages. May approve: Ada Reader, A, Own, Bob." in said
    nothing = "No sentence or result has changed since; examples: 0 removed, 0 added; sources edited: 0."
    assert f"{nothing} " in f"{said} "
    reviewed.write(feature(rule()))
    assert [*met, refused()] == [True, False, True]


@pytest.mark.site
def test_a_removed_example_reopens_a_package_and_an_added_one_does_not(reviewed, tmp_path):
    """All of it is counted; what is gone is listed."""
    approve(reviewed.root, "store", "Ada Reader")
    third, edited = scenario(rows=(*ROWS, "| far | 20 | refused |")), rule("LIM_02", "Nothing is kept twice", "a look.")
    reviewed.write(feature(rule(scenarios=[third]), edited))
    said = built(reviewed.root, tmp_path)[1]
    assert "Store 2 1 ✓ Ada Reader" in said
    assert "No sentence or result has changed since; examples: 0 removed, 1 added; sources edited: 1. Each" in said
    reviewed.write(feature(rule(scenarios=[FEWER]), edited))
    said = built(reviewed.root, tmp_path)[1]
    assert "Store 2 1 ○ Ada Reader, 1 changed since" in said
    assert "Examples removed: What fits is kept LIM_01 1 removed of the examples a limit of 10; 10 pieces" in said
    assert "In all, examples: 1 removed, 0 added; sources edited: 1. " in said


@pytest.mark.site
def test_a_rejected_sentence_keeps_its_package_open(reviewed, tmp_path):
    """It is shown with who rejects it and why, and no approval or release goes past it; no rule is a fault."""
    approve(reviewed.root, "store", "Ada Reader")
    reviewed.write("# Rejected\nLIM_02 Ada Reader: Twice: say `once`\n", REJECTED)
    said = built(reviewed.root, tmp_path)[1]
    assert "Store 2 1 ○ Ada Reader, 1 rejected" in said
    assert "Nothing is kept twice LIM_02 ✗ rejected by Ada Reader: Twice: say once Ada Reader approved" in said
    assert "open are store" in built(reviewed.root, tmp_path, "-E", "-D", "living_release=1")[2]
    with pytest.raises(NotApproved, match=r"rejects: LIM_02 \(by Ada Reader\); mend it, and remove its line"):
        approve(reviewed.root, "store", "Ada Reader")
    reviewed.write("LIM_09 Ada Reader: None\n", REJECTED)
    assert "docs/rejected.txt names LIM_09, which no rule has" in built(reviewed.root, tmp_path)[2]


@pytest.mark.site
def test_a_shallow_clone_says_what_it_lacks_and_how_to_get_it(small, tmp_path):
    """The approved commit is not there; the build goes on."""
    commit = small.commit(TWO)
    approved(small, commit)
    small.commit(TWO)
    shallow = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{small.root}", str(shallow)], check=True)
    _, said, _ = built(shallow, tmp_path)
    assert f"does not have {commit[:12]}, the version to compare with" in said
    assert "git fetch --unshallow" in said
