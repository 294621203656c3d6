"""What hooks give back of real compactions: `python -m tests.hook_figures FOLDER` writes the table of the guide.

Each transcript of Claude Code and Codex is cut where the agent compacted: before the record of the compaction, as the
first hook of Claude Code meets it, and before the first response after it. The hook runs as a process on each. What the
compaction lost, and what of that is in the hook's answer, is counted by the oracle of tests/real, and the rest of the
facts by brim's fidelity. The page is docs/guides/hooks.md, its data docs/hooks.json.
"""

from __future__ import annotations

import hashlib
import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from brim.compaction.result import all_turns, fidelity_of
from brim.conversation.messages import SUMMARY, Message, user_text
from brim.hooks.lost_context import MAX_CHARS
from brim.summary.facts import collect_facts
from brim.transcripts import Transcript, read_transcript, view
from brim.transcripts.codex import NAME as CODEX
from tests.figures import ROOT, filled, rows_of
from tests.real import oracle

PAGE: Final = ROOT / "docs/guides/hooks.md"
DATA: Final = ROOT / "docs/hooks.json"
FORMATS: Final = ("claude-code", "codex")
WAYS: Final = ("start", "prompt")
"""The hook of the session's start, and that of the first prompt where the first hook's text did not arrive."""


def hooked(transcript: Path, event: str, name: str) -> tuple[str, float]:
    """The context that a hook adds, and the seconds of the processor that it took."""
    given = {"hook_event_name": name, "source": "compact", "prompt": "Go on.", "transcript_path": str(transcript)}
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "brim", "hook", event], input=json.dumps(given).encode(), capture_output=True, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = json.loads(done.stdout)["hookSpecificOutput"]["additionalContext"] if done.stdout else ""
    return answer, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def compactions(path: Path, folder: Path) -> Iterator[dict[str, Any]]:
    """The figures of each compaction of a session."""
    transcript = read_transcript(path)
    if transcript.format not in FORMATS:
        return
    lines = path.read_bytes().splitlines(keepends=True)
    words = oracle.spoken(path, transcript.format)
    whole = [made for made in transcript.compactions if made.opening is not None and made.after_message]
    for number, made in enumerate(whole):
        since = [one.line for one in transcript.responses if one.line > made.line]
        until = min(since) - 1 if since else len(lines)
        with tempfile.TemporaryDirectory() as place:
            before, after = Path(place) / "before.jsonl", Path(place) / "after.jsonl"
            before.write_bytes(b"".join(lines[: made.line - 1]))
            after.write_bytes(b"".join(lines[:until]))
            start = hooked(after if transcript.format == CODEX else before, "session-start", "SessionStart")
            # at a prompt the text is the same; so it is measured for versions, too, whose prompts are given none
            prompt = hooked(after, "session-start", "SessionStart")
            yield {
                "file": path.relative_to(folder).as_posix(),
                "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
                "format": transcript.format,
                "version": transcript.version,
                "compaction": number,
                **figures(read_transcript(after), words, dict(zip(WAYS, (start[0], prompt[0]), strict=True))),
                "seconds": {"start": start[1], "prompt": prompt[1]},
            }


def figures(session: Transcript, words: Sequence[str], added: Mapping[str, str]) -> dict[str, Any]:
    """What a session held, what its compaction lost, and what of that the added texts have."""
    held = [one for n, one in enumerate(session.messages) if n not in session.unsent and not one.marks.summary]
    seen = view(session).messages
    raws = [dict(message.raw) for message in held]
    asked = oracle.asked(words, raws)
    wanted, facts = oracle.wanted(raws), collect_facts(all_turns(held))
    context = oracle.context([dict(message.raw) for message in seen])

    def present(text: str, messages: Sequence[Message]) -> dict[str, int]:
        whole = f"{context} {oracle.one_line(text)}"
        summaries = oracle.context([dict(message.raw) for message in messages if message.marks.summary])
        return {
            "words": oracle.words_present(asked, whole),
            "facts": len(oracle.survivors(wanted, whole, summaries)),
            "listed": fidelity_of(facts, messages).facts.present,
        }

    return {
        "held": {
            "words": sum(map(oracle.characters, asked)),
            "facts": len(wanted),
            "listed": fidelity_of(facts, held).facts.total,
        },
        "left": present("", seen),
        **{
            way: {
                **present(text, [*seen, user_text(text, SUMMARY)]),
                "characters": len(text),
                "bytes": len(text.encode()),
            }
            for way, text in added.items()
        },
    }


def measured(folder: Path, takes: Callable[[Path], bool] = lambda _: True) -> list[dict[str, Any]]:
    """The figures of every compaction of the sessions in a folder."""
    places = sorted(path for kind in FORMATS for path in (folder / kind).rglob("*.jsonl"))
    return [row for path in filter(takes, places) for row in compactions(path, folder)]


def without_time(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The rows without the seconds, which are others each time."""
    return [{name: value for name, value in row.items() if name != "seconds"} for row in rows]


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """The page's table: a line for each agent."""
    head = (
        "agent", "the user's words: lost", "given back", "changed files, failing commands: lost", "given back",
        "all facts: lost", "given back",
    )  # fmt: skip
    agents = {name: [row for row in rows if row["format"] == name] for name in sorted({row["format"] for row in rows})}
    lines = [(f"{name}, {len(own)} compactions", *_cells(own)) for name, own in agents.items()]
    return rows_of(head, *lines)


def _cells(rows: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for kind in ("words", "facts", "listed"):
        held, left = (sum(row[what][kind] for row in rows) for what in ("held", "left"))
        lost = held - left
        yield f"{lost:,} of {held:,}"
        back = sum(row["start"][kind] for row in rows) - left
        yield f"{back:,} ({back / lost:.0%})" if lost else "–"


def page(text: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """The page with the table of these rows."""
    return filled(text, "what agents lost", table(rows))


def main(folder: str, *options: str) -> int:
    """Measure, show, and write the data and the page's table; `--show` writes nothing."""
    rows = measured(Path(folder).resolve())
    print(table(rows))
    for row in rows:
        sizes = ", ".join(f"{way} {row[way]['characters']:,} of {MAX_CHARS:,} characters" for way in WAYS)
        seconds = ", ".join(f"{one:.2f} s" for one in row["seconds"].values())
        print(f"{row['file']} {row['compaction']}: {sizes}; {seconds} of the processor")
    if "--show" not in options:
        DATA.write_text(json.dumps({"rows": without_time(rows)}, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), without_time(rows)), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
