import pytest

from brim.trigger.profiles import PROFILES


def test_the_table(brim):
    """Every profile has its threshold for a window of 200,000 tokens, and what it is."""
    found = brim("profiles", "--window", 200_000, "--max-output", 8_192, "--json").json
    assert list(found["profiles"]) == list(PROFILES)
    assert (found["usable_context"], found["summarization_budget"]) == (191_808, 150_000)
    assert found["profiles"]["usable"]["due"] == "held > 191808"
    assert all(row["description"] for row in found["profiles"].values())


def test_a_known_model(brim):
    """A model that brim knows needs no limits."""
    found = brim("profiles", "--model", "gpt-4-turbo", "--json").json
    assert (found["context_window"], found["max_output_tokens"]) == (128_000, 4_096)


@pytest.mark.parametrize(("default", "window"), [("gpt-4-turbo", 128_000), ("a-model-of-mine", 200_000)])
def test_the_default_model(brim, tmp_path, monkeypatch, default, window):
    """Where nothing is named the table is of the default model; of the example where its window is unknown."""
    (tmp_path / "brim").mkdir()
    (tmp_path / "brim" / "brim.toml").write_text(f"[preferences]\ndefault_model = '{default}'\n", encoding="utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert brim("profiles", "--json").json["context_window"] == window
    assert brim("profiles", "--window", 50_000, "--json").json["context_window"] == 50_000


def test_a_model_with_an_input_limit(brim):
    """Its usable context is no larger than what its provider takes."""
    page = brim("profiles", "--model", "gpt-5").out
    assert "usable      272,000\n" in page
    assert "above the input limit of 272,000 tokens: the provider refuses the request" in page


@pytest.mark.parametrize(("window", "kept"), [(200_000, 15_000), (33_000, 6_400)])
def test_what_a_compaction_keeps(brim, window, kept):
    """The target: 20% of the usable context, at most 15,000 tokens (SEL_04)."""
    asked = ("profiles", "--window", window, "--max-output", 1_000)
    assert f"kept        {kept:,} word for word, at most\n" in brim(*asked).out
    assert brim(*asked, "--json").json["keep_tokens"] == kept


def test_what_a_compaction_keeps_by_the_users_settings(brim, tmp_path, monkeypatch):
    """The target is that of the user's own share and maximum."""
    (tmp_path / "brim").mkdir()
    (tmp_path / "brim" / "brim.toml").write_text("[compaction]\nkeep_tokens = 9000\n", encoding="utf-8")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    asked = ("profiles", "--window", 200_000, "--max-output", 1_000)
    assert "kept        9,000 word for word, at most\n" in brim(*asked).out
    assert brim(*asked, "--json").json["keep_tokens"] == 9_000


def test_a_profile_that_does_not_fit(brim):
    """It has no threshold, and the note says why."""
    row = brim("profiles", "--window", 33_000, "--max-output", 1_000, "--json").json["profiles"]["claude-code-2.1"]
    assert (row["threshold"], row["due"]) == (None, None)
    assert row["note"].startswith("refused: ")


def test_without_limits_an_example_is_shown(brim):
    """Where nothing is told, a common size stands for an example, and that is said."""
    page = brim("profiles").out
    assert page.startswith("An example; set --model, or --window and --max-output")
    assert "window      200,000\n" in page
    assert "usable                >       168,000   84%  " in page


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 120])
def test_the_page_fits_the_terminal(brim, monkeypatch, columns):
    """No line is wider than the terminal, and none ends in blanks for nothing."""
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = brim("profiles", "--window", 40_000).out.split("\n")
    assert max(map(len, lines)) <= columns


def test_an_unknown_model_is_not_guessed(brim):
    """A model whose window nobody stated is refused, with the cure."""
    answer = brim("profiles", "--model", "own-model")
    assert (answer.code, answer.out) == (1, "")
    assert answer.error == (
        "brim: the context window of own-model is unknown; set --window, and --max-output for its longest answer\n"
    )
