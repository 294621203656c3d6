"""Any agent, through the middleware, against the strict server: whatever it does, no request of it is refused."""

from typing import Any

import pytest
from anthropic import BadRequestError
from hypothesis import given, settings
from hypothesis import strategies as st

from brim.anthropic.errors import is_overflow
from brim.engine.middleware import compaction
from brim.errors import CompactionStalled, ContextOverflow
from brim.testing import MessagesServer, thinking_block, too_long, tool_call
from steps.prerequisites import sized
from tests.engine.agents import LONG, MODEL, compactor, create

pytestmark = pytest.mark.peers

THINKS = st.booleans()
ACTIONS = st.one_of(
    st.tuples(st.just("call"), THINKS, st.integers(1, 6)),
    st.tuples(st.just("answer"), THINKS, st.integers(1, 300)),
    st.tuples(st.just("overflow"), THINKS, st.integers(1, 6)),
    st.tuples(st.just("retry"), THINKS, st.just(0)),
    st.tuples(st.just("back"), THINKS, st.integers(1, 3)),
)


class Agent:
    """One list, one client, and a model that does what it is told next."""

    def __init__(self, server: MessagesServer, client: Any) -> None:
        self.server, self.client = server, client
        self.messages: list[Any] = [{"role": "user", "content": "Begin."}]
        self.count = 0

    def act(self, kind: str, thinks: bool, size: int) -> None:
        """One round: a call of a tool and its result, an answer and a question, the same again, or a step back."""
        if kind == "back":
            self.back(size)
        elif kind == "retry":
            self.ask("Lost.", thinks)
        elif kind == "answer":
            response = self.ask("Well. " * size, thinks)
            self.messages += [response, {"role": "user", "content": f"And {self.count}? " + "x" * size}]
        else:
            self.server.script(*[too_long()] * (kind == "overflow"))
            response = self.ask(tool_call("read", {"path": f"/notes-{self.count}"}), thinks)
            call = response["content"][-1].id
            result = {"type": "tool_result", "tool_use_id": call, "content": LONG * size}
            self.messages += [response, {"role": "user", "content": [result]}]

    def ask(self, answer: Any, thinks: bool) -> dict[str, Any]:
        """Make the next request."""
        self.count += 1
        said = {"type": "text", "text": answer} if isinstance(answer, str) else answer
        self.server.script([*[thinking_block(f"Thought {self.count}.")] * thinks, said])
        return {"role": "assistant", "content": create(self.client, self.messages).content}

    def back(self, turns: int) -> None:
        """Take back what came since an earlier question, and ask another."""
        asked = [place for place, message in enumerate(self.messages) if isinstance(message["content"], str)]
        self.messages = self.messages[: asked[-min(turns, len(asked))]]
        self.messages.append({"role": "user", "content": f"Rather {self.count}?"})


@settings(max_examples=sized(20, nightly=300))
@given(st.lists(ACTIONS, min_size=10, max_size=40))
def test_no_request_of_it_is_refused(actions):
    """Tool loops with and without thinking, retries, steps back; only what is too long twice over may end it."""
    with (
        MessagesServer(models={MODEL: (400_000, 4_000)}) as server,
        server.client(middleware=[compaction(compactor())]) as client,
    ):
        agent = Agent(server, client)
        for action in actions:
            try:
                agent.act(*action)
            except (CompactionStalled, ContextOverflow):
                return
            except BadRequestError as refusal:
                assert is_overflow(refusal), refusal
                return
