"""The fit against a plain search of every cut."""

from __future__ import annotations

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from brim.selection.fit import fit_turns


@st.composite
def conversations(draw):
    """Messages with sizes, some of which begin turns, anchors among the turns, and legal cuts, both ends included."""
    sizes = draw(st.lists(st.integers(0, 9), min_size=1, max_size=30))
    end = len(sizes)
    starts = sorted(draw(st.sets(st.integers(0, end - 1), max_size=8)))
    cuts = sorted({0, end, *draw(st.sets(st.integers(0, end)))})
    anchors = sorted(draw(st.sets(st.integers(0, len(starts) - 1)))) if starts else []
    first = draw(st.integers(0, starts[0] if starts else end))
    totals = list(accumulate(sizes, initial=0))
    return {"starts": starts, "totals": totals, "cuts": cuts, "anchors": anchors, "first": first}


def kept(given, cut):
    """Tokens kept by a cut, told message by message."""
    totals, starts = given["totals"], given["starts"]
    stays = set(range(cut, len(totals) - 1)) | set(starts[-1:])
    return sum(totals[one + 1] - totals[one] for one in stays)


@given(given=conversations(), target=st.integers(0, 120), recent=st.integers(0, 4))
def test_fit(given, target, recent):
    """A cut is legal or the range's own beginning, keeps what it says, and keeps all it can within the target."""
    fit = fit_turns(**given, target=target, recent=recent)
    end = len(given["totals"]) - 1
    assert fit.cut in {*given["cuts"], given["first"], end}
    assert given["first"] <= fit.cut <= end
    assert fit.kept_tokens == kept(given, fit.cut)
    assert fit.over_target is (fit.kept_tokens > target)
    legal = [cut for cut in given["cuts"] if cut >= given["first"]]
    fitting = [cut for cut in legal if kept(given, cut) <= target]
    if fit.reason in {"cut inside the recent turns", "last user message"}:
        assert fit.cut == min(fitting, default=end)
        assert (fit.reason == "last user message") is (fit.cut == end)
    else:
        assert fit.kept_tokens <= target


@given(given=conversations(), target=st.integers(0, 120))
def test_last_user(given, target):
    """The user's last message is kept: from the cut on, or told as standing before it."""
    fit = fit_turns(**given, target=target)
    if given["starts"]:
        assert fit.cut <= given["starts"][-1] or fit.last_user == given["starts"][-1]
    else:
        assert fit.last_user is None


@given(given=conversations(), target=st.integers(0, 120))
def test_anchor_first(given, target):
    """Where the newest anchor older than the recent turns fits, the conversation is kept from it."""
    fit = fit_turns(**given, target=target)
    older = [one for one in given["anchors"] if one < len(given["starts"]) - 3]
    if older:
        wish = given["starts"][older[-1]] if older[-1] else given["first"]
        cut = max([given["first"], *(one for one in given["cuts"] if one <= wish)])
        assert (fit.reason == "anchor") is (kept(given, cut) <= target)
        assert fit.anchor == (older[-1] if fit.reason == "anchor" else None)
    else:
        assert fit.reason != "anchor"


def test_work():
    """A million messages are fitted by looking at a few dozen of them."""

    class Counting(list):
        looks = 0

        def __getitem__(self, place):
            Counting.looks += 1
            return super().__getitem__(place)

    count = 1_000_000
    totals, starts = Counting(range(0, 10 * count + 1, 10)), range(0, count, 10)
    fit = fit_turns(starts, totals, range(count + 1), target=95, anchors=range(0, count // 10, 7))
    assert (fit.cut, fit.last_user) == (count - 9, count - 10) or fit.kept_tokens <= 95
    assert Counting.looks < 300
