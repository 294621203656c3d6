"""Any settings: brim's entries are put in and taken out, and what is not brim's keeps its value and its order."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.hooks.settings_file import entries, is_ours, with_entries, without_entries

ADDED = entries("/usr/bin/brim", ["context"])
TEXTS = st.text(max_size=6)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
HANDLERS = st.fixed_dictionaries(
    {"type": st.just("command"), "command": st.sampled_from(["tides", "brim hook", "é\\"])}
)
GROUPS = st.fixed_dictionaries({"hooks": st.lists(HANDLERS, min_size=1, max_size=2)}) | VALUES.filter(
    lambda value: not isinstance(value, dict)
)
HOOKS = st.dictionaries(
    st.sampled_from(["SessionStart", "UserPromptSubmit", "Stop"]), st.lists(GROUPS, min_size=1, max_size=2), min_size=1
)
SETTINGS = st.builds(
    lambda rest, hooks: {**rest, **({"hooks": hooks} if hooks else {})},
    st.dictionaries(TEXTS.filter(lambda name: name != "hooks"), VALUES, max_size=3),
    st.none() | HOOKS,
)


@given(SETTINGS, st.sampled_from([None, 1, 2, 4, "\t"]), st.booleans())
def test_uninstalling_gives_the_settings_back(settings, indent, escaped) -> None:
    """Whatever was there, and however it was set; the order of all names too."""
    text = json.dumps(settings, indent=indent, ensure_ascii=escaped)
    made = with_entries(text, ADDED)
    hooks = json.loads(made)["hooks"]
    assert all(hooks[event][-1] == entry for event, entry in ADDED.items())
    assert with_entries(made, ADDED) == made
    assert json.dumps(json.loads(without_entries(made))) == json.dumps(settings)


@given(SETTINGS, st.sampled_from(["", " ", "    ", "\t"]), st.sampled_from(["\n", "\r\n"]))
def test_what_is_not_brims_stays_as_it_is_written(settings, indent, newline) -> None:
    """Whatever else the file has, how it is spaced and how its lines end."""
    settings.pop("hooks", None)
    lines = [f"{indent}{json.dumps(name)} :{json.dumps(value)}" for name, value in settings.items()]
    text = newline.join(["{", f",{newline}".join(lines), "} "]) if lines else f"{{}}{newline}"
    made = with_entries(text, ADDED)
    assert all(line in made for line in lines)
    assert without_entries(made) == text


@pytest.mark.parametrize("other", ["null", '{ "hooks": [{"command":"tides"}] }', "[\n]"])
@pytest.mark.parametrize("ours", ["", '{"hooks": [{"command": "brim hook session-start"}]}'])
def test_elements_beside_brims_stay_as_they_are_written(ours, other) -> None:
    """Before and behind brim's, whatever they are."""
    groups = ", ".join(filter(None, (other, ours, "3")))
    made = with_entries(f'{{"hooks": {{"SessionStart": [{groups}]}}}}', ADDED)
    assert f'[{other}, 3, {{"matcher"' in made
    assert without_entries(made) == f'{{"hooks": {{"SessionStart": [{other}, 3]}}}}'


@pytest.mark.parametrize(
    ("command", "ours"),
    [
        ("brim hook session-start", True),
        ("'/my tools/brim' hook user-prompt-submit --job context --job other", True),
        ("/usr/bin/python3 -m brim hook session-start --job context", True),
        (r'"C:\tools\brim.exe" hook session-start', True),
        ("brim hook session-start --job", False),
        ("brim hook session-start --verbose 1", False),
        ("brim hook session-start | tee x", False),
        ("brim hook install", False),
        ("python3 -m brimful hook session-start", False),
        ("brim hook session-start 'unclosed", False),
        ("", False),
        (None, False),
    ],
)
def test_which_commands_are_brims(command, ours) -> None:
    """Those that run one of its hooks, and do nothing else."""
    assert is_ours({"type": "command", "command": command}) is ours
