"""`brim profiles`: the thresholds of every profile for a model, side by side (TRG_15)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Final

from pydantic import computed_field

from brim.cli.limits import required_limits
from brim.cli.report import BLANK, Bar, Element, Line, Report, row
from brim.compaction.policy import target_of
from brim.models import ModelLimits, known_limits
from brim.settings import load_settings
from brim.trigger.budget import summarization_budget
from brim.trigger.profiles import profile_table
from brim.trigger.usable_context import output_reserve, usable_context

EXAMPLE: Final = ModelLimits(context_window=200_000, max_output_tokens=32_000)
"""Shown where nothing was asked for: the size that most of the sources speak of."""


class ProfileReport(Report):
    """When a profile compacts."""

    threshold: int | None
    """Tokens from which a compaction is due; null where there are none for this window."""
    comparison: str
    """How what is held is compared with them: > or >=."""
    description: str
    """What it is, in words."""
    note: str | None
    """What there is to notice."""

    @computed_field
    def due(self) -> str | None:
        """The same in words."""
        return None if self.threshold is None else f"held {self.comparison} {self.threshold}"


class ProfilesReport(Report):
    """The thresholds of every profile for a model, in tokens."""

    commands: ClassVar = ("profiles",)
    context_window: int
    """The model's context window."""
    max_output_tokens: int | None
    """Its longest answer."""
    output_reserve: int
    """What is set aside for the answer."""
    usable_context: int
    """What is left."""
    summarization_budget: int
    """The longest conversation that is summarized at once."""
    keep_tokens: int | None
    """What is kept word for word at most."""
    profiles: dict[str, ProfileReport]
    """Each profile, by its name."""
    example: bool
    """Whether it is an example, where no model and no window were named."""

    def page(self) -> Iterator[Element]:
        """Yield the figures, and a bar for each profile."""
        if self.example:
            yield Line("An example; set --model, or --window and --max-output, for your own.", style="dim")
        yield row("window", f"{self.context_window:,}")
        yield row("reserved", f"{self.output_reserve:,} for the answer")
        yield row("usable", f"{self.usable_context:,}")
        yield row("kept", f"{self.keep_tokens or 0:,} word for word, at most")
        yield from (BLANK, Line(" when the window holds", "Due"))
        for name, one in self.profiles.items():
            yield BLANK
            if one.threshold is None:
                yield row(name, "  –")
            else:
                share = one.threshold / self.context_window
                yield Bar(f"{name:<20}{one.comparison:>3}", one.threshold, share, "red" if share > 1 else "cyan")
            yield Line(f"  {one.description}", style="dim")
            if one.note:
                yield Line(f"  {one.note}", style="yellow")


def profiled(*, model: str | None, window: int | None, max_output: int | None) -> ProfilesReport:
    """Work the table out. Raises Refused or InvalidInput."""
    settings = load_settings()
    default = settings.preferences.default_model
    if model is None and window is None and known_limits(default):
        model = default
    asked = (model, window, max_output) != (None, None, None)
    limits = required_limits(model, window, max_output) if asked else EXAMPLE
    return ProfilesReport(
        context_window=limits.context_window,
        max_output_tokens=limits.max_output_tokens,
        output_reserve=output_reserve(limits),
        usable_context=usable_context(limits),
        summarization_budget=summarization_budget(limits.context_window),
        keep_tokens=target_of(settings.policy, limits),
        profiles={one.name: ProfileReport.model_validate(one) for one in profile_table(limits)},
        example=not asked,
    )
