"""A run under a compaction control: what is known of its history, and when its summary is due.

Part of the compaction control; specified by features/engine/compaction_control.feature (CMP_11, TRG_11, TRG_19).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from brim.anthropic.context_edits import BETA_HEADER, COMPACTION, as_message, messages_of, refuse_second, usage_of
from brim.compaction.result import Compaction
from brim.engine.control.control_settings import Control
from brim.engine.progress import Progress
from brim.engine.reading import read_usage
from brim.trigger.overflow import Verdict

RUNNER_ONLY: Final = frozenset(
    {"stream", "run_tools_eagerly", "extra_headers", "extra_query", "extra_body", "timeout", "thread"}
)
"""Arguments of a tool runner that are no parameters of a request."""
KEPT: Final = frozenset({"betas", "user_profile_id", "workspace_id"})
"""Parameters that stay where new ones do not name them."""
WHOLE: Final = {"thread": False}
"""The whole history goes with every request, as it did: a summary replaces what is held here, not at the provider."""


class ControlledRun:
    """The history of one run and its arguments. The messages that were handed in are never changed (CNV_07)."""

    def __init__(self, client: Any, control: Control, arguments: Mapping[str, Any]) -> None:
        refuse_second(arguments, COMPACTION, "compaction_control")
        self.client, self.control = client, control
        self.messages = messages_of(arguments)
        self.tools = list(arguments["tools"])
        self.edited = False
        """Whether whoever runs it appended messages to the answer at hand: the history is theirs then."""
        self.compactions: list[Compaction] = []
        most = arguments.get("max_iterations")
        self._left = most if isinstance(most, int) else None
        named = {"messages", "tools", "max_iterations"}
        self._arguments = WHOLE | {name: value for name, value in arguments.items() if name not in named}
        self._progress = Progress()
        self._just_compacted = False

    def runner(self) -> Any:
        """A runner of the SDK that goes on from here."""
        limited = {} if self._left is None else {"max_iterations": self._left}
        messages = list(self.messages)
        return self.client.beta.messages.tool_runner(messages=messages, tools=self.tools, **limited, **self._arguments)

    def take(self, answer: Any) -> bool:
        """An answer is done with; whether its tools are to be run and another request follows."""
        self._left = None if self._left is None else self._left - 1
        reason = answer.stop_reason
        message = as_message(answer)
        if reason == "compaction":
            self.messages = [message] if any(block.get("content") for block in message["content"]) else self.messages
        elif not self.edited:
            self.messages.append(message)
        return reason == "tool_use" and self._left != 0

    def answered(self, results: Any) -> None:
        """The tools of the answer were run."""
        if results is not None:
            self.messages.append(results)

    def judge(self, answer: Any) -> Verdict:
        """Whether the tokens of an answer reach the threshold (TRG_11). Raises CompactionStalled (TRG_19)."""
        held, threshold = read_usage(usage_of(answer)).total, self.control.threshold
        due = held >= threshold
        verdict = Verdict(due, f"threshold ({held} >= {threshold})" if due else "under threshold", held, threshold)
        if self._just_compacted:
            self._just_compacted = False
            self._progress = self._progress.compacted(verdict, len(self.messages))
        self._progress = self._progress.observed(verdict)
        self._progress.check()
        return verdict

    def replace(self, compaction: Compaction) -> bool:
        """Let a summary stand for the history; whether it was carried out."""
        self._just_compacted = True
        if compaction.plan.acts:
            self.messages = compaction.messages
            self.compactions.append(compaction)
        return compaction.plan.acts

    def told(self) -> list[Any]:
        """The history as dictionaries, without what is no message of the user or the model."""
        read = (as_message(message) for message in self.messages)
        return [message for message in read if message["role"] != "system"]

    def carried(self) -> dict[str, Any]:
        """What goes with the messages of every request."""
        system = self._arguments.get("system")
        tools = [tool if isinstance(tool, Mapping) else tool.to_dict() for tool in self.tools]
        return {"system": system if isinstance(system, str | list) else None, "tools": tools}

    @property
    def model(self) -> str:
        """The model of the run."""
        return str(self._arguments["model"])

    def summarising_client(self) -> Any:
        """The client that asks for summaries, with the betas of the run: its history may need them."""
        betas = self._arguments.get("betas")
        if not isinstance(betas, list | tuple) or not betas:
            return self.client
        return self.client.with_options(default_headers={BETA_HEADER: ",".join(betas)})

    def append(self, messages: Iterable[Any], *, to_answer: bool) -> None:
        """Messages were appended, while an answer was handled or between two."""
        self.messages.extend(as_message(message) for message in messages)
        self.edited = self.edited or to_answer

    def adopt(self, parameters: Mapping[str, Any]) -> None:
        """Other parameters were set, in place of the former."""
        kept = {name: value for name, value in self._arguments.items() if name in RUNNER_ONLY | KEPT}
        named = {name: value for name, value in parameters.items() if name not in ("messages", "tools")}
        self._arguments = kept | named
        self.messages = messages_of(parameters)

    def add_tools(self, tools: Iterable[Any]) -> None:
        """Tools were added, in place of those of the same name."""
        added = {_name(tool): tool for tool in tools}
        self.tools = [*(tool for tool in self.tools if _name(tool) not in added), *added.values()]

    def remove_tools(self, tools: Iterable[Any]) -> None:
        """Tools were taken away, each told by itself or by its name."""
        gone = {tool if isinstance(tool, str) else _name(tool) for tool in tools}
        self.tools = [tool for tool in self.tools if _name(tool) not in gone]


def _name(tool: Any) -> Any:
    return tool.get("name") if isinstance(tool, Mapping) else getattr(tool, "name", None)
