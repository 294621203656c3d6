"""Reports of the commands of `brim agents`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import BeforeValidator, Field

from brim.cli.report import Element, Line, OrNone, Report, of, row
from brim.memory.discovery import repository_root

VERDICTS = {"allow": "allowed", "ask": "asked about", "deny": "denied"}


class RuleReport(Report):
    """A permission rule."""

    rule: str = of("text")
    """The rule as it is written."""
    origin: str = Field(serialization_alias="from")
    """The file that it is from, and its line."""


class PermissionsReport(Report):
    """Rules, and the manner in which they are read."""

    style: str
    """opencode, of whose rules the last that matches decides, or claude-code: deny, then ask, then allow."""
    rules: tuple[RuleReport, ...]
    """The rules in order."""


class AgentReport(Report):
    """An agent."""

    name: str = of("agent.name")
    """Its name."""
    description: str = of("agent.description")
    """Its purpose."""
    mode: str = of("agent.mode")
    """Who may call it: primary, subagent, or all."""
    model: Annotated[str | None, OrNone] = of("agent.model")
    """The model that runs it; null for that of the agent that calls."""
    tools: Annotated[
        tuple[str, ...] | None,
        BeforeValidator(lambda rules: rules and [one.text.removeprefix("allow ") for one in rules]),
    ] = of("agent.tools")
    """The tools that it has; null for all."""
    origin: str = of("agent.origin", serialization_alias="from")
    """The file that it is from."""


class AgentList(Report):
    """The agents that are built in, and those of the user and the project."""

    commands: ClassVar = ("agents list",)
    agents: Annotated[
        tuple[AgentReport, ...], BeforeValidator(lambda agents: [AgentReport.read(agent=one) for one in agents])
    ]
    """The agents."""
    faults: tuple[str, ...]
    """Faults of reading, in sentences."""

    def page(self) -> Iterator[Element]:
        """Yield each agent with what it is for, and its file."""
        for one in self.agents:
            yield Line(f"  {one.mode}{f'  {one.model}' if one.model else ''}", one.name)
            yield Line(f"  {one.description or 'no description'}")
            yield Line(f"  {short(one.origin)}", style="dim", fit="whole")


class OneAgent(AgentReport):
    """An agent, with its prompt and the rules that hold for it."""

    commands: ClassVar = ("agents show",)
    prompt: str = of("agent.prompt")
    """Its system prompt."""
    permissions: tuple[PermissionsReport, ...]
    """The rules that hold for it here."""

    def page(self) -> Iterator[Element]:
        """Yield the agent, its rules and its prompt."""
        yield Line(lead=f"{self.name}  {self.mode}  {short(self.origin)}", fit="whole")
        yield Line(self.description or "no description", indent=0)
        yield row("model", self.model or "that of the agent that calls")
        yield row("tools", ", ".join(self.tools or ()) or "all")
        for layer in self.permissions:
            last, system = "the last that matches decides", "OpenCode"
            if layer.style == "claude-code":
                last, system = "deny, then ask, then allow", "Claude Code"
            yield Line(f"rules in the manner of {system}: {last}")
            yield from (Line(f"  {one.rule}  {short(one.origin)}", fit="whole") for one in layer.rules)
        if self.prompt:
            yield Line(f"\n{self.prompt}", fit="whole")


class DecisionReport(Report):
    """The decision on the use of a tool by an agent, with its rule and the reason (CMD_16)."""

    commands: ClassVar = ("agents check",)
    use: str
    """The tool, and what it is used with."""
    agent: str
    """The agent that would use it."""
    decision: str = of("decided.action")
    """allow, ask or deny."""
    reason: str = of("decided.reason")
    """Why, in words."""
    rule: str | None = of("decided.rule.text", None)
    """The rule that says so; null where none matches, or something is not plain."""
    origin: str | None = of("decided.rule.origin", None, serialization_alias="from")
    """Where it is from."""
    part: Annotated[str | None, OrNone] = of("decided.part")
    """The command or the file of the use."""

    def page(self) -> Iterator[Element]:
        """Yield the decision with its rule, where that is from, and why."""
        yield Line(f"{self.use} by {self.agent}: {VERDICTS[self.decision]}", fit="whole")
        origin = self.origin and short(self.origin)
        for name, text in (("why", self.reason), ("rule", self.rule), ("from", origin), ("part", self.part)):
            if text:
                yield Line(f"  {name:<6} {text}", fit="whole")


def short(origin: str) -> str:
    """A path as the user writes it: from the project or from the home folder."""
    for folder, name in ((repository_root(Path.cwd()), ""), (Path.home(), "~/")):
        if origin.startswith(f"{folder}/"):
            return name + origin[len(str(folder)) + 1 :]
    return origin
