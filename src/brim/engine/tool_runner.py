"""The tool runner of the SDK, with compaction between any two of its requests.

See docs/decisions/0049-the-tool-runner-goes-through-the-middleware.md, tests/engine/test_tool_runner.py and
docs/examples/tool_runner.py.
"""

from __future__ import annotations

from typing import Any

from brim.engine.compacting import compacting, with_compaction
from brim.engine.compactor import AsyncCompactor, Compactor
from brim.errors import Refused


def tool_runner(client: Any, compactor: Compactor | AsyncCompactor | None = None, /, **arguments: Any) -> Any:
    """What `client.beta.messages.tool_runner(**arguments)` gives, every request of it judged first, in mid-turn too.

    Streamed or not, for both kinds of client. A client that compacts already keeps its compactor; otherwise `compactor`
    compacts, or without one the default of `compacting`. The history is sent
    with every request instead of being held by the server (`thread=False`): what the server holds cannot be compacted
    here. Raises Refused where a thread is asked for.
    """
    if arguments.get("thread", False) is not False:
        raise Refused(
            f"thread={arguments['thread']!r}: the server would hold the history, where brim cannot compact it; leave "
            "it out, or call client.beta.messages.tool_runner and let the provider compact"
        )
    compacts = compacting(client) if compactor is None else with_compaction(client, compactor)
    return compacts.beta.messages.tool_runner(**{**arguments, "thread": False})
