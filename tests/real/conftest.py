"""The transcripts in the folder that BRIM_TRANSCRIPTS names; without it these tests are left out."""

from functools import cache
from pathlib import Path

import pytest

from brim.transcripts import read_transcript
from steps.prerequisites import sized, transcripts

FOLDER = transcripts() or Path("transcripts")


LONG = ("two-auto", "two-microcompact", "2.1.217-manual", "1.0.120-long", "pi-mono")
"""Parts of the names of the longest ones."""


def sampled(path):
    """Whether tests of many compactions take a transcript: the long ones in the nightly run alone."""
    return sized(not any(one in path.as_posix() for one in LONG), nightly=True)


@cache
def read(path):
    """Read a transcript once for all tests."""
    return read_transcript(path)


@pytest.fixture
def real():
    """Reads one of the transcripts by its place in the folder."""
    return lambda name: read(FOLDER / name)
