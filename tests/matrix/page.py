"""Writes the tables of docs/matrix.md from docs/matrix.json: `python -m tests.matrix.page`."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from tests.figures import ROOT, filled, rows_of
from tests.matrix.environments import PEERS

DATA: Final = ROOT / "docs/matrix.json"
PAGE: Final = ROOT / "docs/matrix.md"
OURS: Final = {
    "brim": "**brim**",
    "brim__template": "brim, without a model",
    "brim__best": "brim, 40% of the window kept",
}
Found = Mapping[str, Any]


def title(name: str) -> str:
    """Return how a compactor is called on the page."""
    peer, _, best = name.partition("__")
    return OURS.get(name) or f"{PEERS[peer]['title']}{', best settings' * bool(best)}"


def reasons_of(name: str, check: str) -> list[Found]:
    """Return why a package fails a check, by the table of packages."""
    reasons = PEERS.get(name.removesuffix("__best"), {}).get("reasons", ())
    return [one for one in reasons if not {check, check.partition("[")[0]}.isdisjoint(one["checks"])]


def outcome(name: str, check: str, found: Found) -> str:
    """Return what a check came to: a failure that the package's client mends is one `elsewhere`."""
    what: str = found["checks"][check]["outcome"]
    retried = what == "failed" and any(one.get("retried") for one in reasons_of(name, check))
    return "elsewhere" if retried else what


def kit(name: str, found: Found) -> str:
    """Return passed, failed, passed by a retry of the package, and not offered."""
    counts = Counter(outcome(name, check, found) for check in found["checks"])
    return "/".join(str(counts[what]) for what in ("passed", "failed", "elsewhere", "skipped"))


def compactors(data: Found) -> Iterator[tuple[str, Found]]:
    """Yield the compactors of the page, brim first."""
    yield from ((name, one) for name, one in data["compactors"].items() if name != "brim__cold")


def matrix(data: Found) -> str:
    """Return the table of all; in its last two columns the model answers with the text of our template."""
    lines = [
        (
            "best settings" if name.endswith("__best") and name not in OURS else title(name),
            kit(name, one),
            *(f"{one[part]:.1f}" if name in OURS else beside(one, part) for part in ("all", "old")),
            f"{one['tokens']:,} ({one['share']:.0f}%)",
            f"{one['time']:g}" if one["time"] else "< 0.01",
            f"{one['calls']:g} · {one['asked']:,}" if one["calls"] else "none",
            *(beside(one["template"], part) if one["template"] else "" for part in ("all", "old")),
        )
        for name, one in compactors(data)
    ]
    head = (
        "compactor",
        "checks",
        "all · brim",
        "old · brim",
        "tokens left",
        "time",
        "calls · tokens read",
        "our text: all · brim",
        "old · brim",
    )
    return rows_of(head, *lines)


def beside(one: Found, part: str) -> str:
    """Return a figure, and that of brim at its size; the larger stands out."""
    theirs, ours = f"{one[part]:.1f}", f"{one[f'brim_{part}']:.1f}"
    return f"{theirs} · **{ours}**" if one[f"brim_{part}"] > one[part] else f"**{theirs}** · {ours}"


def behind(data: Found) -> str:
    """Return in what brim is not first, one line each."""
    peers = [(name, one) for name, one in compactors(data) if name not in OURS]
    ours = data["compactors"]["brim"]
    times = sorted((one["time"], title(name)) for name, one in peers if one["time"] < 1)
    found = []
    if times:
        cold = data["compactors"]["brim__cold"]
        found.append(
            f"**Time.** {len(times)} of {len(peers)} are faster: a compaction of brim takes "
            f"{ours['milliseconds']:.0f} ms, from a cold list without a model {cold['milliseconds']:.0f} ms; the "
            f"slowest of these takes {times[-1][0]:.0%} of that ({times[-1][1]}), LangChain "
            f"{data['compactors']['langchain']['time']:.0%}."
        )
    for part, called in (("all", "Of all that was needed"), ("old", "Of what is old")):
        better = [
            f"{title(name)} has {one[part]:.1f}% in {one['share']:.0f}% of the tokens, brim {one[f'brim_{part}']:.1f}%"
            for name, one in peers
            if one[part] > one[f"brim_{part}"]
        ]
        if better:
            found.append(f"**{called}**, at equal size: {'; '.join(better)}.")
        better = [
            f"{title(name)} {one['template'][part]:.1f}%, brim {one['template'][f'brim_{part}']:.1f}%"
            for name, one in peers
            if one["template"] and one["template"][part] > one["template"][f"brim_{part}"]
        ]
        if better:
            found.append(f"**{called}**, with brim's text as the summary: {'; '.join(better)}.")
    for name in OURS:
        failed = [check for check, one in data["compactors"][name]["checks"].items() if one["outcome"] == "failed"]
        if failed:
            what = "; ".join(f"`{one}`, {data['compactors'][name]['checks'][one]['message']}" for one in failed)
            found.append(f"**Checks.** {title(name)} fails {what}.")
    return "\n".join(f"- {one}" for one in found)


def failed(data: Found, peer: str) -> list[str]:
    """Return the checks that a package fails, with either settings."""
    names = [name for name in (peer, f"{peer}__best") if name in data["compactors"]]
    found = [(name, check) for name in names for check in data["compactors"][name]["checks"]]
    return [
        *dict.fromkeys(
            check for name, check in found if outcome(name, check, data["compactors"][name]) in ("failed", "elsewhere")
        )
    ]


def reasons(data: Found) -> str:
    """Return the failures by their reasons; a check has the first reason that names it."""
    found: dict[tuple[str, str], list[str]] = {}
    every = cases_of(data["compactors"]["brim"]["checks"])
    for peer, about in PEERS.items():
        first = {check: reasons_of(peer, check)[0]["why"] for check in failed(data, peer)}
        for one in about.get("reasons", ()):
            checks = [check for check, why in first.items() if why == one["why"]]
            if checks:
                found.setdefault((grouped(checks, every), one["why"]), []).append(about["title"])
    rows = (("; ".join(peers), checks, why) for (checks, why), peers in found.items())
    return rows_of(("compactor", "checks that fail", "why"), *rows)


def cases_of(checks: Iterable[str]) -> dict[str, list[str]]:
    """Return the cases of each check."""
    cases: dict[str, list[str]] = {}
    for check in checks:
        name, _, case = check.partition("[")
        cases.setdefault(name, []).append(case.removesuffix("]"))
    return cases


def grouped(checks: Iterable[str], every: Mapping[str, list[str]]) -> str:
    """Return checks, the cases of one together, and none if all of them are meant."""
    return "; ".join(
        name.replace("_", " ") + (f" ({', '.join(cases)})" if len(cases) < len(every[name]) else "")
        for name, cases in cases_of(checks).items()
    )


def settings(data: Found) -> str:
    """Return the version of each package, and what its best settings are."""
    versions = {name: one["version"] for name, one in data["compactors"].items()}
    return "\n".join(f"- {one['title']} {versions[name]}: {one['best']}." for name, one in PEERS.items())


def write_page(data: Found) -> None:
    """Fill the page."""
    text = PAGE.read_text(encoding="utf-8")
    version = data["compactors"]["brim"]["version"]
    where = f"{data['date']}: {data['cuts']} cuts of {data['sessions']} sessions, brim {version}."
    for name, made in {
        "where brim is not first": behind(data),
        "the matrix": f"{where}\n\n{matrix(data)}",
        "the settings": settings(data),
        "the reasons": reasons(data),
    }.items():
        text = filled(text, name, made)
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write_page(json.loads(DATA.read_text(encoding="utf-8")))
    sys.exit()
