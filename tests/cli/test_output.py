import io
from decimal import Decimal
from fractions import Fraction
from time import sleep

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from brim.cli import output
from brim.cli.inspecting import spans


@given(st.floats(0, 1), st.integers(0, 80))
def test_a_bar_fits_its_width(share, width):
    """A bar is never wider than asked for, and a share above 0 is seen."""
    drawn = output.bar(share, width)
    assert len(drawn) <= max(width, 1)
    assert bool(drawn.strip()) == (share > 0)


def test_bars():
    """A whole is full, a half is half, and too much is no longer than a whole."""
    assert [output.bar(share, 4) for share in (0, 0.5, 1, 7)] == ["", "██", "████", "████"]


@given(st.fractions(0, 1))
@example(Fraction(9_997, 10_000))
def test_what_is_less_than_a_whole_is_never_shown_as_one(share):
    """Only a whole is 100%, and the figure is within a tenth of the share."""
    shown = output.percent(share)
    assert (shown == "100%") == (share == 1)
    assert "100.0" not in shown
    assert abs(Fraction(shown.removesuffix("%")) - 100 * share) <= Fraction(1, 10)


@given(st.text())
def test_what_a_text_says_is_all_that_is_printed(text):
    """A text from outside is printed as it is, markup and all, but for what a terminal would obey."""
    shown = Text.from_markup(output.safe(text), emoji=False).plain
    assert shown == "".join(sign if sign.isprintable() or sign == "\n" else "·" for sign in text)


@pytest.mark.parametrize(("numbers", "told"), [([], ""), ([3], "3"), ([1, 2, 3, 5], "1–3, 5"), ([1, 3, 4], "1, 3–4")])
def test_spans(numbers, told):
    """Neighbours are drawn together."""
    assert spans(numbers) == told


def test_counts():
    """One thing is no two things; a missing count is a dash."""
    assert [output.several(count, "turn") for count in (0, 1, 1_000)] == ["0 turns", "1 turn", "1,000 turns"]
    assert [output.tokens(None), output.tokens(1_000)] == ["–", "1,000"]


def test_percentages():
    """One decimal, but for a whole."""
    assert [output.percent(share) for share in (Fraction(1), Fraction(2, 3), 0)] == ["100%", "66.7%", "0.0%"]


def test_exact_numbers_as_json():
    """Exact numbers become plain ones; what has no number is refused."""
    assert [output.rounded_number(Fraction(1, 3)), output.rounded_number(Decimal("0.95"))] == [0.3333, 0.95]
    with pytest.raises(TypeError):
        output.rounded_number(object())


def test_progress_is_for_terminals(monkeypatch):
    """What takes a while is told on a terminal, and nowhere else."""
    for is_terminal, told in ((True, True), (False, False)):
        screen = io.StringIO()
        watched = Console(file=screen, force_terminal=is_terminal, width=80)
        monkeypatch.setattr(output, "console", lambda *, stderr, watched=watched: watched)
        monkeypatch.setattr(output, "Timer", AtOnce)
        with output.working("reading [file]"):
            pass
        assert ("reading [file]" in screen.getvalue()) == told


def test_progress_says_how_far_an_act_has_come(monkeypatch):
    """What a count says while the line is drawn stands on it, braces and brackets too."""
    screen = io.StringIO()
    monkeypatch.setattr(output, "console", lambda *, stderr: Console(file=screen, force_terminal=True, width=80))
    monkeypatch.setattr(output, "PATIENCE", 0)
    with output.working("searching {a} [b]") as count:
        count.text = lambda: "12 lines indexed"
        while "12 lines indexed" not in screen.getvalue():
            sleep(0.01)
    assert "searching {a} [b]" in screen.getvalue()


class AtOnce:
    """A timer that does not wait."""

    ident = None

    def __init__(self, _seconds, act):
        self.act = act

    def start(self):
        """Act."""
        self.act()

    def cancel(self):
        """Too late."""
