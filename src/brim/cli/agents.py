"""`brim agents`: which agents there are, what each may do, and which rule decides about a use of a tool."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from brim.cli.options import Json

if TYPE_CHECKING:
    from brim.agents.definitions import AgentDefinition, AgentFiles
    from brim.agents.permissions import Decision, Permissions

app = typer.Typer(
    name="agents",
    help="Look at the agents of a project and their permissions.",
    short_help="List agents, and check a permission.",
    rich_markup_mode=None,
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the agent.")]


@app.command("list", short_help="The agents that are built in, and those of the user and the project.")
def list_agents(json: Json = False) -> None:
    """List the agents that are built in, and those that the files of OpenCode and Claude Code define here."""
    from brim.cli.output import console, print_json, safe

    files = _files()
    if json:
        print_json({"agents": [_row(one) for one in files.agents.values()], "faults": [*files.faults]})
    else:
        out = console()
        for one in files.agents.values():
            out.print(f"[bold]{safe(one.name)}[/]  {one.mode}{safe(f'  {one.model}' if one.model else '')}")
            out.print(f"  {safe(one.description or 'no description')}", soft_wrap=True)
            out.print(f"  [dim]{safe(_short(one.origin))}[/]", soft_wrap=True)


@app.command(short_help="What an agent is for, and the rules that hold for it.")
def show(name: Name, json: Json = False) -> None:
    """Show an agent: its mode, its model, its tools, its prompt, and every rule that holds for it here, in order."""
    from brim.agents.definitions import permissions_of
    from brim.cli.output import console, print_json, safe

    files = _files()
    agent = files.named(name)
    layers = permissions_of(agent, files.permissions)
    if json:
        print_json({**_row(agent), "prompt": agent.prompt, "permissions": [_layer(one) for one in layers]})
    else:
        out = console()
        out.print(f"[bold]{safe(agent.name)}[/]  {agent.mode}  [dim]{safe(_short(agent.origin))}[/]", soft_wrap=True)
        out.print(safe(agent.description or "no description"), soft_wrap=True)
        out.print(f"model   {safe(agent.model or 'that of the agent that calls')}")
        out.print(f"tools   {safe(', '.join(_tools(agent)) or 'all')}", soft_wrap=True)
        for layer in layers:
            order = "the last that matches decides" if layer.style == "opencode" else "deny, then ask, then allow"
            out.print(f"rules in the manner of {_system(layer.style)}: {order}", soft_wrap=True)
            for rule in layer.rules:
                out.print(f"  {safe(rule.text)}  [dim]{safe(_short(rule.origin))}[/]", soft_wrap=True)
        if agent.prompt:
            out.print(f"\n{safe(agent.prompt)}", soft_wrap=True)


@app.command(short_help="Whether a tool may be used, by which rule, and why.")
def check(
    use: Annotated[
        str, typer.Argument(metavar="USE", help='A tool and what it is used with, such as "Bash(git push)".')
    ],
    agent: Annotated[str, typer.Option("--agent", metavar="NAME", help="The agent that would use it.")] = "build",
    called_by: Annotated[
        list[str] | None,
        typer.Option("--called-by", metavar="NAME", help="An agent that called it; what that is denied stays denied."),
    ] = None,
    style: Annotated[
        str | None,
        typer.Option("--style", metavar="STYLE", help="Only rules of this style: opencode or claude-code."),
    ] = None,
    mode: Annotated[
        str | None,
        typer.Option(
            "--permission-mode",
            metavar="MODE",
            help="For what no rule decides: default, acceptEdits, plan, dontAsk or bypassPermissions.",
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Say whether an agent may use a tool here, which rule decides, and why.

    The exit code is 0 where the use is allowed, and 1 where it is asked about or denied.
    """
    from brim.agents.definitions import decide_for
    from brim.agents.permissions import STYLES, Place, input_of
    from brim.cli.limits import WrongUsage
    from brim.cli.output import print_json
    from brim.cli.settings import settled
    from brim.errors import nearest

    if style is not None and style not in STYLES:
        raise WrongUsage(f"there is no style {style}; {nearest(style, STYLES)}")
    asked = _tool_and_subject(use)
    files = _files()
    project = [one for one in files.permissions if style in (None, one.style)]
    settings = settled({"preferences.permission_mode": mode}, trust_project=False)
    decision = decide_for(
        files.named(agent),
        asked[0],
        input_of(*asked),
        project=project,
        place=Place(str(Path.cwd()), str(_project()), str(Path.home())),
        callers=[files.named(one) for one in called_by or ()],
        mode=settings.preferences.permission_mode,
    )
    if json:
        print_json({"use": use, "agent": agent, **_decided(decision)})
    else:
        _print(decision, agent, use)
    if decision.action != "allow":
        raise typer.Exit(1)


def _tool_and_subject(use: str) -> tuple[str, str]:
    """`Bash(git push)` as `Bash` and `git push`. Raises WrongUsage."""
    from brim.cli.limits import WrongUsage

    tool, bracket, rest = use.strip().partition("(")
    if not tool.strip() or (bracket and not rest.endswith(")")):
        raise WrongUsage(
            f"{use!r} is no use of a tool; write a tool and what it is used with, such as 'Bash(git push)'"
        )
    return tool.strip(), rest[:-1]


def _project() -> Path:
    """The nearest folder with a repository, from here up; this folder where there is none."""
    folder = Path.cwd()
    return next((one for one in (folder, *folder.parents) if (one / ".git").exists()), folder)


def _files() -> AgentFiles:
    """The agents there are; standard error says what could not be read."""
    from brim.agents.definitions import load_agents
    from brim.cli import complain

    files = load_agents(_project(), folder=Path.cwd())
    complain(*files.faults)
    return files


def _short(origin: str) -> str:
    """A path as the user writes it: from the project or from the home folder."""
    for folder, name in ((_project(), ""), (Path.home(), "~/")):
        if origin.startswith(f"{folder}/"):
            return name + origin[len(str(folder)) + 1 :]
    return origin


def _system(style: str) -> str:
    return "OpenCode" if style == "opencode" else "Claude Code"


def _tools(agent: AgentDefinition) -> list[str]:
    return [rule.text.removeprefix("allow ") for rule in agent.tools or ()]


def _row(agent: AgentDefinition) -> dict[str, Any]:
    return {
        "name": agent.name,
        "description": agent.description,
        "mode": agent.mode,
        "model": agent.model or None,
        "tools": None if agent.tools is None else _tools(agent),
        "from": agent.origin,
    }


def _layer(permissions: Permissions) -> dict[str, Any]:
    rules = [{"rule": one.text, "from": one.origin} for one in permissions.rules]
    return {"style": permissions.style, "rules": rules}


def _decided(decision: Decision) -> dict[str, Any]:
    rule = decision.rule
    return {
        "decision": decision.action,
        "reason": decision.reason,
        "part": decision.part or None,
        "rule": rule and rule.text,
        "from": rule and rule.origin,
    }


VERDICTS = {"allow": "[green]allowed[/]", "ask": "[yellow]asked about[/]", "deny": "[red]denied[/]"}


def _print(decision: Decision, agent: str, use: str) -> None:
    """Print a decision with its rule, where that is from, and why (CMD_16)."""
    from brim.cli.output import console, safe

    out = console()
    out.print(f"{safe(use)} by {safe(agent)}: [bold]{VERDICTS[decision.action]}[/]", soft_wrap=True)
    for name, text in _lines(decision):
        out.print(f"  {name:<6} {safe(text)}", soft_wrap=True)


def _lines(decision: Decision) -> Iterable[tuple[str, str]]:
    yield "why", decision.reason
    if decision.rule is not None:
        yield "rule", decision.rule.text
        yield "from", _short(decision.rule.origin)
    if decision.part:
        yield "part", decision.part
