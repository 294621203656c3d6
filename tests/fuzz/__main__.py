"""Runs the targets, two at a time: `python -m tests.fuzz SECONDS [TARGET…]`. What it finds is kept in build/fuzzed.

A target goes on after a finding; each way to fail is told once. Inputs that reached something new stay
in build/corpus, from which the next run goes on.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
import traceback
import warnings
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pathlib import Path

import atheris

from tests.fuzz import TARGETS

ROOT = Path(__file__).parents[2]
LIMITS = {"timeout": 60, "report_slow_units": 60, "rss_limit_mb": 2_048, "max_len": 16_384, "print_final_stats": 1}
"""Seconds of one input, MiB of the process, and bytes of an input, at most; beyond the first two libFuzzer ends."""
SLOW = 2.0
"""Seconds of the processor that an input may take."""


def fuzz(name: str, seconds: int) -> None:
    """Run one target in this process, which libFuzzer ends."""
    found, corpus = ROOT / "build" / "fuzzed" / name, ROOT / "build" / "corpus" / name
    shutil.rmtree(found, ignore_errors=True)
    for folder in (found, corpus):
        folder.mkdir(parents=True, exist_ok=True)
    warnings.filterwarnings("error", "brim cannot read")  # a reader that goes on without is at fault all the same
    places = set[str]()

    def once(data: bytes, seconds: float = SLOW) -> None:
        begun = time.process_time()
        try:
            target.once(data)
            fault = "slow" if time.process_time() - begun > seconds else ""
        except Exception as error:  # noqa: BLE001 -- that is what is looked for
            frames = traceback.extract_tb(error.__traceback__)
            frame = next((one for one in reversed(frames) if "/src/brim/" in one.filename), frames[-1])
            met = re.sub(r"\d+", "", str(error))[:60]
            fault = f"{type(error).__name__} {Path(frame.filename).stem} {frame.lineno} {met}"
            text = "".join(traceback.format_exception(error))
        if fault and fault not in places:
            places.add(fault)
            path = found / re.sub(r"\W+", "-", fault)
            path.write_bytes(data)
            path.with_suffix(".txt").write_text(fault if fault == "slow" else text, errors="replace")

    with atheris.instrument_imports(include=["brim"]):
        target, mutation = import_module(f"tests.fuzz.{name}"), import_module("tests.fuzz.mutation")
        for number, seed in enumerate(target.seeds()):
            (corpus / f"seed-{number}").write_bytes(seed)
            once(seed, 60)  # which imports what is imported late
    limits = [f"-{option}={value}" for option, value in {**LIMITS, "max_total_time": seconds}.items()]
    atheris.Setup([name, *limits, f"-artifact_prefix={found}/", str(corpus)], once, custom_mutator=mutation.mutated)
    atheris.Fuzz()


def row(name: str, seconds: str) -> str:
    """Run one target in a process of its own, and say what came of it."""
    log = ROOT / "build" / f"fuzz-{name}.log"
    with log.open("wb") as out:
        command = [sys.executable, "-m", "tests.fuzz", "--one", name, seconds]
        status = subprocess.run(command, cwd=ROOT, stdout=out, stderr=out, check=False).returncode
    text = log.read_text(errors="replace")
    figures = [f"{key} {int(value):,}" for key, one in FIGURES.items() for value in re.findall(one, text)[-1:]]
    found = sorted(one.name for one in (ROOT / "build" / "fuzzed" / name).iterdir() if one.suffix != ".txt")
    return f"{name:12} {', '.join(figures)}, " + (f"FOUND {found}, status {status}" if found or status else "sound")


FIGURES = {"inputs": r"executed_units: +(\d+)", "edges": r"cov: (\d+)", "MiB at most": r"peak_rss_mb: +(\d+)"}


def main(words: list[str]) -> bool:
    """Run one target, or all that are named; whether something was found."""
    if words[0] == "--one":
        fuzz(words[1], int(words[2]))
    with ThreadPoolExecutor(2) as pool:
        rows = [*pool.map(lambda name: row(name, words[0]), words[1:] or TARGETS)]
    print(*rows, sep="\n")
    return any("FOUND" in one for one in rows)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
