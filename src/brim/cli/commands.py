"""A group of commands, with plain help: long lists of options stand in sections."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

import typer
from typer.core import TyperCommand

SECTIONS: Final[Mapping[str, tuple[str, ...]]] = MappingProxyType(
    {
        "Input": ("latest", "listing", "at", "project", "session", "store"),
        "The model": ("model", "window", "max_output"),
        "The proxy": ("upstream", "port", "host", "shadow"),
        "When it compacts": ("profile", "threshold", "windowing", "all_profiles"),
        "What it keeps": ("target", "keep_tokens", "keep_messages", "keep_share", "summary_share"),
        "Who writes the summary": ("summarizer", "summary_model", "prompt", "focus", "on_failure"),
        "What is compared": ("profiles", "policy", "check", "summary_tokens"),
        "What comes back": ("what", "until", "go_on"),
        "Output": ("output", "to", "html", "full_summary", "missing", "dry_run", "json"),
    }
)
"""By heading: the options that stand below it, by the names of their arguments; the others stand below Options."""
FEW: Final = 9
"""Options that help shows in one list, -h counted."""


class Command(TyperCommand):
    """A command whose help lists more than a few options in sections (CMD_17)."""

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then the options."""
        records = [(one, record) for one in self.get_params(ctx) if (record := one.get_help_record(ctx))]
        arguments = [
            (name.partition(" <")[0], text) for one, (name, text) in records if one.param_type_name == "argument"
        ]
        left = {str(one.name): record for one, record in records if one.param_type_name == "option"}
        sections = {"Arguments": arguments}
        if len(left) > FEW:
            for heading, names in SECTIONS.items():
                sections[heading] = [left.pop(name) for name in names if name in left]
        sections["Options"] = list(left.values())
        for heading, rows in sections.items():
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows, col_max=formatter.width // 3)


class Commands(typer.Typer):
    """A group of such commands. Without Rich plain help is there in half the time."""

    def __init__(self, **more: Any) -> None:
        """Make it with a name, help and a callback, as of Typer."""
        super().__init__(rich_markup_mode=None, add_completion=False, pretty_exceptions_enable=False, **more)

    def command(self, name: str | None = None, **more: Any) -> Callable[[Any], Any]:
        """Return what makes a function one of the commands."""
        return super().command(name, cls=Command, **more)
