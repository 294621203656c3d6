"""Small valid transcripts of every format, changed at random: read, or refused by an error of brim, and never slow."""

import copy
import json
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from brim.errors import BrimError
from brim.models import ModelLimits
from brim.transcripts import read_transcript, view, view_before
from brim.transcripts.inspection import inspect_transcript
from brim.transcripts.window import window_of
from steps.prerequisites import sized
from tests.transcripts.samples import SAMPLES

INPUTS = sized(300, nightly=20_000)
"""Changed files of all formats together; each has a seed of its own, and is the same in every run."""
SECONDS = 2
"""Processor time that one small file may take."""
LIMITS = ModelLimits(context_window=200_000, max_output_tokens=8_000)
JUNK: list[Any] = [
    None, True, False, 0, -1, 1.5, 10**30, 1e308, "", "x", "\ud800", "c1", "u1", "m1", "a", "go", "\0", "..", "9" * 400,
    [], [[]], {}, {"type": []}, {"x": {}}, [None], [{}], {"type": "text"}, {"type": "text", "text": None}, [1] * 50,
]  # fmt: skip


def boxes(value: Any) -> Iterator[Any]:
    """Every object and every list in a value that holds something, itself first."""
    if isinstance(value, dict | list) and value:
        yield value
        for item in list(value.values()) if isinstance(value, dict) else list(value):
            yield from boxes(item)


def change(sample: Any, chance: random.Random) -> None:
    """Change one place: another value, one from elsewhere, none, twice, another order or name, or many levels deep."""
    held = list(boxes(sample))
    if not held:
        return
    box, other = chance.choice(held), chance.choice(held)
    key = chance.choice(list(box) if isinstance(box, dict) else range(len(box)))
    match chance.randrange(8):
        case 0 | 1:
            box[key] = copy.deepcopy(chance.choice(JUNK))
        case 2:
            box[key] = copy.deepcopy(chance.choice(list(other.values() if isinstance(other, dict) else other)))
        case 3:
            del box[key]
        case 4 if isinstance(box, list):
            box.insert(chance.randrange(len(box) + 1), copy.deepcopy(box[key]))
        case 5 if isinstance(box, list):
            chance.shuffle(box)
        case 6 if isinstance(box, dict) and isinstance(other, dict):
            name = chance.choice(list(other))
            box[name] = box.pop(key)
        case _:
            for _ in range(chance.choice([1, 3, 150, 250])):
                box[key] = [box[key]] if chance.random() < 0.5 else {"content": box[key]}


def written(sample: Any, chance: random.Random) -> bytes:
    """A file of a changed sample, now and then with damaged bytes and lines too."""
    indent = chance.choice([None, None, 1])
    rows = sample if isinstance(sample, list) else [sample]
    lines = [sample] if isinstance(sample, str) else [json.dumps(row, indent=indent) for row in rows]
    raw = "\n".join(lines).encode(errors="surrogatepass")
    if chance.random() < 0.2:
        cut = chance.sample(range(len(raw) + 1), 2)
        piece = chance.choice([b"", b"\xff", b"\0", b"\n", b"}{", b"NaN", b"[" * 300, raw[min(cut) : max(cut)]])
        raw = raw[: min(cut)] + piece + raw[max(cut) if chance.random() < 0.3 else min(cut) :]
    return raw


def changed(name: str, number: int) -> bytes:
    """The file of a format that belongs to a number."""
    chance = random.Random(f"{name} {number}")  # noqa: S311
    sample = SAMPLES[name]
    values = sample.split("\n") if isinstance(sample, str) else copy.deepcopy(sample)
    try:
        for _ in range(chance.randint(1, 6)):
            change(values, chance)
        return written("\n".join(map(str, values)) if isinstance(sample, str) else values, chance)
    except RecursionError:  # it grew too deep to be written
        return b'{"messages":' + b"[" * chance.randint(1, 10_000)


def use(path: Path) -> None:
    """All that is made of a transcript when it is read. Raises BrimError."""
    transcript = read_transcript(path)
    assert len(transcript.messages) == len(transcript.lines) == len(transcript.times)
    for response in transcript.responses:
        view(transcript, response.index)
    for number in range(len(transcript.compactions)):
        view_before(transcript, number)
    inspect_transcript(transcript, LIMITS)
    window_of(transcript, LIMITS).messages  # noqa: B018


@pytest.mark.parametrize("name", SAMPLES)
def test_whatever_a_file_holds(tmp_path: Path, name: str) -> None:
    """A changed file is read, viewed and inspected, or refused by an error of brim, within its time."""
    path = tmp_path / "changed"
    for number in range(-(-INPUTS // len(SAMPLES))):
        path.write_bytes(changed(name, number))
        begun = time.process_time()
        try:
            use(path)
        except BrimError as error:
            assert "\n" not in str(error).strip(), (name, number)
        except Exception as error:
            raise AssertionError(f"{name} {number}: {path.read_bytes()!r}") from error
        assert time.process_time() - begun < SECONDS, (name, number)
