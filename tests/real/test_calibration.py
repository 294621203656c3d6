"""The estimate of what was appended, cross-validated by file: a ratio learned from the others, against 4 characters.

`pytest tests/real/test_calibration.py -s` prints the figures.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from statistics import median

import pytest

from brim.replay.check import read_tokens
from brim.tokens.calibration import Calibrations
from brim.tokens.window import WindowAccount
from brim.transcripts.values import Transcript
from brim.transcripts.window import Walk, extras_of
from tests.real.conftest import FOLDER, read

pytestmark = pytest.mark.transcripts

SUFFIXES = {".json", ".jsonl", ".traj"}
FAMILIES = ("claude", "gpt", "gemini", "llama")


def family(model: str) -> str:
    """The maker's name for all its models."""
    return next((name for name in FAMILIES if name in model), model)


def walk_with(transcript: Transcript, account: WindowAccount) -> Walk:
    """A walk that keeps this account."""
    walk = Walk(transcript)
    account.append(extras_of(transcript))
    walk.account = account
    return walk


def errors(transcript: Transcript, account: WindowAccount, model: str) -> Iterator[int]:
    """How far what was held is from what the next response of the model read, where something was appended."""
    responses = transcript.responses
    for held in walk_with(transcript, account).held():
        if held.response is None or held.compaction is not None or held.response + 1 == len(responses):
            continue
        last, following = responses[held.response], responses[held.response + 1]
        between = {*transcript.begins, *(made.after_message for made in transcript.compactions)}
        if following.summary or any(last.message < place <= following.message for place in between):
            continue
        if last.model == following.model == model and 0 < read_tokens(last) < read_tokens(following):
            yield abs(held.tokens - read_tokens(following))


def cross_validated(transcripts: list[Transcript]) -> tuple[float, float, int]:
    """The median error with the ratio of the other files, with 4, and the number of responses."""
    learned: list[int] = []
    fixed: list[int] = []
    for transcript in transcripts:
        others = Calibrations()
        for other in transcripts:
            if other is not transcript:
                walk_with(other, WindowAccount(calibrations=others)).finish()
        for model in {one.model for one in transcript.responses if one.model}:
            ratio = others[model].characters_per_token
            if ratio != 4:
                learned += errors(transcript, WindowAccount(characters_per_token=ratio), model)
                fixed += errors(transcript, WindowAccount(characters_per_token=4), model)
    return median(learned), median(fixed), len(learned)


@pytest.mark.parametrize(
    ("name", "share"),
    [(lambda model: model, 0.5), (family, 0.52)],
    ids=["the same model", "any model of the maker"],
)
def test_the_learned_ratio_halves_the_error(name: Callable[[str], str], share: float) -> None:
    """A ratio belongs to a model (TOK_09). That of the maker's other models is nearly as good."""
    transcripts = []
    for path in sorted(FOLDER.rglob("*")):
        if path.suffix not in SUFFIXES:
            continue
        responses = tuple(replace(one, model=name(one.model or "")) for one in read(path).responses)
        transcripts.append(replace(read(path), responses=responses))
    learned, fixed, count = cross_validated(transcripts)
    print(f"median error {learned:.0f} with the learned ratio, {fixed:.0f} with 4: {learned / fixed:.3f} of {count:,}")
    assert learned <= share * fixed
