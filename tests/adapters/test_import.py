"""What importing brim loads."""

import subprocess
import sys

import pytest

from brim.errors import installing


def test_neither_library_is_loaded_by_brim():
    """Importing brim, or the room of the adapters, loads none of the libraries that they are for."""
    loaded = "import brim, brim.adapters, sys; print([m for m in ('langchain', 'pydantic_ai') if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.strip() == "[]"


@pytest.mark.parametrize(("adapter", "library"), [("langchain", "langchain"), ("pydantic_ai", "pydantic_ai")])
def test_an_adapter_without_its_library_says_what_to_install(adapter, library):
    """In one line, as the error of an import."""
    told = f"import sys; sys.modules[{library!r}] = None; import brim.adapters.{adapter}"
    ran = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, check=False, timeout=60)
    last = ran.stderr.strip().splitlines()[-1]
    extra = adapter.replace("_", "-")
    assert last.startswith(f"ImportError: brim.adapters.{adapter} needs ")
    assert last.endswith(f"as by pip install '.[{extra}]' in a clone")


@pytest.mark.parametrize(
    ("prefix", "command"),
    [
        ("/home/me/.local/share/uv/tools/brim", "uv tool install '.[serve]' in a clone"),
        ("/home/me/.local/share/pipx/venvs/brim", "pipx install --force '.[serve]' in a clone"),
        ("/home/me/uv/.venv", "pip install '.[serve]' in a clone"),
    ],
)
def test_an_extra_is_installed_by_what_installed_brim(monkeypatch, prefix, command):
    """Elsewhere pip would install it into another environment."""
    monkeypatch.setattr(sys, "prefix", prefix)
    assert installing("serve") == command
