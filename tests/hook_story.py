"""How many requests lack the user's words after an agent's own compaction: `python -m tests.hook_story`.

Claude Code and Codex, as npm has them, read notes with a scripted model and compact by themselves, without and with
brim's hook. The summaries are scripted too: SUMMARIES. Writes docs/hook_story.json and a table of docs/guides/hooks.md.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from tests.figures import ROOT, filled, rows_of
from tests.serve.programs import COMMANDS, END, WORDS, Reader, environment, provided
from tests.serve.test_server import BRIM

PAGE: Final = ROOT / "docs/guides/hooks.md"
DATA: Final = ROOT / "docs/hook_story.json"
TURNS, WINDOW = 100, 200_000
NOTES = "".join(f"{number}: what the keeper of the harbour saw on that day\n" for number in range(500))
SECTIONS = f"""<analysis>There is one task, and the notes are read in part.</analysis>
<summary>
1. Primary Request and Intent:
   The notes are to be read in full. harbour.py is not to be edited; the leaflet's rate is 4.75 for a parcel.

2. Key Technical Concepts:
   - Notes of a harbour, numbered by day

3. Files and Code Sections:
   - notes: read several times, by cat too

4. Errors and fixes:
   - None

5. Problem Solving:
   Nothing is open.

6. All user messages:
   - {"{}"}

7. Pending Tasks:
   - Read the rest of the notes

8. Current Work:
   The notes were being read.

9. Optional Next Step:
   Read on.
</summary>"""
"""Has the sections that Claude Code asks for."""
SUMMARIES: Mapping[str, Sequence[str]] = {
    "quoting": (SECTIONS.format(f'"{WORDS}"'), SECTIONS.format("None since the earlier summary")),
    "in other words": (
        SECTIONS.format("Asks for the notes to be read, with harbour.py left alone and 4.75 a parcel as the rate"),
    ),
    "terse": ("<summary>The notes were read in part.</summary>",),
}
"""The first summary and all later ones, by how they have the user's message.

Quoting, each has in full what the user wrote since the earlier one, as the two of a recorded session of Claude Code
2.1.1 do.
"""
OWN = 'model_providers.own={{name="Own",base_url="{OPENAI_BASE_URL}",env_key="OPENAI_API_KEY",wire_api="responses"}}'
"""The provider by whose name Codex asks the model for a summary, which is another than OpenAI's encrypted one."""
AGENTS: Mapping[str, tuple[str, str, str, str]] = {
    "claude": ("Claude Code", "anthropic", "create a detailed summary of the conversation", "claude-code"),
    "codex": ("Codex", "openai", "CONTEXT CHECKPOINT COMPACTION", "codex"),
}
"""Of each the name, the provider, what stands in its prompt for a summary, and how `brim hook install` calls it."""
FOR_CODEX = ("--dangerously-bypass-hook-trust", "-c", 'model_provider="own"', "-c")


def worked(agent: str, summary: str, *, hook: bool) -> dict[str, Any]:
    """Let an agent work in a home of its own, and count. Raises AssertionError where it does not come to its end."""
    _, provider, asks, name = AGENTS[agent]
    texts = SUMMARIES[summary]
    with tempfile.TemporaryDirectory() as place:
        home = Path(place)
        (home / "notes").write_text(NOTES, encoding="utf-8")
        own = environment(home) | {"CLAUDE_CODE_AUTO_COMPACT_WINDOW": f"{WINDOW}"}
        if hook:
            subprocess.run([*BRIM, "hook", "install", name, "--yes"], env=own, check=True, capture_output=True)
        reader = Reader(home / "notes", TURNS, asks, lambda number: texts[min(number, len(texts)) - 1], thinks=False)
        with provided(provider, reader, 2 * WINDOW) as variables:
            command = COMMANDS[agent, provider]
            if agent == "codex":
                limit = f"model_auto_compact_token_limit={WINDOW // 3}"
                command = [*command, *FOR_CODEX, OWN.format_map(variables), "-c", limit]
            done = subprocess.run(
                [*command, WORDS], env=own | variables, cwd=home, stdin=subprocess.DEVNULL, capture_output=True,
                text=True, check=False, timeout=500,
            )  # fmt: skip
        version = subprocess.run([command[0], "--version"], env=own, check=True, capture_output=True, text=True).stdout
    if done.returncode or END not in done.stdout or reader.refused:
        raise AssertionError(done.stdout[-500:] + done.stderr[-500:], reader.refused[:1])
    shorter = [len(after) < len(before) for before, after in pairwise(reader.asked)]
    later = reader.asked[shorter.index(True) + 1 :]
    return {
        "agent": agent,
        "version": next(word for word in version.split() if word[0].isdigit()),
        "summary": summary,
        "hook": hook,
        "compactions": reader.summaries,
        "requests": len(later),
        "lacking": sum(WORDS not in str(one) for one in later),
    }


def measured() -> list[dict[str, Any]]:
    """Measure each agent with each summary, without and with the hook. Codex keeps the user's words: one is enough."""
    runs = [*(("claude", one) for one in SUMMARIES), ("codex", "terse")]
    return [worked(agent, summary, hook=hook) for agent, summary in runs for hook in (False, True)]


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the page's table: a line for each agent and summary."""
    lines = [
        (
            f"{AGENTS[without['agent']][0]} {without['version']}",
            without["summary"],
            str(without["compactions"]),
            f"{without['lacking']} of {without['requests']}",
            f"{with_hook['lacking']} of {with_hook['requests']}",
        )
        for without, with_hook in zip(rows[::2], rows[1::2], strict=True)
    ]
    return rows_of(("agent", "its summaries", "compactions", "requests without the words", "with the hook"), *lines)


def page(text: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the page with the table of these rows."""
    return filled(text, "requests without the user's words", table(rows))


def main() -> int:
    """Measure, show, and write the data and the page's table."""
    rows = measured()
    print(table(rows))
    DATA.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
