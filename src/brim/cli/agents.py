"""`brim agents`: which agents there are, what each may do, and which rule decides about a use of a tool."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from brim.cli.commands import Commands
from brim.cli.options import Json

if TYPE_CHECKING:
    from brim.agents.definitions import AgentFiles

app = Commands(
    name="agents",
    help="Look at the agents of a project and their permissions.",
    short_help="List agents, and check a permission.",
)

Name = Annotated[str, typer.Argument(metavar="NAME", help="The name of the agent.")]


@app.command("list", short_help="The agents that are built in, and those of the user and the project.")
def list_agents(json: Json = False) -> None:
    """List the agents that are built in, and those that the files of OpenCode and Claude Code define here."""
    from brim.cli.agent_reports import AgentList

    files = _files()
    AgentList.read(agents=tuple(files.agents.values()), faults=files.faults).give(as_json=json)


@app.command(short_help="What an agent is for, and the rules that hold for it.")
def show(name: Name, json: Json = False) -> None:
    """Show an agent: its mode, its model, its tools, its prompt, and every rule that holds for it here, in order."""
    from brim.agents.definitions import permissions_of
    from brim.cli.agent_reports import OneAgent

    files = _files()
    agent = files.named(name)
    OneAgent.read(agent=agent, permissions=permissions_of(agent, files.permissions)).give(as_json=json)


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
    from brim.cli.agent_reports import DecisionReport
    from brim.cli.limits import WrongUsage
    from brim.cli.settings import settled
    from brim.errors import nearest
    from brim.memory.discovery import repository_root

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
        place=Place(str(Path.cwd()), str(repository_root(Path.cwd())), str(Path.home())),
        callers=[files.named(one) for one in called_by or ()],
        mode=settings.preferences.permission_mode,
    )
    DecisionReport.read(use=use, agent=agent, decided=decision).give(as_json=json)
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


def _files() -> AgentFiles:
    """The agents there are; standard error says what could not be read."""
    from brim.agents.definitions import load_agents
    from brim.cli import complain
    from brim.memory.discovery import repository_root

    files = load_agents(repository_root(Path.cwd()), folder=Path.cwd())
    complain(*files.faults)
    return files
