import inspect
import subprocess
import sys

import pytest

import brim.testing


def test_the_list_and_the_homes_name_the_same():
    """Every public name has a home, and nothing else has."""
    assert dir(brim.testing) == sorted(brim.testing.__all__) == sorted(brim.testing.HOMES)


@pytest.mark.parametrize("name", brim.testing.__all__)
def test_a_public_name_is_there_and_documented(name):
    """Each name loads from its home and says what it is."""
    assert inspect.getdoc(getattr(brim.testing, name))


def test_nothing_of_it_loads_the_sdk():
    """Whoever asks for no client needs no SDK."""
    code = "import sys; from brim.testing import *; print(sorted({'anthropic', 'httpx2'} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"
