import re
import subprocess
import sys
from pathlib import Path

import pytest
from living.changes import APPROVED, approved, difference, in_words, lines_changed, respelled, rules_at

from tests.site.git_projects import ROWS, feature, project, rule, scenario

ROOT = Path(__file__).parents[2]
REST = "with another source, description, place or mark only"
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
    assert in_words(between(small, TWO, after)) == "2 with changed examples only"


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
            "1 added, 1 removed, 1 reworded",
        ),
        (feature(rule()), feature(rule(scenarios=[BROKEN])), "1 with a changed expected result"),
        (feature(rule()), feature(rule(sentence="It is", scenarios=[BROKEN])), "1 with a changed expected result"),
        (feature(rule()), feature(rule(scenarios=[FEWER])), "1 with changed examples only"),
        (feature(rule(scenarios=[FEWER])), feature(rule()), "1 with changed examples only"),
        (feature(rule(scenarios=NUMBERED[:1])), feature(rule(scenarios=NUMBERED[1:])), "1 with changed examples only"),
        (feature(rule()), feature(rule(source="a guess.")), f"1 {REST}"),
        (feature(rule()), feature(rule(more="\n    It is old.\n")), f"1 {REST}"),
        (feature(rule()), feature(rule("LIM_01 portable")), f"1 {REST}"),
    ],
)
def test_how_many_sentences_changed_and_in_which_way(small, old, new, said):
    """A changed result weighs most; other words for the same values are none. What did not happen is left out."""
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


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("It is summarised", "It is summarized", {"summarised": ("summarized", 1)}),
        ("It is summarised", "It is summarizing", {}),
        ("It is summarised and summarised", "It is summarised and summarized", {}),
        ("It is kept", "It is left", {}),
        ("It is summarised", "It is kept", {}),
    ],
)
def test_a_word_with_another_letter_is_respelled(small, old, new, words):
    """Where nearly all of its places changed alike; a rule that is only respelled has not changed."""
    old, new = (feature(rule(sentence=text)) for text in (old, new))
    small.commit(old, tag="v0.1.0")
    small.commit(new, tag="v0.2.0")
    before, now = rules_at(small.root, "v0.1.0"), rules_at(small.root, "v0.2.0")
    assert respelled(before, now) == words
    if words:
        spelled = {word: other for word, (other, _) in words.items()}
        assert difference(rules_at(small.root, "v0.1.0", spelled), now) == []


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
    """By what it means: new, removed and changed results are open, the rest is folded; a rule that stands is a link."""
    named = feature(rule("LIM_04", "A name is kept"), name="Names")
    small.write(named, "features/store/names.feature")
    small.write(small.commit(feature(rule(), rule("LIM_03", "An order is kept"))), APPROVED)
    small.git("add", APPROVED)
    small.git("commit", "-q", "-m", "Approve")
    small.write(named.replace("a document.", "another document."), "features/store/names.feature")
    small.write(feature(rule(scenarios=[BROKEN]), rule("LIM_02", "Nothing is kept twice")))
    article, said, _ = built(small.root, tmp_path)
    assert f"is commit {approved(small.root)[:12]} of 2026-01-01, noted in commit" in said
    headings = ["New behavior: 1", "Removed: 1", "Changed result: 1", "Source or description only: 1"]
    assert re.findall(r"<h2>([^<]*)", article) == headings
    assert "Since then, of 3 sentences: 1 added, 1 removed, 1 with a changed" in said
    assert "The start page counts ids: 3 rules." in said
    assert "Changed result: a limit of 10; 11 pieces arrive: they are refused → they are broken" in said
    assert "- Source: a document. + Source: another document." in said
    assert "LIM_02 Nothing is kept twice Source: a document." in said
    assert article.count('href="rulebook/store/limits.html#rule-lim_02"') == 1
    assert article.index("<summary>Show the 1<") < article.index("LIM_04")
    assert "<summary>Show the" not in article[: article.index("Source or description only")]


@pytest.mark.site
def test_the_page_names_respelled_words_once_and_shows_equal_changes_once(small, tmp_path):
    """A word under the wording with its places; the rows of one change in one paragraph, whatever else is in them."""
    old, new = (
        feature(
            rule(scenarios=[scenario(then=then, rows=[f"| row | {n} | {n} |" for n in (10, 11)])]), rule("LIM_02", is_)
        )
        for then, is_ in (("<verdict> are summarised", "All is summarised"), ("there is no room", "All is summarized"))
    )
    small.write(small.commit(old), APPROVED)
    small.write(new)
    article, said, _ = built(small.root, tmp_path)
    assert "Words that are only respelled, with the number of places: summarised → summarized (2)." in said
    assert "10 pieces arrive (the same in 1 more): before: 10 are summarized; now: there is no room" in said
    assert article.count("Rewritten check:") == 1


@pytest.mark.site
def test_a_shallow_clone_says_what_it_lacks_and_how_to_get_it(small, tmp_path):
    """The approved commit is not there; the build goes on."""
    small.write(small.commit(TWO), APPROVED)
    small.commit(TWO)
    shallow = tmp_path / "shallow"
    subprocess.run(["git", "clone", "-q", "--depth", "1", f"file://{small.root}", str(shallow)], check=True)
    _, said, _ = built(shallow, tmp_path)
    assert f"does not have {approved(small.root)[:12]}, the last approved version" in said
    assert "git fetch --unshallow" in said


@pytest.mark.site
def test_an_approved_version_that_does_not_parse_is_an_error(small, tmp_path):
    """With its file, its line and its commit."""
    commit = small.commit("nonsense\n")
    small.write(commit, APPROVED)
    small.write(TWO)
    error = built(small.root, tmp_path)[2]
    assert f"features/store/limits.feature:1 of {commit}: it does not parse: " in error
