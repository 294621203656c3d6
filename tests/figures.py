"""Where the programs that measure write what they found: between two marks on a page."""

from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]
EVIDENCE: Final = ROOT / "docs/evidence.md"


def filled(text: str, name: str, made: str) -> str:
    """Return the page with this text between the marks of a name."""
    begin, end = f"<!-- {name} -->", f"<!-- end of {name} -->"
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n\n{made}\n\n{end}{after}"


def rows_of(*lines: tuple[str, ...]) -> str:
    """Return a table in Markdown, whose first line is its head."""
    head, *body = lines
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, ("---",) * len(head), *body))
