"""The transcripts in the folder that BRIM_TRANSCRIPTS names; without it the tests are left out, and say so."""

import os
from functools import cache
from pathlib import Path

import pytest

from brim.transcripts import read_transcript

FOLDER = Path(os.environ.get("BRIM_TRANSCRIPTS") or Path(__file__).parents[2] / "../shared/transcripts")


@cache
def read(path):
    """Read a transcript once for all tests."""
    return read_transcript(path)


@pytest.fixture
def real():
    """Reads one of the transcripts by its place in the folder."""
    if not FOLDER.is_dir():
        pytest.skip(f"there is no folder of transcripts at {FOLDER}; name one in BRIM_TRANSCRIPTS")

    def read_one(name):
        path = FOLDER / name
        if not path.exists():
            pytest.skip(f"{name} is not in {FOLDER}")
        return read(path)

    return read_one
