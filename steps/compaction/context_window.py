"""Steps of features/compaction/context_window.feature."""

from __future__ import annotations

from pytest_bdd import when

from brim.compaction.context_window import ContextWindow, Request
from brim.compaction.plan import plan_compaction
from brim.tokens.usage import SYNTHETIC_MODEL, TokenUsage
from steps.conversation_table import filler
from steps.vocabulary import tokens
from steps.worlds.conversation_line import Line
from steps.worlds.notation import Acts, ActsBelow

CARRIED = {
    "system prompt": lambda size: {"system": filler(size)},
    "tool": lambda size: {"tools": [{"name": "read", "description": filler(size), "input_schema": {}}]},
}


class Watched:
    """A window, and what its last act came to."""

    def __init__(self, window: ContextWindow) -> None:
        self.window = window
        self.outputs_cleared, self.saved, self.reason_for_clearing = (), 0, ""

    @property
    def due(self) -> bool:
        """Whether a compaction is due."""
        return self.window.verdict().due

    @property
    def reason(self) -> str:
        """Why it is due, or not."""
        return self.window.verdict().reason

    @property
    def tokens_held(self) -> int:
        """Tokens that the next request holds, as the verdict on it counts them."""
        assert self.window.verdict().held == self.window.held
        return self.window.held

    @property
    def estimated(self) -> int:
        """Tokens by the estimate of everything."""
        return self.window.estimated

    @property
    def characters_a_token(self) -> str:
        """The ratio that was learned or set."""
        return f"{float(self.window.characters_per_token):g}"

    def takes(self, line: str) -> None:
        """Go on by the messages of a line."""
        for message in Line.read(line):
            self.window.append(message)

    def reports(self, count: str, notice: str | None) -> None:
        """Take what the last response reported, or a notice of the harness's own."""
        self.window.record(TokenUsage(input=tokens(count)), model=SYNTHETIC_MODEL if notice else "m")

    def carries(self, what: str, size: str) -> None:
        """Take what the next request has besides its messages."""
        self.window.set_request(Request(messages=[], **CARRIED[what](size)))

    def clears(self) -> None:
        """Clear old outputs."""
        pruning = self.window.prune()
        self.outputs_cleared, self.saved, self.reason_for_clearing = pruning.ids, pruning.saved, pruning.reason

    def goes_on(self, line: str, added: str, last: str) -> None:
        """Take eight rounds with their usages; verdicts after every message teach nothing."""
        asked = self.window.with_messages(())
        for held in range(tokens(added), 9 * tokens(added), tokens(added)):
            for message in Line.read(line):
                self.window.append(message)
                asked.append(message)
                asked.verdict()
            for one in (self.window, asked):
                one.record(TokenUsage(input=held - tokens(last), output=tokens(last)))
        assert asked.characters_per_token == self.window.characters_per_token

    @property
    def characters_removed(self) -> int:
        """The characters that a compaction by hand would replace."""
        return plan_compaction(self.window).removed_characters

    @property
    def conversation(self):
        """The messages as they are now."""
        return tuple(self.window.messages)

    @property
    def messages_sent(self):
        """The indices of the messages that can be sent."""
        form, sources = self.window.sendable()
        assert form.is_sendable
        return list(sources)


COUNT = r"(\d[\d,]*)"
WINDOW = Acts(
    "the window {acts}",
    {
        'takes "([^"]*)"': Watched.takes,
        f"learns of {COUNT} tokens( from a notice of the harness)?": Watched.reports,
        f"has a (system prompt|tool) of {COUNT} tokens": Watched.carries,
        "clears old outputs": Watched.clears,
        f'goes through 8 rounds of "([^"]*)", each of {COUNT} tokens, {COUNT} of them the last answer': Watched.goes_on,
    },
)


@when(WINDOW, target_fixture="outcome")
def act(window, acts):
    watched = Watched(window)
    WINDOW.perform(watched, [acts])
    return watched


@when(ActsBelow("the window acts", WINDOW), target_fixture="outcome")
def act_in_turn(window, datatable):
    watched = Watched(window)
    WINDOW.perform(watched, [cell for row in datatable for cell in row])
    return watched
