import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from living.changes.__main__ import main
from living.changes.differences import difference
from living.changes.history import History, UnreadableHistory, features_on_disk
from living.changes.page import sections
from living.changes.pairing import rules_of
from living.rules.rulebook import Rulebook

from steps.rulebook import Feature, Rule
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
    history = History(small.root)
    return difference(history.features("v0.1.0"), history.features("v0.2.0"))


def notes_of(found):
    """What changed in the one rule that changed."""
    (changed,) = found.changed
    assert not found.added
    assert not found.removed
    return [(note.what, note.before, note.after) for note in changed.notes]


def labels(standings):
    """Ids and sentences."""
    return [(one.label, one.rule.sentence) for one in standings]


# What is told of a rule


def test_nothing_changed(small):
    """Two revisions with the same rules differ in nothing."""
    found = between(small, TWO, TWO)
    assert (found.added, found.changed, found.removed) == ((), (), ())


def test_what_is_no_rule_is_passed_over(small):
    """The prose of a feature, its lines and its blanks are no change of a rule."""
    found = between(small, TWO, TWO.replace("What fits is kept.\n", "What fits is kept, and more.\n\n\n", 1))
    assert (found.added, found.changed, found.removed) == ((), (), ())


def test_added_and_removed_rules(small):
    """A rule whose id was not there is new; one whose id is there no more is gone."""
    found = between(small, TWO, feature(rule(), rule("LIM_03", "An empty shelf keeps nothing")))
    assert labels(found.added) == [("LIM_03", "An empty shelf keeps nothing")]
    assert labels(found.removed) == [("LIM_02", "Nothing is kept twice")]
    assert not found.changed


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


def test_a_scenario_more(small):
    """A scenario that was not there is told with its steps and rows."""
    more = scenario("Nothing arrives", rows=("| none | 0 | kept |",))
    ((what, before, after),) = notes_of(between(small, feature(rule()), feature(rule(scenarios=[scenario(), more]))))
    assert (what, before) == ("scenario “Nothing arrives”", ())
    assert after[-1] == "none · pieces 0 · verdict kept"


def test_a_rule_that_moved_to_another_feature(small):
    """A rule keeps its id where it moves, and the move is told."""
    small.commit(TWO, tag="v0.1.0")
    small.write(feature(rule("LIM_02", "Nothing is kept twice"), name="Shelves"), "features/room/shelves.feature")
    small.commit(feature(rule()), tag="v0.2.0")
    history = History(small.root)
    found = difference(history.features("v0.1.0"), history.features("v0.2.0"))
    assert notes_of(found) == [("feature", ("store/limits",), ("room/shelves",))]


def test_a_background_belongs_to_every_scenario(small):
    """A step that all scenarios of a feature begin with is a step of each."""
    behind = "  Background:\n    Given an empty shelf\n\n"
    found = between(small, feature(rule()), feature(behind + rule()))
    assert notes_of(found) == [("steps of “A limit is judged to the piece”", (), ("Given an empty shelf",))]


# Which rule is which


def test_rules_of_one_id_are_told_apart_by_their_sentences(small):
    """Where several rules share an id, the one that changed is found, and the others are as they were."""
    first, second, third = (rule(sentence=text) for text in ("What fits is kept", "An order is kept", "A name is kept"))
    changed = rule(sentence="An order is kept for ever")
    found = between(small, feature(first, second, third), feature(changed, third, first))
    assert notes_of(found) == [("sentence", ("An order is kept",), ("An order is kept for ever",))]


def test_a_rule_that_says_something_else_under_a_shared_id_is_another(small):
    """Among several rules of an id, one that has nothing of the old one is new, and the old one gone."""
    kept = rule(sentence="What fits is kept")
    old = rule(sentence="An order is kept", scenarios=[scenario("In order")])
    new = rule(sentence="Whoever asks twice pays", scenarios=[scenario("Asked twice")])
    found = between(small, feature(kept, old), feature(kept, new))
    assert labels(found.added) == [("LIM_01", "Whoever asks twice pays")]
    assert labels(found.removed) == [("LIM_01", "An order is kept")]


def test_the_only_rule_of_an_id_is_the_same_whatever_it_says(small):
    """An id is for ever: where it stands once on either side, its rule has changed, however much."""
    old = rule(sentence="An order is kept", scenarios=[scenario("In order")])
    new = rule(sentence="Whoever asks twice pays", scenarios=[scenario("Asked twice")])
    assert notes_of(between(small, feature(old), feature(new)))[0][0] == "sentence"


def test_a_rule_without_an_id_is_known_by_its_sentence(small):
    """Early revisions may hold rules without ids; they are compared too."""
    found = between(small, feature(rule("", "What fits")), feature(rule("", "What fits", source="another.")))
    assert notes_of(found) == [("source", ("a document.",), ("another.",))]
    assert found.changed[0].rule.label == "store/limits"


IDS = st.sampled_from(["LIM_01", "LIM_02", "LIM_03"])
RULES = st.builds(
    lambda ids, sentence, prose: Rule(1, sentence, tuple(sorted(ids)), f"Source: {prose}", ()),
    st.sets(IDS, max_size=2),
    st.sampled_from(["A shelf holds", "A shelf holds more", "Nobody knows", "It rains"]),
    st.sampled_from(["one", "two"]),
)
FEATURES = st.lists(RULES, max_size=5).map(
    lambda rules: [
        Feature(
            Path("features/store/a.feature"),
            1,
            "A",
            "",
            (),
            (),
            tuple(replace(r, line=n) for n, r in enumerate(rules)),
            (),
        )
    ]
)


@given(FEATURES, FEATURES)
def test_every_rule_is_accounted_for_once(old, new):
    """Whatever the two versions hold: what was, less what is gone, and what is new come to what is."""
    found = difference(old, new)
    assert len(rules_of(old)) - len(found.removed) + len(found.added) == len(rules_of(new))
    assert len(found.changed) <= len(rules_of(new)) - len(found.added)
    back = difference(new, old)
    assert len(back.added) == len(found.removed)


@given(FEATURES)
def test_a_version_does_not_differ_from_itself(version):
    """No rule of it was added, changed or removed."""
    found = difference(version, version)
    assert (found.added, found.changed, found.removed) == ((), (), ())


# The history


def test_the_versions_in_the_order_of_the_history(small):
    """Tags of versions that led here, the oldest first, by commits and not by dates; those of one commit by number."""
    small.commit(TWO, tag="v0.9")
    small.day = 1
    small.commit(tag="v0.10")
    small.git("tag", "v0.10.1rc1")
    small.git("tag", "-a", "-m", "A version", "small-0.10.2")
    small.git("tag", "nightly")
    small.git("tag", "2026")
    small.git("checkout", "-q", "-b", "aside")
    small.commit(tag="v0.11")
    small.git("checkout", "-q", "main")
    small.commit(tag="v0.8-late")
    assert History(small.root).versions() == ("v0.9", "small-0.10.2", "v0.10", "v0.10.1rc1", "v0.8-late")


def test_a_tag_goes_before_a_branch_of_its_name(small):
    """Where a tag and a branch share a name, the version is the tag."""
    first = small.commit(TWO, tag="v1.0")
    small.git("branch", "v1.0")
    small.git("checkout", "-q", "heads/v1.0")
    small.commit(feature(rule()))
    assert History(small.root).commit("v1.0") == first


def test_a_revision_without_features_has_no_rules(small):
    """A revision from before the rulebook is one without rules, not an error."""
    small.commit(tag="v0.0.1")
    assert History(small.root).features("v0.0.1") == ()


def test_only_feature_files_are_read(small):
    """Links, and files of other kinds, are passed over; names and contents may be of any script."""
    small.commit(feature(rule(sentence="Größe zählt")).replace("\n", "\r\n"), path="features/lager/größe.feature")
    (small.root / "features" / "link.feature").symlink_to("lager/größe.feature")
    small.commit("def step(): ...\n", path="features/conftest.py", tag="v1.0")
    (read,) = History(small.root).features("v1.0")
    assert read.path == Path("features/lager/größe.feature")
    assert read.rules[0].sentence == "Größe zählt"


def test_the_tree_reads_as_its_commit(small):
    """What is on disk and what was committed are the same features."""
    commit = small.commit(TWO)
    assert features_on_disk(small.root) == History(small.root).features(commit)


def test_the_surroundings_do_not_matter(small, tmp_path, monkeypatch):
    """Another repository, named in the environment or lying around the project, is not asked."""
    small.commit(TWO, tag="v1.0")
    project(tmp_path).commit(TWO, path="around.feature", tag="v9.9")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path))
    unpacked = project(tmp_path / "unpacked", repository=False)
    assert History(unpacked.root).absent() == "this copy of the project comes without its history"
    assert History(small.root).versions() == ("v1.0",)


@pytest.mark.parametrize("revision", ["v9.9", "", "--all", "HEAD~50", "HEAD:features", "HEAD^{tree}", "two words"])
def test_an_unknown_revision_is_refused(small, revision):
    """What is no commit is named, with the versions that there are."""
    small.commit(TWO, tag="v0.1.0")
    with pytest.raises(
        UnreadableHistory, match=re.escape(f"no revision {revision!r}; versions that were tagged: v0.1.0")
    ):
        History(small.root).features(revision)


@pytest.mark.parametrize(
    ("broken", "line"),
    [("Feature: Limits\n\n  Scenario: One\n    And so on\n    What\n", 5), ("", 1), (b"Feature: \xff\n", 1)],
    ids=["not a feature's form", "empty", "not UTF-8"],
)
def test_a_feature_that_did_not_parse_then(small, broken, line):
    """The revision, the file and the line are named."""
    small.commit(broken, tag="v0.1.0")
    with pytest.raises(
        UnreadableHistory, match=rf"^revision v0\.1\.0: features/store/limits\.feature:{line}: it does not"
    ):
        History(small.root).features("v0.1.0")


def test_a_feature_that_does_not_parse_now(small):
    """In the tree as it is, the file and the line are named."""
    small.write("nonsense\n")
    with pytest.raises(UnreadableHistory, match=r"^features/store/limits\.feature:1: it does not parse"):
        features_on_disk(small.root)


def test_without_git_there_is_no_history(small, monkeypatch, tmp_path):
    """Where the program is not there, that is said, and a revision cannot be read."""
    small.commit(TWO, tag="v0.1.0")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert History(small.root).absent() == "the program git is not there"
    with pytest.raises(
        UnreadableHistory, match=r"^the program git is not there, so revision 'v0\.1\.0' cannot be read$"
    ):
        History(small.root).features("v0.1.0")


def test_a_repository_that_git_does_not_read(small):
    """What git says against a repository is handed on."""
    small.commit(TWO)
    small.write("[core\n", ".git/config")
    with pytest.raises(UnreadableHistory, match="bad config line 1"):
        History(small.root).absent()


# The command


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


def test_the_command_says_what_it_cannot_read(small, changes):
    """An error is a line on standard error, and exit code 1."""
    small.commit(TWO, tag="v0.1.0")
    assert changes("v0.2.0") == (1, "", "there is no revision 'v0.2.0'; versions that were tagged: v0.1.0\n")


def test_the_command_runs_as_the_page_says():
    """What the page tells to type works from the root of the project."""
    page = (ROOT / "docs" / "changes.md").read_text(encoding="utf-8")
    assert "    PYTHONPATH=docs .venv/bin/python -m living.changes OLD NEW\n" in page
    command = [sys.executable, "-m", "living.changes", "--help"]
    told = subprocess.run(
        command, cwd=ROOT, env=os.environ | {"PYTHONPATH": "docs"}, capture_output=True, text=True, check=True
    )
    assert "What changed in the rulebook." in told.stdout


# The page


def said_of(root, **options):
    """What the directive says of a project, in words."""
    parts = sections("changes", Rulebook.read(root), **options)
    return " ".join(node.astext() for node in parts).split("\n")


def test_before_the_first_version_every_rule_is_new(small):
    """With a history and no tag, a sentence says so."""
    small.commit(TWO)
    (said,) = said_of(small.root)
    assert said.startswith("Nothing stands here yet, because brim has no tagged version so far; from the first one on,")


def test_a_copy_without_its_history_says_so(tmp_path):
    """An unpacked archive cannot compare, and that is no error."""
    unpacked = project(tmp_path, repository=False)
    unpacked.write(TWO)
    (said,) = said_of(unpacked.root)
    assert said.startswith("This copy of the project comes without its history, so its rules cannot be compared")


def test_a_shallow_clone_says_so(small, tmp_path):
    """A clone of the newest commit alone does not say that there is no version: it does not know."""
    small.commit(TWO, tag="v0.1.0")
    small.commit(TWO)
    clone = tmp_path / "clone"
    small.git("clone", "-q", "--depth", "1", f"file://{small.root}", str(clone))
    (said,) = said_of(clone)
    assert said.startswith("This copy of the project holds its newest commits alone (a shallow clone), so its rules")
    with pytest.raises(UnreadableHistory, match="git fetch --unshallow --tags gets the rest"):
        History(clone).features("v0.1.0")


def test_a_partial_clone_says_so(small, tmp_path):
    """A clone that left the files of older commits behind is no fault of who builds the site."""
    small.commit(feature(rule()), tag="v0.1.0")
    small.commit(TWO)
    small.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "clone"
    small.git("clone", "-q", "--filter=blob:none", f"file://{small.root}", str(clone))
    (said,) = said_of(clone)
    assert said.startswith("This copy of the project lacks what its older files say (a partial clone), so its rules")
    with pytest.raises(UnreadableHistory, match="git fetch --refetch --no-filter gets the rest"):
        History(clone).features("v0.1.0")


def test_a_copy_of_another_user_says_so(small, monkeypatch):
    """What git does not read for its owner is told in words."""
    small.commit(TWO, tag="v0.1.0")
    refused = b"fatal: detected dubious ownership in repository at '/srv/brim'"
    monkeypatch.setattr(History, "_run", lambda *_, **__: subprocess.CompletedProcess([], 128, b"", refused))
    (said,) = said_of(small.root)
    assert said.startswith("This copy of the project belongs to another user, and git does not read it for that")


def test_a_shallow_clone_of_a_version_compares_with_it(small, tmp_path):
    """What is there is compared; that it is the first version is not said where that is not known."""
    small.commit(feature(rule()), tag="v0.1.0")
    small.commit(TWO, tag="v0.2.0")
    clone = tmp_path / "clone"
    small.git("clone", "-q", "--depth", "1", f"file://{small.root}", str(clone))
    said = said_of(clone)
    assert "No rule was added, changed or removed. v0.2.0" in said
    assert "The oldest version shown here, with 2 rules." in said


def test_the_page_can_begin_with_a_later_version(small):
    """The option names the oldest version to read, and none before it is."""
    small.commit("nonsense\n", tag="v0.1.0")
    small.commit(TWO, tag="v0.2.0")
    assert "The oldest version shown here, with 2 rules." in said_of(small.root, since="v0.2.0")
    with pytest.raises(UnreadableHistory, match=r"there is no version 'v0\.3\.0'; there are: v0\.1\.0, v0\.2\.0"):
        said_of(small.root, since="v0.3.0")


def test_the_page_knows_no_commit_and_no_day(tmp_path):
    """Two histories with the same tags and features, of other days, make the same page to the byte."""
    made = []
    for day in (1, 20):
        repository = project(tmp_path / f"of-day-{day}")
        repository.day = day
        repository.commit(feature(rule()), tag="v0.1.0")
        repository.commit(TWO)
        page = [node.pformat() for node in sections("changes", Rulebook.read(repository.root))]
        made.append((repository.git("rev-parse", "HEAD"), page))
    (first, one), (second, other) = made
    assert first != second
    assert one == other


@pytest.fixture
def build(small, tmp_path):
    """Builds a site with the directive in it: the page, or nothing, and what was said."""
    source, site = tmp_path / "pages", tmp_path / "site"
    source.mkdir()
    (source / "index.md").write_text("# What changed\n\n```{changes}\n```\n", encoding="utf-8")
    sphinx = [sys.executable, "-m", "sphinx", "-W", "-q", "-c", str(ROOT / "docs"), "-D", f"living_root={small.root}"]

    def run():
        told = subprocess.run([*sphinx, str(source), str(site)], capture_output=True, text=True, check=False)
        return (site / "index.html").read_text(encoding="utf-8") if told.returncode == 0 else "", told.stderr

    return run


@pytest.mark.nightly
def test_the_page_goes_from_version_to_version(small, build):
    """The newest step first; a rule that stands is a link to its place. A tag alone makes the page anew."""
    small.commit(feature(rule()), tag="v0.1.0")
    small.commit(TWO)
    html, told = build()
    assert not told
    assert re.findall(r"<h2>([^<]*)", html) == ["Since v0.1.0", "v0.1.0"]
    small.git("tag", "v0.2.0")
    small.write(feature(rule("LIM_02", "Nothing is kept twice", source="another document.")))
    html, told = build()
    assert not told
    assert re.findall(r"<h2>([^<]*)", html) == ["Since v0.2.0", "From v0.1.0 to v0.2.0", "v0.1.0"]
    said = words(html)
    assert "1 rule changed, 1 rule removed." in said
    assert "source was a document. now another document." in said
    assert "Removed LIM_01 What fits is kept" in said
    assert "1 rule added." in said
    assert "The first version, with 1 rule." in said
    assert html.count('href="rulebook/store/limits.html#rule-lim_02"') == 2


@pytest.mark.nightly
def test_a_version_that_cannot_be_read_stops_the_build(small, build):
    """The page and its line, the version, the file and its line are named, and what would cure it."""
    small.commit("nonsense\n", tag="v0.1.0")
    small.commit(TWO)
    _, told = build()
    assert re.search(r"index\.md:3: .*revision v0\.1\.0: features/store/limits\.feature:1: it does not parse", told)
    assert "the option since" in told


def words(html):
    """The words of the article, without its marks."""
    article = html[html.index("<article") : html.index("</article>")]
    return " ".join(re.sub(r"<[^>]*>", " ", article).split())
