"""Which version of each package's rules is approved, and how one is: `make approve PACKAGE=trigger NAME="Ada Reader"`.

The names that may approve are in docs/reviewers.txt, and nobody approves a change of their own. `docs/approved.txt` has
a line a package that somebody approved: its commit, and who did. `docs/rejected.txt` has a line a rejected rule:
`TRG_04 Ada Reader: what it should say`. No package with one is approved.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from steps.rulebook import read_features

APPROVED = "docs/approved.txt"
REVIEWERS = "docs/reviewers.txt"
REJECTED = "docs/rejected.txt"
HEAD = "# Which commit of a package is approved, and by whom: `make approve` writes a line. See docs/changes.md.\n"


class Approval(NamedTuple):
    """A line of the file of approvals."""

    package: str
    commit: str
    by: str


class Rejection(NamedTuple):
    """A line of the file of rejections: the id of a rule, and what it should say."""

    rule: str
    by: str
    wanted: str


class NotApproved(Exception):
    """Why a version cannot be approved, and what cures it."""


def approvals(root: Path) -> list[Approval]:
    """Return the lines of the file of approvals, in their order."""
    return [Approval(*line.split(maxsplit=2)) for line in _lines(root / APPROVED)]


def rejections(root: Path) -> list[Rejection]:
    """Return the lines of the file of rejections, in their order."""
    parts = [(line.partition(" ")[0], line.partition(" ")[2].partition(": ")) for line in _lines(root / REJECTED)]
    return [Rejection(rule, by, wanted) for rule, (by, _, wanted) in parts]


def reviewers(root: Path) -> list[str]:
    """Return the names that may approve."""
    return _lines(root / REVIEWERS)


def approve(root: Path, package: str, name: str) -> Approval:
    """Write that `name` has approved the package as it is committed. Raises NotApproved, and writes nothing then."""
    package = package.casefold()
    folder = f"features/{package}"
    known = sorted({one.parent.name for one in (root / "features").rglob("*.feature")})
    if package not in known:
        raise NotApproved(f"there is no package {package!r}: say PACKAGE=, one of {', '.join(known)}")
    ids = {one for feature in read_features(root / folder) for rule in feature.rules for one in rule.ids}
    if rejected := [f"{one.rule} (by {one.by})" for one in rejections(root) if one.rule in ids]:
        raise NotApproved(f"{folder} has what {REJECTED} rejects: {', '.join(rejected)}; mend it, and remove its line")
    added_by = _added_by(root)
    if name not in added_by:
        raise NotApproved(
            f"{name!r} is no reviewer of product: say NAME=, one of those in {REVIEWERS} ({len(added_by)}), to which "
            "somebody else adds a line in a commit of theirs"
        )
    if added_by[name] == name:
        raise NotApproved(f"{name} has added their own line to {REVIEWERS}: somebody else commits it")
    if _git(root, "status", "--porcelain", "--", folder):
        raise NotApproved(f"{folder} has changes that are not committed: commit them first")
    before = approvals(root)
    since = next((f"{one.commit}..HEAD" for one in before if one.package == package), "HEAD")
    if name in _git(root, "log", "--format=%an", since, "--", folder).splitlines():
        raise NotApproved(f"{name} has written what is not yet approved of {folder}: another reviewer approves that")
    made = Approval(package, _git(root, "rev-parse", "HEAD"), name)
    lines = [one for one in before if one.package != package]
    text = "".join(f"{' '.join(one)}\n" for one in sorted([*lines, made]))
    (root / APPROVED).write_text(HEAD + text, encoding="utf-8")
    return made


def _added_by(root: Path) -> dict[str, str]:
    """Return the committed names that may approve, each with the author of its line."""
    if not _git(root, "ls-tree", "HEAD", "--", REVIEWERS):
        return {}
    author, found = "", {}
    for line in _git(root, "blame", "--line-porcelain", "HEAD", "--", REVIEWERS).splitlines():
        author = line.removeprefix("author ") if line.startswith("author ") else author
        if line.startswith("\t") and line.strip() and not line.strip().startswith("#"):
            found[line.strip()] = author
    return found


def _lines(file: Path) -> list[str]:
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def _git(root: Path, *arguments: str) -> str:
    ran = subprocess.run(["git", "-C", str(root), *arguments], capture_output=True, text=True, check=False)  # noqa: S603, S607
    if ran.returncode:
        raise NotApproved(f"git {arguments[0]}: {ran.stderr.strip()}")
    return ran.stdout.strip()


if __name__ == "__main__":
    try:
        print("approved:", *approve(Path.cwd(), *sys.argv[1:3]), f"(commit {APPROVED})")
    except NotApproved as error:
        sys.exit(f"not approved: {error}")
