"""A coding agent in the terminal, made of the public surface of brim and of the Anthropic SDK.

python docs/examples/agent                                            with your key in ANTHROPIC_API_KEY
python docs/examples/agent --scripted docs/examples/agent/demo.json   without one
"""

import argparse
import os
import readline  # noqa: F401 -- lines can be edited
import sys
import warnings
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import anthropic
from agent import Agent, Terminal
from httpx2 import HTTPError
from scripted import Script

from brim import BrimError
from brim.sessions import SessionStore, open_store
from brim.sessions.records import UsageRecord
from brim.settings import layer_of, load_settings, project_of

MODEL = "claude-sonnet-5-5"
FLAGS = ("threshold", "target_tokens", "profile", "preferences.permission_mode")
HELP = "/compact, /checkpoints, /restore NAME, /undo, /help, /quit; Ctrl-C stops the agent, Ctrl-D leaves it"
DIM, PLAIN = ("\033[2m", "\033[0m") if sys.stdout.isatty() and "NO_COLOR" not in os.environ else ("", "")


def note(text: str) -> None:
    """A line beside the conversation."""
    print(f"{DIM}{text}{PLAIN}", flush=True)


def confirm(question: str) -> str:
    """The first letter of the answer; no where there is none."""
    try:
        return input(question).strip().lower()[:1]
    except EOFError:
        return "n"


def options_of(words: list[str]) -> Any:
    """The options; the flags of the window are those of "Approach A", and set the policy like those of brim."""
    parser = argparse.ArgumentParser(prog="agent", description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--session", help="go on with this session")
    parser.add_argument("--project", type=Path, help="the folder to work in; by default this one, or the session's")
    parser.add_argument("--model", help=f"the model, by default {MODEL}")
    parser.add_argument("--agent", default="build", help="who you talk to: build, plan, or one of the project's")
    parser.add_argument("--permission-mode", dest="preferences.permission_mode", metavar="MODE")
    parser.add_argument("--scripted", type=Path, metavar="FILE", help="play the model from a script, without a key")
    parser.add_argument("--context-window-threshold", dest="threshold", metavar="TOKENS", help="compact from here on")
    parser.add_argument(
        "--context-window-target", dest="target_tokens", metavar="TOKENS", help="hold so much afterwards"
    )
    parser.add_argument(
        "--experimental-context-window",
        dest="profile",
        action="store_const",
        const="windowing",
        help="compact at 80,000 tokens, and keep 30,000 and at least 10 messages",
    )
    return parser.parse_args(words)


def talk(agent: Agent) -> None:
    """Prompts and commands until the user leaves."""
    while True:
        note(agent.status)
        try:
            prompt = input("> ").strip()
        except EOFError:
            return
        if prompt in ("/quit", "/exit"):
            return
        try:
            if prompt.startswith("/"):
                command(agent, *prompt[1:].split(maxsplit=1))
            elif prompt:
                agent.turn(prompt)
        except (BrimError, anthropic.APIError, HTTPError) as error:  # the last where a stream breaks off
            note(f"{type(error).__name__}: {error}")


def command(agent: Agent, name: str = "help", argument: str = "") -> None:
    """A command of the user."""
    if name == "compact":
        made = agent.compactor.compact(agent.window(), focus=argument or None)
        if agent.session.compacted(made) is None:
            note(made.plan.reason)
    elif name == "checkpoints":
        for one in agent.checkpoints.list():
            note(f"{one.id}  {one.name}")
    elif name == "restore":
        note(f"files changed: {agent.checkpoints.restore(argument).record.changed}; /undo takes it back")
    elif name == "undo":
        note(f"files changed: {agent.checkpoints.undo().record.changed}")
    else:
        note(HELP)
    agent.resume()


def pay_for(store: SessionStore, session: str, terminal: Terminal) -> None:
    """Add what a session and those of its sub-agents have cost so far; the log has no usage of summaries."""
    for past in store.sessions():
        if session in (past.id, past.parent):
            with store.read(past.id) as log:
                for record in log.records():
                    if isinstance(record, UsageRecord):
                        terminal.pay(record.model, record.usage)


def main(words: list[str]) -> int:
    """Run the agent; an interrupted one is made anew from its session, as after a crash."""
    options = options_of(words)
    warnings.simplefilter("always")
    warnings.showwarning = lambda message, *_, **__: note(f"brim: {message}")
    with ExitStack() as stack:
        try:
            return run(options, stack)
        except (BrimError, anthropic.AnthropicError, OSError, ValueError, KeyError) as error:
            note(f"agent: {type(error).__name__}: {error}")
            return 1


def run(options: Any, stack: ExitStack) -> int:
    """Talk until the user leaves."""
    terminal = Terminal(lambda text: print(text, end="", flush=True), note, confirm)
    store, name = open_store(), options.session
    past = store.info(name) if name else None
    project = (options.project or Path(past.project if past and past.project else ".")).resolve()
    flags = {one: value for one, value in vars(options).items() if one in FLAGS and value is not None}
    layer = layer_of(flags, dict.fromkeys(flags, "flags"))
    settings = load_settings(project_of(project), environ=os.environ, flags=layer)
    script = Script(options.scripted) if options.scripted else None
    server = stack.enter_context(script.server()) if script else None
    client = stack.enter_context(server.client() if server else anthropic.Anthropic())
    if client.api_key is client.auth_token is client.credentials is None:
        note("there is no key: set ANTHROPIC_API_KEY, or play the model from a script with --scripted FILE")
        return 1
    model = script.model if script else options.model or settings.preferences.default_model or MODEL
    if past:
        pay_for(store, past.id, terminal)
    while True:
        with store.open(name) if name else store.create(project=str(project), model=model) as session:
            if name is None:
                note(f"session {session.id}; --session {session.id} goes on with it")
            name = session.id
            try:
                limits = script.limits if script else None
                agent = Agent(client, session, project, terminal, settings, name=options.agent, limits=limits)
                talk(agent)
            except KeyboardInterrupt:
                note("\nstopped; Ctrl-D leaves")
            else:
                return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
