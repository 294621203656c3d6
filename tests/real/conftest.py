"""The transcripts in the folder that BRIM_TRANSCRIPTS names; without it these tests are left out."""

from functools import cache
from pathlib import Path

import pytest

from brim.transcripts import read_transcript
from steps.prerequisites import transcripts

FOLDER = transcripts() or Path("transcripts")


@cache
def read(path):
    """Read a transcript once for all tests."""
    return read_transcript(path)


@pytest.fixture
def real():
    """Reads one of the transcripts by its place in the folder."""
    return lambda name: read(FOLDER / name)
