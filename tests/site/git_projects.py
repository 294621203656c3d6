"""Small projects with a history: real repositories of git, made in a folder."""

import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Project", "feature", "project", "rule", "scenario"]

ROWS = "| exactly | 10 | kept |", "| one over | 11 | refused |"


def feature(*rules):
    """A feature file with these rules."""
    return "\n".join(["Feature: Limits", "  What fits is kept.", "", *rules]) + "\n"


def rule(ids="LIM_01", sentence="What fits is kept", source="a document.", scenarios=None, more=""):
    """A rule, with one outline of two rows unless it is told others."""
    shown = [scenario()] if scenarios is None else scenarios
    tags = " ".join(f"@{one}" for one in ids.split())
    opened = f"  {tags}\n" if tags else ""
    return f"{opened}  Rule: {sentence}\n    Source: {source}\n{more}\n" + "\n".join(shown)


def scenario(then="they are <verdict>", rows=ROWS):
    """An outline."""
    table = "\n".join(f"        {row}" for row in ("| description | pieces | verdict |", *rows))
    return f"""    Scenario Outline: A limit is judged to the piece
      Given a limit of 10
      When <pieces> pieces arrive
      Then {then}

      Examples:
{table}
"""


@dataclass
class Project:
    """A folder with a repository; times go forward by a day with each commit."""

    root: Path
    day: int = 1

    def git(self, *arguments):
        """Run git there; what it answers."""
        when = f"2026-01-{self.day:02} 12:00:00 +0000"
        alone = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        who = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"]
        command = ["git", "-C", str(self.root), *who, *arguments]
        return subprocess.run(
            command, env=os.environ | alone | dates, capture_output=True, text=True, check=True
        ).stdout.strip()

    def write(self, text, path="features/store/limits.feature"):
        """Write a file, as text or as bytes."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())

    def commit(self, text=None, tag=None, **where):
        """Write a file and commit everything; the commit."""
        if text is not None:
            self.write(text, **where)
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", "A change")
        self.day += 1
        if tag:
            self.git("tag", tag)
        return self.git("rev-parse", "HEAD")


def project(folder):
    """A project in a folder, which begins with no feature."""
    folder.mkdir(parents=True, exist_ok=True)
    made = Project(folder)
    made.write("[project]\nname = 'small'\n", "pyproject.toml")
    made.git("init", "-q")
    return made
