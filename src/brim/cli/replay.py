"""`brim replay` and its pages: what other policies would have done, and how well a profile predicts sessions."""

from __future__ import annotations

import asyncio
import json
import logging
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, Executor, Future, ProcessPoolExecutor, wait
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from glob import glob
from hashlib import file_digest, sha256
from itertools import islice, pairwise
from pathlib import Path
from typing import Any, Final, TextIO

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from brim.cli import complain, one_line
from brim.cli.limits import LARGEST, WrongUsage, check_flags, limits_for
from brim.cli.options import STDIN, is_stdout, title_of
from brim.cli.output import (
    console,
    percent,
    rounded_number,
    safe,
    say,
    sentence,
    several,
    speaks_utf8,
    tokens,
    working,
)
from brim.cli.reading import read_file
from brim.cli.writing import kept_sessions, require_place, write_page
from brim.compaction.policy import CompactionPolicy
from brim.errors import BrimError, InvalidInput, Refused, described, lacks_extra
from brim.replay import Candidate, candidates, check, replay
from brim.replay.charts import templates
from brim.replay.check import JUDGED
from brim.replay.comparison import UNKNOWN, Answer, recommend, totals
from brim.replay.page import RECORDED, failure, page, record_lacks, sub_agents
from brim.sessions.files import PRIVATE_FILE, write_whole
from brim.settings import policy_of_file

TRANSCRIPTS: Final = (".jsonl", ".json", ".traj", ".chat.history.md")
"""How the names of transcripts end, where a folder is named."""
AHEAD: Final = 2
"""Tasks that wait for each process, so that no list of results grows in memory."""
BEGINS: Final = b'{"file": '
"""How each line begins."""
ANOTHER: Final = "name a file that brim replay wrote, or a new one"
FEW: Final = 4
"""Transcripts for which starting a process takes longer than it saves, unless a number of processes is stated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked of each transcript."""

    names: tuple[str, ...] = ()
    """Of policies to compare."""
    policies: tuple[Path, ...] = ()
    """Files of the user's own."""
    check: bool = False
    summary_tokens: int | None = None
    model: str | None = None
    default_model: str = ""
    """The model of a transcript that names none."""
    window: int | None = None
    max_output: int | None = None
    jobs: int | None = None
    """Processes; None for as many as there are processors."""
    output: Path | None = None
    """File of JSON lines."""
    html: Path | None = None
    """File of the page."""
    engine: str = "local"
    as_json: bool = False

    def candidates(self) -> list[Candidate]:
        """The policies. Raises WrongUsage for an unknown name, InvalidInput or Refused for a file."""
        own: dict[str, CompactionPolicy] = {str(path): policy_of_file(path) for path in self.policies}
        try:
            return candidates(self.names, own)
        except InvalidInput as error:
            raise WrongUsage(str(error)) from error

    def stated(self, chosen: Sequence[Candidate]) -> dict[str, Any]:
        """What the answers depend on, by the options that set it."""
        policies = {one.name: one.policy.model_dump(mode="json", exclude_unset=True) for one in chosen}
        return {
            "--profiles and --policy": policies,
            "--summary-tokens": self.summary_tokens,
            "--model": self.model,
            "default_model": self.default_model,
            "--window": self.window,
            "--max-output": self.max_output,
        }


def run(files: Sequence[Path], asked: Asked) -> None:
    """Replay each transcript and show it as it comes; write a page where one is named (CMD_07).

    Raises WrongUsage, InvalidInput or Refused.

    A transcript that cannot be replayed is named on stderr with the reason, and the others go on; then Refused is
    raised with their number, and for a check where a prediction failed. JSON lines go to `output`, where one is named,
    and those that it holds from an earlier run are made again where the transcript failed or changed since.
    """
    check_flags(asked.window, asked.max_output)
    longest = (asked.window or LARGEST) - 1
    if asked.summary_tokens is not None and not 0 < asked.summary_tokens <= longest:
        raise WrongUsage(f"--summary-tokens is {asked.summary_tokens}; a summary has from 1 to {longest:,} tokens")
    if asked.check and (asked.policies or len(asked.names) > 1):
        raise WrongUsage("--check judges by one profile: that of the tool, or the one that --profiles names")
    chosen = asked.candidates()
    named = [*transcripts(files)]
    if not named:
        raise InvalidInput(f"there is no transcript in {', '.join(map(str, files))}; name files that end in .jsonl")
    stated, output = asked.stated(chosen), asked.output
    done = _continued(output, named, stated, check=asked.check) if output is not None else set()
    rest = [file for file in named if _name(file) not in done]
    task = partial(replay_file, asked=asked, chosen=chosen, folder=None if asked.engine == LOCAL else Path.cwd())
    failed, unmet, shown = 0, 0, list[Mapping[str, Any]]()
    apart = asked.as_json or output is not None
    with (
        _page(named, asked) as add,
        _appended(output) if output is not None else nullcontext(sys.stdout) as out,
        _executor(asked.engine, rest, asked.jobs) as executor,
    ):
        with progress(len(rest)) as advance:
            for made in results(task, rest, executor, AHEAD * (asked.jobs or os.cpu_count() or 1)):
                failed += "error" in made
                unmet += bool(made.get("missed") or made.get("early"))
                add(made)
                made.update({"asked": stated} if output is not None else {})
                with advance():
                    if apart:
                        ascii_alone = output is None and not speaks_utf8()
                        out.write(json.dumps(made, ensure_ascii=ascii_alone, default=rounded_number) + "\n")
                        out.flush()
                    if "error" in made:
                        complain("".join(failure(made)))
                    elif not apart:
                        _show(made, asked, many=len(named) > 1)
                shown += _of_all(made, asked, apart=apart)
        _show_together(shown, asked, apart=apart)
    if failed:
        raise Refused(f"{failed:,} of {several(len(named), 'transcript')} could not be replayed")
    if unmet:
        raise Refused(f"the predictions failed in {unmet:,} of {several(len(named), 'transcript')}")


def _continued(output: Path, named: Sequence[Path], stated: Mapping[str, Any], *, check: bool) -> set[str]:
    """The transcripts that a file of JSON lines holds as they are now, by name; says on stderr how many.

    The lines of those that failed or changed since, and a last line that was cut short, are taken out of the file.
    Raises InvalidInput, also where it holds checks and replays are asked for, or what was asked otherwise.
    """
    *lines, torn = _bytes_of(output).split(b"\n")
    held = [_line_of(output, line) for line in lines]
    if any("error" not in made and ("policies" not in made) != check for made in held):
        has, asked = ("replays", "checks") if check else ("checks", "replays")
        raise InvalidInput(f"{output} holds {has}, and {asked} are asked for; {ANOTHER}")
    for made in held:
        before = made.get("asked", {})
        differ = [option for option in stated if before.get(option) != stated[option]] if "error" not in made else []
        if differ:
            raise InvalidInput(
                f"{output} was made with another {', another '.join(differ)}; name the same, or a new file"
            )
    if torn and not torn.startswith(BEGINS):
        raise InvalidInput(f"{output} cannot be continued: its last line is none of brim replay; {ANOTHER}")
    now = {_name(file): file for file in named}
    stale = [
        made["file"] in now
        and ("error" in made or made.get("sha256") is None or made["sha256"] != _hash(now[made["file"]]))
        for made in held
    ]
    if torn or any(stale):
        kept = (line + b"\n" for line, old in zip(lines, stale, strict=True) if not old)
        write_whole(output, b"".join(kept))
    done = {made["file"] for made, old in zip(held, stale, strict=True) if not old and made["file"] in now}
    if done:
        say(console(stderr=True), f"{len(done):,} of {several(len(named), 'transcript')} taken over from {output}")
    return done


def _appended(output: Path) -> TextIO:
    """Open a file that only the user reads, to add lines. Raises InvalidInput."""
    try:
        file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE_FILE)
    except OSError as error:
        raise InvalidInput(f"{output} cannot be written: {error.strerror}; name another place") from error
    return os.fdopen(file, "a", encoding="utf-8")


def _bytes_of(output: Path) -> bytes:
    try:
        return output.read_bytes() if output.exists() else b""
    except OSError as error:
        raise InvalidInput(f"{output} cannot be continued: {error.strerror}; {ANOTHER}") from error


def _line_of(output: Path, line: bytes) -> Mapping[str, Any]:
    try:
        made = json.loads(line)
    except ValueError:
        made = None
    if isinstance(made, Mapping) and isinstance(made.get("file"), str):
        return made
    raise InvalidInput(f"{output} cannot be continued: a line is none of brim replay; {ANOTHER}")


def _hash(file: Path) -> str | None:
    """The SHA-256 of a file, of a folder that of the hashes in it; None of standard input, and where none is read."""
    if file == STDIN:
        return None
    try:
        if not file.is_dir():
            with file.open("rb") as opened:
                return file_digest(opened, "sha256").hexdigest()
        inner = sorted(one for one in file.rglob("*") if one.is_file())
        hashes = "".join(f"{one.relative_to(file)}\n{_hash(one)}\n" for one in inner)
        return sha256(hashes.encode("utf-8", "surrogateescape")).hexdigest()
    except OSError:
        return None


def _name(file: Path) -> str:
    return title_of(file) if file == STDIN else str(file)


@contextmanager
def _page(named: Sequence[Path], asked: Asked) -> Iterator[Callable[[Answer], None]]:
    """Takes answers, and writes their page at the end if one is asked for. Raises WrongUsage, InvalidInput or Refused.

    Where the answers go to a file, the page is that of the file, with those of an interrupted run.
    """
    html, output = asked.html, asked.output
    if html is None:
        yield lambda _: None
        return
    if asked.check or is_stdout(html):
        why = "a check has no page" if asked.check else "standard output has the table"
        raise WrongUsage(f"--html writes the page of a replay into a file, and {why}")
    if output is not None and os.path.realpath(output) == os.path.realpath(html):
        raise WrongUsage(f"-o and --html both name {html}; name two files")
    templates()
    for file in named:
        require_place(html, source=file, kept=kept_sessions(), option="--html")
    answers: list[Answer] = []
    yield answers.append if output is None else lambda _: None
    if output is not None:
        answers = [json.loads(line) for line in output.read_text("utf-8").split("\n") if line]
    last = {str(made["file"]): made for made in answers}
    write_page(html, page([last[name] for name in map(_name, named) if name in last]))
    say(console(stderr=asked.as_json), f"Written to {html}")


def _show(made: Mapping[str, Any], asked: Asked, *, many: bool) -> None:
    """Show one transcript."""
    if asked.check:
        show_check(made)
    elif many:
        show_line(made)
    else:
        show_replay(made)


def _of_all(made: Mapping[str, Any], asked: Asked, *, apart: bool) -> Iterator[Mapping[str, Any]]:
    """What is kept of a transcript for all of them together: JSON lines have a total of checks alone."""
    if "error" in made:
        return
    if asked.check:
        yield {name: made[name] for name in ("predicted", "recorded", "missed", "early", "unjudged")}
    elif not apart:
        recorded, *policies = ({**one, "windows": None} for one in (made["recorded"], *made["policies"]))
        yield {"responses": made["responses"], "recorded": recorded, "policies": policies}


def _show_together(shown: Sequence[Mapping[str, Any]], asked: Asked, *, apart: bool) -> None:
    """Show several transcripts together: beside JSON lines on stderr."""
    if len(shown) > 1 and asked.check:
        show_checks(shown, stderr=apart)
    elif len(shown) > 1:
        show_all(shown)


def replay_file(file: Path, *, asked: Asked, chosen: Sequence[Candidate], folder: Path | None = None) -> dict[str, Any]:
    """One transcript as JSON: `file`, `sha256`, and the replay, the check or an `error`. Runs in any process.

    A relative path begins in `folder`: the process may work in another one.
    """
    name = _name(file)
    place = file if folder is None or file == STDIN else folder / file
    source = {"file": name, "sha256": _hash(place)}
    try:
        transcript = read_file(place, default_model=asked.default_model)
        limits = limits_for(transcript, asked.model, asked.window, asked.max_output)
        if asked.check:
            profile = asked.names[0] if asked.names else None
            return {**source, **check(transcript, limits, profile).answer()}
        return {**source, **replay(transcript, limits, chosen, summary_tokens=asked.summary_tokens).answer()}
    except BrimError as error:
        return {**source, "error": str(error)}
    except Exception as error:  # noqa: BLE001 - one transcript must not end the others
        return {**source, "error": f"it could not be replayed: {described(error)}"}


def results(task: Any, files: Sequence[Path], executor: Executor | None, ahead: int) -> Iterator[dict[str, Any]]:
    """The answer of the task for each file as it comes; at most so many wait. Without an executor one after another."""
    if executor is None:
        for file in files:
            with working("replaying") if len(files) == 1 else nullcontext():  # several have a line together
                made = task(file)
            yield made
        return
    rest, waiting = iter(files), set[Future[dict[str, Any]]]()
    try:
        while True:
            waiting |= {executor.submit(task, file) for file in islice(rest, ahead - len(waiting))}
            if not waiting:
                return
            done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
            for one in done:
                yield one.result()
    except BrokenExecutor as error:
        raise Refused(f"a process ended before its transcript was replayed ({error}); try --jobs 1") from error
    finally:
        for one in waiting:
            one.cancel()


LOCAL: Final = "local"
DASK: Final = "dask://"
CONNECT: Final = 5
"""Seconds in which a scheduler has to answer."""


@contextmanager
def _executor(engine: str, files: Sequence[Path], jobs: int | None) -> Iterator[Executor | None]:
    """What runs the tasks: processes here, or the workers of a Dask cluster, which read the same paths.

    Raises WrongUsage for another engine, Refused where no scheduler answers.
    """
    if engine == LOCAL:
        with _pool(files, jobs) as executor:
            yield executor
        return
    host, _, port = engine.removeprefix(DASK).rpartition(":")
    if not engine.startswith(DASK) or not host or not port.isdigit():
        raise WrongUsage(f"--engine is {engine!r}; it is local, or dask://HOST:PORT of a scheduler")
    if jobs is not None or STDIN in files:
        raise WrongUsage("--jobs and standard input are for this machine alone; leave --engine out, or them")
    with _client(f"tcp://{host}:{port}") as client:
        yield client.get_executor(pure=False)


def _client(address: str) -> Any:
    try:
        from distributed import Client, rpc
    except ImportError as error:
        raise Refused(lacks_extra("--engine dask://…", "replay", error)) from error
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what it logs, the error below says

    async def identify() -> None:
        async with rpc(address) as scheduler:  # type: ignore[no-untyped-call]
            await scheduler.identity()

    try:
        asyncio.run(asyncio.wait_for(identify(), CONNECT))  # a client waits longer for what is no scheduler
        return Client(address, timeout=CONNECT, set_as_default=False)  # type: ignore[no-untyped-call]
    except Exception as error:  # what another server answers is read as anything, so that anything can go wrong
        said = one_line(described(error))
        raise Refused(
            f"no Dask scheduler answered at {address} within {CONNECT} seconds ({said}); start one with "
            "`dask scheduler`, or leave --engine out"
        ) from error


@contextmanager
def _pool(files: Sequence[Path], jobs: int | None) -> Iterator[Executor | None]:
    """Processes for several transcripts; None for a few, and for standard input, which only this process reads."""
    workers = min(jobs or os.cpu_count() or 1, len(files) if jobs else len(files) // FEW)
    if workers <= 1 or STDIN in files:
        yield None
        return
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as executor:
        yield executor


def transcripts(files: Iterable[Path]) -> Iterator[Path]:
    """The transcripts that these files, folders and patterns name, each once."""
    named = (one for file in files for one in _matching(file))
    yield from dict.fromkeys(inner for one in named for inner in _within(one))


def _matching(file: Path) -> list[Path]:
    """The file, or those that match it as a pattern; the file itself where none does, so that it is named."""
    if file == STDIN or file.exists():
        return [file]
    found = sorted(glob(str(file), recursive=True))  # noqa: PTH207 - Path.glob takes no absolute pattern
    return [*map(Path, found)] or [file]


def _within(path: Path) -> Iterator[Path]:
    """A file, or the transcripts in a folder; not those of sub-agents. A storage tree of OpenCode is a transcript."""
    if not path.is_dir() or any((root / "message").is_dir() for root in (path, path / "storage")):
        yield path
        return
    for inner in sorted(path.rglob("*")):
        if inner.name.endswith(TRANSCRIPTS) and not inner.name.startswith("agent-") and inner.is_file():
            yield inner


BLOCKS: Final = "▁▂▃▄▅▆▇█"
NAMES: Final = 19
"""Columns of a policy's name."""
COLUMNS: Final = ("policy", "compacted", "cost", "facts", "words", "sent")
LEAST: Final = 3
"""Columns of the table that are there in any terminal."""
GAP: Final = 2
"""Columns of the terminal between two of the table."""
SOME: Final = " in "
"""Between a cost and the sessions that have one, where some have none."""
LONGEST: Final = 40
"""Columns of a sparkline at most."""
BASELINE: Final = "*"
"""The mark of a baseline, after its name."""


def show_replay(made: Mapping[str, Any]) -> None:
    """Print one replay."""
    out = console()
    _head(out, made)
    _say_recommendation(out, made["recommendation"])
    out.print()
    rows = [made["recorded"] | {"name": RECORDED}, *(one for one in made["policies"] if not one["refusal"])]
    cells = [_cells(_named(one), [one]) for one in rows]
    out.print(_table(out, cells, [one["windows"] for one in rows], made["window"]))
    _say_lacks(out, [made])
    if made["sub_agents"]:
        say(out, f"sub-agents, in no row: {sub_agents(made)}", style="dim")
    refused = [one for one in made["policies"] if one["refusal"]]
    for one in refused:
        say(out, f"{one['name']}: {one['refusal']}", style="yellow")
    out.print("\n[bold]Assumed[/]")
    for one in made["assumptions"]:
        say(out, f"  {sentence(one)}", style="dim", indent=4)
    _notes(out, made)


def _head(out: Console, made: Mapping[str, Any]) -> None:
    version = f"{made['format']} {made['version']}" if made["version"] else made["format"]
    out.print(f"[bold]{safe(made['file'])}[/]")
    out.print(" · ".join(safe(text) for text in (version, made["model"], (made["date"] or "")[:10]) if text))
    out.print(f"{several(made['responses'], 'response')} · window {made['window']:,} tokens\n")


def _notes(out: Console, made: Mapping[str, Any]) -> None:
    if made["notes"]:
        out.print("\n[bold]What the file lacks[/]")
    for one in made["notes"]:
        say(out, f"  {sentence(one)}", style="dim", indent=4)


def _cells(name: str, rows: Sequence[Mapping[str, Any]], sessions: int = 1) -> list[str]:
    """The row of a policy over the sessions in which it is not refused."""
    shares = _shares([one["facts"] for one in rows if one.get("facts")])
    cuts, sent = sum(len(one["compactions"]) for one in rows), sum(one["sent"] for one in rows)
    return [name, f"{cuts:,}", _sum(rows, sessions), *shares, tokens(sent)]


def _sum(rows: Sequence[Mapping[str, Any]], sessions: int) -> str:
    """The cost in all sessions, or in how many of them it is known."""
    priced = [one["cost"] for one in rows if not isinstance(one["cost"], str)]
    if not priced:
        return UNKNOWN
    missing = "" if len(priced) == sessions else f"{SOME}{len(priced):,} of {sessions:,}"
    return f"{cost(float(sum(priced)))}{missing}"


def _table(out: Console, rows: Sequence[Sequence[str]], drawn: Sequence[Sequence[int]] = (), window: int = 0) -> Table:
    """A row for each policy; what there is no room for is left out: the sparkline, then the columns from the last."""
    widths = [NAMES, *(max(map(len, column)) for column in [*zip(COLUMNS, *rows, strict=True)][1:])]
    fits = (n for n in range(len(COLUMNS), LEAST, -1) if sum(widths[:n]) + GAP * (n - 1) <= out.width)
    count = next(fits, LEAST)
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column(COLUMNS[0], width=NAMES, no_wrap=True)
    for name in COLUMNS[1:count]:
        table.add_column(name, justify="right", no_wrap=True)
    room = min(out.width - sum(widths[:count]) - GAP * count, LONGEST) if drawn else 0
    if room >= len(BLOCKS):
        table.add_column("window", no_wrap=True)
        rows = [[*row[:count], sparkline(held, room, window)] for row, held in zip(rows, drawn, strict=True)]
    for name, *cells in rows:
        table.add_row(safe(name), *cells[: len(table.columns) - 1])
    if any(row[0].endswith(BASELINE) for row in rows):
        table.caption, table.caption_justify = f"{BASELINE} a baseline to compare with, no policy of brim", "left"
    return table


def _named(row: Mapping[str, Any]) -> str:
    """The name of a policy, a baseline with its mark."""
    return f"{row['name']}{BASELINE}" if row.get("baseline") else str(row["name"])


def cost(usd: float | str) -> str:
    """A cost in dollars; the word where it is unknown."""
    return usd if isinstance(usd, str) else f"${usd:,.2f}"


def sparkline(windows: Sequence[int], width: int, window: int) -> str:
    """Tokens held as so many blocks at most, each the most of its responses; a full block is the whole window."""
    count = min(width, len(windows))
    edges = [index * len(windows) // count for index in range(count + 1)] if count else []
    peaks = [max(windows[start:stop]) for start, stop in pairwise(edges)]
    return "".join(BLOCKS[min(peak * len(BLOCKS) // max(window, 1), len(BLOCKS) - 1)] for peak in peaks)


def _shares(found: Sequence[Mapping[str, int]]) -> Iterator[str]:
    """The shares of the facts and of the user's words that are present."""
    for present, total in (("kept", "facts"), ("words_present", "words")):
        most = sum(facts[total] for facts in found)
        yield percent(Fraction(sum(facts[present] for facts in found), most)) if most else "–"


def _say_recommendation(out: Console, found: Mapping[str, str]) -> None:
    """Print the verdict, and its reason, which is the same where there is nothing to choose between."""
    say(out, found["verdict"], style="bold")
    if found["sentence"] != found["verdict"]:
        say(out, found["sentence"], style="dim")


def show_line(made: Mapping[str, Any]) -> None:
    """Print what one replay of several came to."""
    say(console(), made["recommendation"]["verdict"], lead=f"{made['file']}: ", lead_style="")


def show_all(replays: Sequence[Mapping[str, Any]]) -> None:
    """Print each policy over all replays, beside what the sessions report: a cost is that of the sessions with one."""
    out, sessions = console(), len(replays)
    out.print(f"\n[bold]{several(sessions, 'transcript')} together[/]")
    recorded, sums = totals(replays)
    _say_recommendation(out, recommend(sums, recorded))
    found = {RECORDED: [made["recorded"] for made in replays]}
    for made in replays:
        for one in made["policies"]:
            found.setdefault(_named(one), []).append(one)
    fitting = {name: [one for one in every if not one.get("refusal")] for name, every in found.items()}
    rows = [_cells(name, every, sessions) for name, every in fitting.items() if every]
    out.print(_table(out, rows))
    if any(SOME in row[COLUMNS.index("cost")] for row in rows):
        say(out, "a cost in some of the sessions: the others have an unknown price, or refuse the policy", style="dim")
    _say_lacks(out, replays)
    for one in sums:
        if one["refusal"]:
            say(out, f"{_named(one)}: {one['refusal']}", style="yellow")


def _say_lacks(out: Console, made: Sequence[Mapping[str, Any]]) -> None:
    if lacks := record_lacks(made):
        say(out, f"{RECORDED}: {lacks}", style="dim")


def show_check(made: Mapping[str, Any]) -> None:
    """Print the check of one transcript."""
    out = console()
    out.print(f"[bold]{safe(made['file'])}[/]")
    if not made["unjudged"]:
        verdict = "not as recorded" if made["missed"] or made["early"] else "as recorded"
        count = several(len(made["predicted"]), "compaction")
        out.print(f"{made['profile']} in {made['window']:,} tokens: {count} predicted, [bold]{verdict}[/] ({JUDGED})")
    for kind in ("recorded", "cleared"):
        for one in made[kind]:
            held, after = (tokens(one[key]) for key in ("held", "after"))
            apart = "" if one["trigger"] == "auto" else ", not judged"
            at = "before the first response" if one["response"] is None else f"after response {one['response']}"
            out.print(f"  {kind} {at}: {one['trigger']} at {held}, then {after}{apart}")
    for one in made["predicted"]:
        flaw = " [red]early[/]" if one["response"] in made["early"] else ""
        prediction = f"predicted after response {one['response']}: {one['held']:,} of {made['threshold']:,}"
        out.print(f"  {prediction}{flaw}")
    for response in made["missed"]:
        out.print(f"  [red]missed[/] after response {response}")
    for note in filter(None, (*made["notes"], made["unjudged"])):
        say(out, f"  {sentence(note)}", style="dim", indent=4)
    out.print()


def show_checks(checks: Sequence[Mapping[str, Any]], *, stderr: bool = False) -> None:
    """Print the checks of all transcripts together, on stderr where the checks themselves are JSON lines."""
    judged = [one for one in checks if not one["unjudged"]]
    automatic = sum(made["trigger"] == "auto" for one in judged for made in one["recorded"])
    missed, early = (sum(len(one[key]) for one in judged) for key in ("missed", "early"))
    console(stderr=stderr).print(
        f"[bold]{several(len(checks), 'transcript')}[/], {len(judged):,} with a known profile: "
        f"{automatic - missed:,} of {several(automatic, 'automatic compaction')} predicted, {early:,} early"
    )


@contextmanager
def progress(count: int) -> Iterator[Callable[[], AbstractContextManager[None]]]:
    """Show on stderr how many transcripts are done and the time left, if there are several; without a terminal a line.

    Yields what counts one more, and takes the line away while that one is printed.
    """
    watched = console(stderr=True)
    if count == 1 or not watched.is_terminal:
        if count > 1:
            say(watched, f"replaying {several(count, 'transcript')} …")
        yield nullcontext
        return
    columns = (TextColumn("replaying"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=watched, transient=True) as bar:
        task = bar.add_task("", total=count)

        @contextmanager
        def advance() -> Iterator[None]:
            bar.stop()
            try:
                yield
            finally:
                bar.advance(task)
                bar.start()

        yield advance
