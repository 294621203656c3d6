"""Files of all formats: what `brim inspect` and `brim compact` make of them, and that what is written is valid."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from collections.abc import Iterator
from pathlib import Path

from brim.cli import main
from brim.testing import complaints
from brim.testing.strictness import form_faults
from tests.transcripts.samples import SAMPLES, content_of

FOLDER = Path(tempfile.mkdtemp())
FILE, OUT = FOLDER / "file", FOLDER / "out.json"
SMALL = ("--window", "4000", "--max-output", "1000", "--keep-tokens", "1", "--json")


def seeds() -> Iterator[bytes]:
    """Yield a small file of each format, and one of lines that grew."""
    yield from (content_of(sample).encode() for sample in SAMPLES.values())
    yield content_of([{"role": role, "content": f"{role} " * 400} for role in ("user", "assistant") * 5]).encode()


def once(data: bytes) -> None:
    """Read a file; what is written of it for the Messages API is valid, or the page says why not."""
    FILE.write_bytes(data)
    OUT.unlink(missing_ok=True)
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()):
        main(["inspect", str(FILE), "--json"])
        said.truncate(said.seek(0))
        main(["compact", str(FILE), "--to", "anthropic", "-o", str(OUT), *SMALL])
    if OUT.exists() and json.loads(said.getvalue())["complaint"] is None:
        messages = json.loads(OUT.read_bytes())["messages"]
        found = [] if [*form_faults(messages)] else complaints(messages)  # fields of the caller's own stay as they are
        assert not found, found
