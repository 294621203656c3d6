"""Succession: what a summary hands on to the one that replaces it: summaries do not pile up, and no fact wears off.

Specified by features/summary/previous_summary.feature (SUM_09).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from brim.conversation.messages import SUMMARY_OPENING
from brim.summary.facts import FILES, HANDED_ON, WEIGHTIEST_FIRST, Fact, Kind, below_folder

TITLES: Final[Mapping[Kind, str]] = {
    "request": "Goals, as the user put them",
    "constraint": "Constraints the user stated",
    "decision": "Decisions the user marked",
    "failed_command": "Unresolved errors",
    "todo": "Open to-dos",
}
"""What stands above the facts of a kind; files have one title for all their kinds."""
FILES_TITLE: Final = "Active files"
HEADINGS: Final[Mapping[str, Kind]] = {f"{title}:": kind for kind, title in TITLES.items()}
FILES_HEADING: Final = re.compile(rf"{FILES_TITLE}(?: \(paths below ([^)]+)\))?:\Z")
ROWS: Final[Mapping[str, Kind]] = {kind.removesuffix("_file"): kind for kind in FILES}
BULLET: Final = "- "
MORE: Final = re.compile(r"… [\d,]+ more\Z")
MARKS: Final[Mapping[Kind, re.Pattern[str]]] = {
    "failed_command": re.compile(r" \((tests)\)\Z"),
    "todo": re.compile(r" \((#\w+)\)\Z"),
}
"""What may follow a text in brackets: what later events know the fact by."""
TICKS: Final = re.compile(r"`+")
FENCED: Final = re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)")
ROOTED: Final = re.compile(r"/|[A-Za-z]:[\\/]")
"""A path from the root, of either kind of system."""


def more(count: int) -> str:
    """How many facts are left out."""
    return f"… {count:,} more"


def fact_line(fact: Fact) -> str:
    """A fact that is no file, on one line without its bullet."""
    if fact.kind == "request":
        return f'"{fact.text}"'
    behind = f" ({fact.mark})" if fact.mark else ""
    if fact.detail:
        behind = f"{behind}: {fact.detail}"
    line = f"{fact.text}{behind}"
    return line if _read_line(fact.kind, line) == _parts(fact) else f"{_fenced(fact.text)}{behind}"


def path_name(path: str, folder: str) -> str:
    """A path as it stands in the list of a kind: below the folder where it is in it and can be read back so."""
    name = below_folder(path, folder)
    plain = name and not name.startswith("`") and ", " not in name and not MORE.match(name)
    return name if plain and _joined(name, folder) == path else _fenced(path)


def read_facts(text: str) -> Iterator[Fact]:
    """The facts that stand in a text under their titles, in the order of the text."""
    kind: Kind | None = None
    files: re.Match[str] | None = None
    for line in text.split("\n"):
        if not line.startswith(BULLET):
            kind, files = HEADINGS.get(line), FILES_HEADING.match(line)
        elif files:
            yield from _read_row(line.removeprefix(BULLET), files[1] or "")
        elif kind and (parts := _read_line(kind, line.removeprefix(BULLET))):
            yield Fact(kind, parts[0], HANDED_ON, parts[2], parts[1])


def _parts(fact: Fact) -> tuple[str, str, str]:
    return fact.text, fact.mark, fact.detail


def _read_line(kind: Kind, line: str) -> tuple[str, str, str] | None:
    """The text, the mark and the detail of a line; None where it tells of no fact."""
    if kind == "request":
        return (line[1:-1], "", "") if len(line) > len('""') and line[0] == line[-1] == '"' else None
    if MORE.match(line) or not line:
        return None
    fenced = FENCED.match(line)
    if fenced:
        head, mark, detail = _split(kind, line[fenced.end() :])
        if not head:
            return _unfenced(fenced), mark, detail
    return _split(kind, line)


def _split(kind: Kind, line: str) -> tuple[str, str, str]:
    head, _, detail = line.partition(": ") if kind == "failed_command" else (line, "", "")
    mark = MARKS[kind].search(head) if kind in MARKS else None
    return (head[: mark.start()], mark[1], detail) if mark else (head, "", detail)


def _read_row(row: str, folder: str) -> Iterator[Fact]:
    label, _, names = row.partition(": ")
    kind = ROWS.get(label)
    while kind and names:
        fenced = FENCED.match(names)
        if fenced and names[fenced.end() :][:2] in {"", ", "}:
            path, names = _unfenced(fenced), names[fenced.end() + 2 :]
        else:
            name, _, names = names.partition(", ")
            path = "" if MORE.match(name) else _joined(name, folder)
        if path:
            yield Fact(kind, path, HANDED_ON)


def _joined(name: str, folder: str) -> str:
    if not folder or ROOTED.match(name):
        return name
    return f"{folder}{'/' if '/' in folder else chr(92)}{name}"


def _fenced(text: str) -> str:
    ticks = "`" * (max(map(len, TICKS.findall(text)), default=0) + 1)
    inside = f" {text} " if "`" in (text[0], text[-1]) else text
    return f"{ticks}{inside}{ticks}"


def _unfenced(fenced: re.Match[str]) -> str:
    return fenced[2].strip(" ")


PRESERVED: Final = "Preserved facts:"
"""The line above the facts that are appended to a summary (SUM_14)."""
EARLIER: Final = "From the earlier summary:"
DONE: Final = "What was done:"
BUILD: Final = "Build status: "
INTENT: Final = "Last intent: "
NO_FILES: Final = f"{FILES_TITLE}: none"
OUTCOME: Final = re.compile(r"(?:[✓✗] |\[ANCHOR\] |… [\d,]+ earlier outcomes? left out\Z)")
"""How the lines begin that tell what became of a turn."""
LEFT_OUT: Final = re.compile(r"… ([\d,]+) earlier outcomes? left out\Z")
TIMES: Final = re.compile(r" \((\d+) times\)\Z")
QUOTED: Final = "> "
"""Stands before a line of a model's that reads like one of brim's own."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """What an earlier summary holds: its facts, and the rest of it in parts."""

    facts: tuple[Fact, ...] = ()
    prose: str = ""
    """What a model wrote of it."""
    lines: tuple[str, ...] = ()
    """Its outcome lines, in the order of time."""
    left_out: int = 0
    """How many outcomes it says are left out."""
    build: str = ""
    intent: str = ""
    """What it says of the build and of the last intent; empty where it says nothing."""


def facts_told(summary: str) -> tuple[Fact, ...]:
    """The facts that a summary of brim's holds in the form of brim's own, as they were written, weightiest kind first.

    They are of no turn, and older than every turn (`HANDED_ON`).
    """
    return read_earlier(summary).facts


def own_words(summary: str) -> str:
    """The words of a model, in which no line is taken for facts that brim wrote down (SUM_15).

    A line that reads like the heading of such facts is quoted. To be used on whatever a model or a tool wrote.
    """
    text = summary.strip()
    first, _, rest = text.partition("\n")
    if _opens_template(first):
        text = f"{QUOTED}{text}" if not rest else f"{QUOTED}{first}\n{rest}"
    return _without_heading(text)


def _without_heading(text: str) -> str:
    if PRESERVED not in text:
        return text
    lines = text.split("\n")
    return "\n".join(f"{QUOTED}{line}" if line.rstrip() == PRESERVED else line for line in lines)


def read_earlier(summary: str) -> Earlier:
    """Take a summary apart: what brim wrote into it by form, and what a model wrote."""
    text = summary.strip().removeprefix(SUMMARY_OPENING).strip()
    if not text:
        return Earlier()
    text, preserved = _parted(text)
    if not _opens_template(text.partition("\n")[0]):
        return Earlier(_sorted(preserved), prose=text)
    context, body = _context(text)
    prose, lines, left_out = _body(body)
    build = _said(context, BUILD)
    return Earlier(
        _sorted([*read_facts(context), *preserved]),
        prose,
        lines,
        left_out,
        "" if build == "unknown" else build,
        "" if (intent := _said(context, INTENT)) == "none stated" else intent,
    )


def _parted(text: str) -> tuple[str, Sequence[Fact]]:
    """The text before the preserved facts, and these."""
    before, heading, after = f"\n{text}".rpartition(f"\n{PRESERVED}\n")
    return (before.strip(), tuple(read_facts(after))) if heading else (text, ())


def _opens_template(line: str) -> bool:
    return line == NO_FILES or FILES_HEADING.match(line) is not None


def _context(text: str) -> tuple[str, str]:
    """The part of a template that tells facts, and what follows it; what may have been cut off is not told of."""
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.startswith(INTENT):
            return "\n".join(lines[: number + 1]), "\n".join(lines[number + 1 :])
    return "\n".join(lines[:-1]), ""


def _said(context: str, label: str) -> str:
    return next((line.removeprefix(label) for line in context.split("\n") if line.startswith(label)), "")


def _body(body: str) -> tuple[str, tuple[str, ...], int]:
    """The prose that came from before, the outcome lines of before and of then, and how many were left out."""
    before, _, done = f"\n{body}".partition(f"\n{DONE}\n")
    told = before.strip("\n").removeprefix(EARLIER).strip("\n").split("\n")
    begins = next((number for number, line in enumerate(told) if OUTCOME.match(line)), len(told))
    lines = [*told[begins:], *done.split("\n")]
    counts = [int(found[1].replace(",", "")) for line in lines if (found := LEFT_OUT.match(line))]
    kept = tuple(line for line in lines if line and not LEFT_OUT.match(line))
    return "\n".join(told[:begins]).strip(), kept, sum(counts)


def _sorted(facts: Sequence[Fact]) -> tuple[Fact, ...]:
    """Each fact once, weightiest kind first."""
    each = {(fact.kind, fact.text): fact for fact in facts}
    return tuple(sorted(each.values(), key=lambda fact: WEIGHTIEST_FIRST.index(fact.kind)))


def carried(earlier: Earlier, room: int) -> list[str]:
    """What is carried along of it beside its facts: the beginning of the prose, and the newest lines.

    Of a room of so many characters the prose takes half at most where there are lines too; what is left out is counted.
    """
    prose = earlier.prose
    share = room // 2 if earlier.lines else room
    if len(prose) > share:
        prose = f"{prose[:share].rstrip()} …".strip()
    lines: list[str] = []
    room -= len(prose)
    for line in reversed(earlier.lines):
        room -= len(line) + 1
        if room < 0:
            break
        lines.append(line)
    gone = earlier.left_out + sum(map(_outcomes, earlier.lines[: len(earlier.lines) - len(lines)]))
    return [*([prose] if prose else []), *left_out_note(gone), *reversed(lines)]


def left_out_note(count: int) -> tuple[str, ...]:
    """The line that tells how many outcomes are left out; none where none are."""
    return (f"… {count:,} earlier outcome{'s' if count > 1 else ''} left out",) if count else ()


def _outcomes(line: str) -> int:
    """How many outcomes a line tells; a further line of an answer in full tells none."""
    times = TIMES.search(line)
    return int(times[1]) if times else bool(OUTCOME.match(line))
