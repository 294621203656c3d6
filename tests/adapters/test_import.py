"""What importing brim loads."""

import subprocess
import sys


def test_neither_library_is_loaded_by_brim():
    """Importing brim, or the room of the adapters, loads none of the libraries that they are for."""
    loaded = "import brim, brim.adapters, sys; print([m for m in ('langchain', 'pydantic_ai') if m in sys.modules])"
    ran = subprocess.run([sys.executable, "-c", loaded], capture_output=True, text=True, check=True, timeout=60)
    assert ran.stdout.strip() == "[]"
