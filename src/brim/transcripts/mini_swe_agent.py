"""Trajectories of mini-swe-agent: plain messages, whose answers name one shell command each.

In the first form the command is in a fence inside the text, and its output comes back in the user's role:
read are a call of the shell and its result. In the second form calls and results are marked as such. The output of the
command that submits is recorded last: the agent never sent it, but it is the result of that call.
"""

from __future__ import annotations

import re
from typing import Final

from brim.transcripts.blocks import Block, Given, call_block, text_block, text_of
from brim.transcripts.source import Source, mapping, string
from brim.transcripts.swe_agent import SweAgent

COMMAND: Final = re.compile(r"```(?:bash|mswea_bash_command)[ \t]*\n(.*?)\n?```", re.DOTALL)


class MiniSweAgent(SweAgent):
    """The messages of a trajectory."""

    name = "mini-swe-agent"
    form = "mini-swe-agent trajectory (JSON)"
    listed = "messages"

    @classmethod
    def recognise(cls, source: Source) -> bool:
        """Return whether the file is a trajectory that names its form, or this agent's version."""
        document = mapping(source.document)
        is_named = str(document.get("trajectory_format")).startswith("mini-swe-agent")
        is_ours = is_named or "mini_version" in mapping(document.get("info"))
        return is_ours and isinstance(document.get("messages"), list)

    def finish(self) -> None:
        """Take what the run tells of itself: its version, and of its configuration the model and the folder."""
        config = mapping(self.info.get("config"))
        self.tell(
            version=string(self.info.get("mini_version")),
            model=string(mapping(config.get("model")).get("model_name")),
            folder=string(mapping(config.get("environment")).get("cwd")),
        )

    def acted(self, line: int, message: Given) -> list[Block]:
        """Return an answer's text, its one command taken out as a call; the whole where there is not exactly one."""
        text = text_of(message.get("content"))
        found = list(COMMAND.finditer(text))
        if len(found) != 1:
            return [text_block(text)] if text else []
        around = (text[: found[0].start()].rstrip() + text[found[0].end() :].rstrip()).strip()
        call = call_block(f"call-{line}", "bash", {"command": found[0][1]})
        return [text_block(around), call] if around else [call]
