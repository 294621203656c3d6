"""A callback of the LiteLLM proxy: brim compacts the messages of chat completions before they go to a model.

Put it beside the proxy's config.yaml, and there `litellm_settings: {callbacks: litellm_callback.compacting}`.
"""

import asyncio
import threading
from typing import Any

from litellm.integrations.custom_logger import CustomLogger

from brim import Compactor, Conversation, ModelLimits

LIMITS = ModelLimits(context_window=60_000, max_output_tokens=8_000)  # of your model


class Compacting(CustomLogger):
    """Knows each caller's conversations again by their messages; nobody else's are compared."""

    known: tuple[tuple[Any, Conversation], ...] = ()
    lock = threading.Lock()

    async def async_pre_call_hook(self, user_api_key_dict: Any, cache: Any, data: Any, call_type: str) -> Any:  # noqa: ARG002
        """Change a request before it is sent."""
        if data.get("messages") and call_type in {"completion", "acompletion"}:
            owner = (user_api_key_dict.api_key, data["model"])
            data["messages"] = await asyncio.to_thread(self.compacted, owner, data["messages"], data.get("tools"))
        return data

    def compacted(self, owner: Any, messages: list[Any], tools: Any) -> list[Any]:
        """Return what is sent in place of messages, which continue a known conversation or begin one."""
        with self.lock:
            own = [one for by, one in self.known if by == owner and one.messages == messages[: len(one.messages)]]
            conversation = max(own, key=lambda one: len(one.messages), default=Conversation(Compactor(limits=LIMITS)))
            self.known = (*(one for one in self.known[-99:] if one[1] is not conversation), (owner, conversation))
            conversation.extend(messages[len(conversation.messages) :])
            return [*conversation.prepare(tools=tools).messages]


compacting = Compacting()
