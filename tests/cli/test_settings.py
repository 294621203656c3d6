"""Every setting that the command can read has an example of what it changes; what no file holds is read too."""

import shutil
import tempfile
from pathlib import Path

import pytest

from brim.compaction.policy import CompactionPolicy
from brim.errors import InvalidInput
from brim.settings import USER_ONLY, load_policy, project_of, read_count
from steps.rulebook import read_feature
from tests.cli.test_sessions import without_privileges

FEATURE = Path(__file__).parents[2] / "features" / "cli" / "settings.feature"


@pytest.fixture(autouse=True)
def nobodys_home(monkeypatch, tmp_path):
    """No settings but those of the test."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


def keys(figure):
    """The keys of all tables with such a column."""
    tables = [table for scenario in read_feature(FEATURE).scenarios for table in scenario.tables]
    rows = [dict(zip(table.columns, cells, strict=True)) for table in tables for _, cells in table.rows]
    return {row["key"] for row in rows if figure in row and "key" in row}


def test_every_field_has_a_row_for_files_and_the_environment():
    """The way out of a failure and what only agents use have scenarios of their own; no text is an object."""
    others = {"ahead", "on_failure", "max_conversations", "recall", "token_counter"}
    assert keys("set") | others == {*CompactionPolicy.model_fields}


def test_every_field_of_the_user_alone_has_a_row():
    """No text is an object."""
    assert keys("conversation") >= USER_ONLY - {"token_counter"}


def test_a_program_loads_the_settings_of_a_project(tmp_path):
    """Flags win over the file, what a project may not set is warned of, and the environment is not read."""
    (tmp_path / "brim.toml").write_text("[compaction]\nthreshold = '80%'\nkeep_share = 0.5\nfocus = 'me'\n", "utf-8")
    with pytest.warns(UserWarning, match="sets focus, which a project may not"):
        policy = load_policy(tmp_path, flags={"threshold": 9_000})
    assert (policy.threshold, float(policy.keep_share), policy.focus) == (9_000, 0.5, None)
    assert load_policy(tmp_path, trust_project=True).focus == "me"
    assert load_policy() == CompactionPolicy()


class Words:
    """A counter of tokens."""

    def count(self, text):
        """A token for each word."""
        return len(text.split())


def test_a_program_passes_texts_as_a_file_has_them():
    """Counts and shares; objects and numbers are taken as they are."""
    flags = {"threshold": "160k", "keep_share": "20%", "token_counter": Words(), "keep_tokens": 9_000}
    policy = load_policy(flags=flags)
    assert (policy.threshold, float(policy.keep_share), policy.keep_tokens) == (160_000, 0.2, 9_000)
    assert policy.text_length("one two") == 8
    with pytest.raises(InvalidInput, match="flags: threshold is 'half'; it is a whole number"):
        load_policy(flags={"threshold": "half"})


def test_the_page_names_the_default_for_a_model_s_summary(brim):
    """Which is another one than that of a program."""
    line = next(line for line in brim("settings").out.splitlines() if line.startswith("on_failure"))
    assert line.split() == ["on_failure", "template", "(raise", "with", "--summarizer", "anthropic,", "default)"]


def test_a_project_that_is_no_folder(tmp_path):
    """A slip in its name is not a project without settings."""
    with pytest.raises(InvalidInput, match=r"there is no folder .*nowhere; name the folder of a project"):
        load_policy(tmp_path / "nowhere")


def test_white_space_counts_in_texts_alone(tmp_path):
    """A prompt may have some around it, a number is read without; a file may begin with a byte order mark."""
    (tmp_path / "brim.toml").write_text("[compaction]\nkeep_tokens = ' 8k '\nprompt = 'Tell all. '\n", "utf-8-sig")
    policy = load_policy(tmp_path, trust_project=True)
    assert (policy.keep_tokens, policy.prompt) == (8_000, "Tell all. ")


@pytest.mark.parametrize("text", ["", "k", "1.5", "-1", "1e3", "1,000", "0x10", "9" * 40, "one", "1 000", "²"])
def test_what_is_no_count(text):
    """Only digits, underscores between them, and k or m."""
    with pytest.raises(InvalidInput, match="is not a whole number"):
        read_count(text)


@pytest.mark.parametrize(("text", "count"), [("0", 0), (" 200_000 ", 200_000), ("1.5M", 1_500_000), ("0.001k", 1)])
def test_counts(text, count):
    """In either case of letters, with decimals where they come to a whole."""
    assert read_count(text) == count


@pytest.mark.parametrize("data", [b"\xff\xfe", b"[" * 100_000, b"compaction = [", b"a.b.c = 1\na = 2"])
def test_a_file_that_is_no_toml(tmp_path, data):
    """The error names the file."""
    (tmp_path / "brim.toml").write_bytes(data)
    with pytest.raises(InvalidInput, match=r"brim\.toml cannot be read as TOML"):
        load_policy(tmp_path)


@pytest.mark.skipif(not Path("/proc/self/mem").exists(), reason="only Linux has a file that nobody can read")
def test_a_project_that_cannot_be_read(tmp_path):
    """The error names the file."""
    (tmp_path / "pyproject.toml").symlink_to("/proc/self/mem")
    with pytest.raises(InvalidInput, match=r"pyproject\.toml cannot be read as TOML"):
        load_policy(tmp_path)


@pytest.mark.parametrize("name", ["brim.toml", "pyproject.toml"])
def test_a_folder_without_permission(name):
    """Whoever may not look for settings gets an error that names them, instead of none being there."""
    folder = Path(tempfile.mkdtemp(prefix="brim-forbidden-"))
    (folder / name).write_text("brim", encoding="utf-8")
    (folder / name).chmod(0o000)
    folder.chmod(0o755 if name == "pyproject.toml" else 0o000)
    with (
        without_privileges(),
        pytest.raises(InvalidInput, match=rf"({name}|\.git) cannot be (looked into|read as TOML): .*Permission denied"),
    ):
        project_of(folder)
    folder.chmod(0o700)
    shutil.rmtree(folder)


def test_a_folder_of_the_name_is_no_file(tmp_path):
    """Nothing is read from it."""
    (tmp_path / "brim.toml").mkdir()
    (tmp_path / ".git").mkdir()
    assert project_of(tmp_path) is None
    assert load_policy(tmp_path) == CompactionPolicy()


def test_the_list_of_settings_has_short_lines(brim):
    """A long value is cropped in a pipe too, and whole where it is asked for by its name."""
    page = brim("settings").out
    assert max(map(len, page.splitlines())) <= 120
    assert "A long value whole: brim settings NAME" in page
    assert "user_shell_command" in brim("settings", "harness_tags").out
    assert "user_shell_command" not in page
