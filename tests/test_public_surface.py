"""The public surface: a list that someone chose, documented, and cheap to import."""

import inspect
import subprocess
import sys

import pytest

import brim


def test_the_list_and_the_homes_name_the_same():
    """Every public name has a home, and nothing else has."""
    assert sorted(brim.__all__) == sorted(brim.HOMES)


@pytest.mark.parametrize("name", brim.__all__)
def test_a_public_name_is_there_and_documented(name):
    """Each name loads from its home and, where it is a class or a function, says what it is."""
    value = getattr(brim, name)
    assert not callable(value) or inspect.getdoc(value)


def test_an_unknown_name_says_which_there_are():
    """A slip of the keyboard is answered with the names there are."""
    with pytest.raises(AttributeError, match="ContextWindow"):
        _ = brim.ContextWindows


def test_importing_brim_loads_no_heavy_library():
    """Neither the SDK nor the libraries of the command come with the import."""
    code = "import brim, sys; print(sorted({'anthropic', 'typer', 'rich', 'pydantic'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
