"""Scripts of a shell: what the permissions decide about them, and what the evidence reads of them."""

from __future__ import annotations

from collections.abc import Iterator

from brim.agents.permissions import decide
from brim.evidence.shell import files_changed, may_run_tests, only_looks, read_script, unseen
from tests.agents.test_permissions import PLACE, RULES, table
from tests.evidence.test_shell_commands import CASES

DENYING = [(style, rules) for (name, style), rules in RULES.items() if name in ("careful", "broad", "middle")]
DENIED = "rm -rf x"


def seeds() -> Iterator[bytes]:
    """Yield the commands that the tests have."""
    scripts = [row["command"] for row in table("permission_commands.tsv")] + [script for script, _ in CASES]
    yield from (script.replace("{U+000A}", "\n").encode(errors="surrogatepass") for script in scripts)


def once(data: bytes) -> None:
    """Read a script; whatever follows what is denied, it stays denied."""
    script = data.decode(errors="surrogateescape")
    for read in (read_script, unseen, only_looks, may_run_tests):
        read(script)
    assert all(change.path.isprintable() for change in files_changed(script))
    style, rules = DENYING[len(data) % len(DENYING)]
    for prefix in ("", f"{DENIED}\n"):
        verdict = decide(style, rules, "bash", {"command": prefix + script}, place=PLACE)
        assert "brim cannot read it" not in verdict.reason, verdict
    assert verdict.action == "deny", (style, verdict)
