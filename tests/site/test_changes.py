import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from living.approval import NotApproved, approve
from living.changes import APPROVED, Approval, approvals, difference, in_words, lines_changed, rules_at

from tests.site.git_projects import ROWS, feature, project, rule, scenario

ROOT = Path(__file__).parents[2]
REST = "otherwise"
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
    (change,) = found
    assert change.before
    assert change.now
    return [line[0] + line[1:].strip() for line in lines_changed(change.before, change.now) if line[0] in "+-"]


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
    assert between(small, TWO, feature(other, wider)) == []


def test_a_step_of_the_background_changes_every_rule(small):
    """It runs before the examples of each."""
    after = TWO.replace("\n\n", "\n\n  Background:\n    Given a shelf\n\n", 1)
    assert in_words(between(small, TWO, after)) == f"2 {REST}"


def test_rules_of_one_id_are_told_apart_by_their_sentences(small):
    """Where several rules share an id, the one that changed is found, and the others are as they were."""
    first, second, third = (rule(sentence=text) for text in ("What fits is kept", "An order is kept", "A name is kept"))
    found = between(small, feature(first, second, third), feature(third, rule(sentence="An order is kept here"), first))
    assert changed_in(found) == ["-Rule: An order is kept", "+Rule: An order is kept here"]


def test_a_revision_without_features_has_no_rules(small):
    """A revision from before the rulebook is one without rules, not an error."""
    small.commit(tag="v0.0.1")
    assert rules_at(small.root, "v0.0.1") == []


FEWER = scenario(rows=ROWS[1:])
BROKEN = scenario(rows=(ROWS[0], "| one over | 11 | broken |"))
NUMBERED = [scenario(rows=("| one | 10 | told with 1, 2 |",)), scenario(rows=("| one | 10 | told with 1 and 2 |",))]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (TWO, TWO, "none changed"),
        (feature(rule()), TWO, "1 added"),
        (
            TWO,
            feature(rule(sentence="All is kept"), rule("LIM_03", "Nothing is lost")),
            "1 removed, 1 added, 1 reworded",
        ),
        (feature(rule()), feature(rule(scenarios=[BROKEN])), "1 with a changed result"),
        (feature(rule()), feature(rule(sentence="It is", scenarios=[BROKEN])), "1 with a changed result"),
        (feature(rule()), feature(rule(scenarios=[FEWER])), f"1 {REST}"),
        (feature(rule(scenarios=[FEWER])), feature(rule()), f"1 {REST}"),
        (feature(rule(scenarios=NUMBERED[:1])), feature(rule(scenarios=NUMBERED[1:])), f"1 {REST}"),
        (feature(rule()), feature(rule(source="a guess.")), f"1 {REST}"),
        (feature(rule()), feature(rule(more="\n    It is old.\n")), f"1 {REST}"),
        (feature(rule()), feature(rule("LIM_01 portable")), f"1 {REST}"),
        (TWO, feature(rule("LIM_02"), rule("LIM_01", "Nothing is kept twice")), "2 renumbered"),
        (feature(rule()), feature(rule(sentence="Orders leave unread")), "1 removed, 1 added"),
    ],
)
def test_how_many_sentences_changed_and_in_which_way(small, old, new, said):
    """A changed result weighs most; other words for the same values are none. What did not happen is left out.

    A rule of another id is the same one if its sentence is; one of the same id is another if its sentence is unlike.
    """
    assert in_words(between(small, old, new)) == said


def test_a_changed_result_is_told_with_its_steps(small):
    """What the example did, what it expected, and what it expects now."""
    (change,) = between(small, feature(rule()), feature(rule(scenarios=[BROKEN])))
    steps = "a limit of 10; 11 pieces arrive"
    assert change.results == [(steps, "they are refused", "they are broken", True)]


@pytest.mark.parametrize(
    ("now", "alike"),
    [
        ("there are 9 of 12", True),
        ("9 of 12 are there", False),
        ("there is room", False),
        ("10 and 12 are there", None),
    ],
)
def test_a_rewritten_check_is_told_apart_from_another_value(small, now, alike):
    """Other values of one check, or another check without the values; with them nothing has changed."""
    old, new = (feature(rule(scenarios=[scenario(then=then, rows=ROWS[:1])])) for then in ("there are 10 of 12", now))
    (change,) = between(small, old, new)
    expected = ("a limit of 10; 10 pieces arrive", "there are 10 of 12", now, alike)
    assert change.results == ([] if alike is None else [expected])


def test_each_package_has_a_version_to_compare_with():
    """The file names a commit of 40 digits a package, and who approved it, as `make approve` writes it."""
    packages = {path.name for path in (ROOT / "features").iterdir() if any(path.glob("*.feature"))}
    noted = approvals(ROOT)
    assert {one.package for one in noted} == packages
    assert all(re.fullmatch(r"[0-9a-f]{40}", one.commit) for one in noted)


@pytest.fixture
def reviewed(small):
    """A project with a committed package, which Ada and A may approve; A has written it."""
    small.write("# Reviewers\nAda Reader\nA\n", "docs/reviewers.txt")
    small.commit(TWO)
    return small


def test_a_reviewer_approves_a_package(reviewed):
    """A line names the package, the commit and the reviewer; approving again replaces it, and others stay."""
    reviewed.write("other 1234 baseline\n", APPROVED)
    made = approve(reviewed.root, "store", "Ada Reader")
    assert made == Approval("store", reviewed.git("rev-parse", "HEAD"), "Ada Reader")
    assert approve(reviewed.root, "store", "Ada Reader") == made
    assert approvals(reviewed.root) == [("other", "1234", "baseline"), made]


@pytest.mark.parametrize(
    ("package", "name", "why"),
    [
        ("stores", "Ada Reader", "there is no package 'stores': say PACKAGE=, one of store"),
        ("", "Ada Reader", "there is no package '': say PACKAGE=, one of store"),
        ("store", "Bob", "'Bob' is no reviewer of product: say NAME=, one of those in docs/reviewers.txt (2)"),
        ("store", "", "'' is no reviewer of product"),
        ("store", "A", "A has changed features/store since it was approved: another reviewer approves that"),
    ],
)
def test_what_cannot_be_approved(reviewed, package, name, why):
    """Another name, no reviewer, or a reviewer's own change; nothing is written."""
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
    assert ran.stderr.startswith("not approved: A has changed features/store")


def built(root, folder, *options):
    """The page that a build of these rules makes, and what the build says."""
    source, site = folder / "pages", folder / "site"
    source.mkdir(exist_ok=True)
    (source / "index.md").write_text("# Rules to review\n\n```{changes}\n```\n", encoding="utf-8")
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-c", str(ROOT / "docs"), "-D", f"living_root={root}", *options]
    done = subprocess.run([*sphinx, str(source), str(site)], capture_output=True, text=True, check=False)
    html = (site / "index.html").read_text(encoding="utf-8") if (site / "index.html").exists() else ""
    article = html[html.find("<article") : html.find("</article>")]
    return article, " ".join(re.sub(r"<[^>]*>", " ", article).split()), done.stderr


def baseline(small, commit):
    """Note a commit as the baseline of the one package."""
    small.write(f"store {commit} baseline\n", APPROVED)


@pytest.mark.site
def test_the_page_lists_what_changed_since_the_approved_version(small, tmp_path):
    """Changed results first, what is removed and new next; what changes no behavior is folded."""
    named = feature(rule("LIM_04", "A name is kept"), name="Names")
    small.write(named, "features/store/names.feature")
    commit = small.commit(feature(rule(), rule("LIM_03", "An order is kept")))
    baseline(small, commit)
    small.write(named.replace("a document.", "another document."), "features/store/names.feature")
    small.write(feature(rule(scenarios=[BROKEN]), rule("LIM_02", "Nothing is kept twice")))
    article, said, _ = built(small.root, tmp_path)
    headings = ["Changed result: 1", "Removed: 1", "New behavior: 1", "Examples, sources and descriptions: 1"]
    assert re.findall(r"<h2>([^<]*)", article) == headings
    assert f"{commit[:12]} of 2026-01-01, not reviewed 1 1 1 1" in said
    assert "a limit of 10; 11 pieces arrive: they are refused → they are broken" in said
    assert "LIM_02 Nothing is kept twice" in said
    assert "Show them store LIM_04 A name is kept" in said
    assert article.count('href="rulebook/store/index.html#rule-lim_02"') == 1


@pytest.mark.site
@pytest.mark.parametrize(("count", "fails"), [(60, False), (61, True)])
def test_more_than_60_open_sentences_are_a_warning_and_fail_a_release(small, tmp_path, count, fails):
    """An hour's review is the limit."""
    baseline(small, small.commit(TWO))
    more = (rule(f"MOR_{n:02}", f"The piece of number {n} is kept") for n in range(count))
    small.write(feature(rule(), rule("LIM_02", "Nothing is kept twice"), *more))
    message = f"{count} sentences are open, more than 60: review and approve them by package"
    assert (message in built(small.root, tmp_path)[1]) is fails
    assert (message in built(small.root, tmp_path, "-E", "-D", "living_release=1")[2]) is fails


@pytest.mark.site
def test_a_shallow_clone_says_what_it_lacks_and_how_to_get_it(small, tmp_path):
    """The approved commit is not there; the build goes on."""
    commit = small.commit(TWO)
    baseline(small, commit)
    small.commit(TWO)
    shallow = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{small.root}", str(shallow)], check=True)
    _, said, _ = built(shallow, tmp_path)
    assert f"does not have {commit[:12]}, the version of store to compare with" in said
    assert "git fetch --unshallow" in said
