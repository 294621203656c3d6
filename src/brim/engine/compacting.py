"""A client of the SDK that compacts: `client = brim.compacting(Anthropic())`.

Specified by features/engine/compacting.feature (TRG_25).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from brim.anthropic.summarizer import AnthropicSummarizer
from brim.compaction.policy import CompactionPolicy, read_policy
from brim.engine.compactor import Compactor, no_client
from brim.engine.driving import Listener
from brim.errors import InvalidInput, Refused
from brim.models import ModelLimits

if TYPE_CHECKING:
    from brim.engine.middleware import Pinned
    from brim.sessions.session import Session

ClientT = TypeVar("ClientT")


def compacting(
    client: ClientT,
    *,
    limits: ModelLimits | Mapping[str, ModelLimits] | None = None,
    policy: CompactionPolicy | None = None,
    on_event: Listener | Iterable[Listener] | None = None,
    sleep: Callable[[float], Any] | None = None,
    strict: bool = False,
    recall: bool | None = None,
    session: Session | None = None,
    pinned: Pinned | None = None,
) -> ClientT:
    """Return a client of the same type that compacts each conversation before a request would overflow its window.

    It judges each request by the limits of the model that the request names, and that model writes the summary unless
    the policy names another. Summaries are asked for with `client` itself, which stays as it is. Set its key and
    headers first: a copy made with other ones still summarizes with these. A client that compacts already is returned
    as it is.

    Args:
        client: an Anthropic or AsyncAnthropic client.
        limits: what the models can hold, or a mapping by model; otherwise the table of brim, or the provider is asked.
        policy: every setting that governs compaction.
        on_event: one listener or several; each receives every event (CMP_06).
        sleep: waits for a number of seconds, between attempts at a summary.
        strict: raise UnknownLimits for a model whose context window is unknown; otherwise its requests go out
            unchanged, with one warning.
        recall: True is short for the policy's field: every request offers the model a tool by which it searches what
            was compacted away, and brim answers its calls within the request (REC_01). False turns it off.
        session: recall searches the log of this session in place of the conversation's own memory (REC_04).
        pinned: gets a copy of each message of each request, and returns whether it stays word for word (CNV_11).

    Raises InvalidInput for a client of another kind, and what a Compactor raises for its settings.
    """
    if not hasattr(client, "messages") or not hasattr(client, "with_options"):
        cure = "; for an OpenAI client, Compactor(summarizer=OpenAISummarizer(client), …) compacts its messages"
        raise no_client(client, cure * hasattr(client, "responses"))
    if without_compaction(client) is not client:
        if any(given is not None for given in (limits, policy, on_event, sleep, recall, session, pinned)) or strict:
            raise InvalidInput("this client compacts already: pass the settings where it was made")
        return client
    if recall is not None:
        policy = read_policy(policy).model_copy(update={"recall": recall})
    compactor = Compactor[Any](
        client,
        limits=limits,
        policy=policy,
        summarizer=AnthropicSummarizer(client),  # which asks the model of each request
        on_event=on_event,
        sleep=sleep,
    )
    compacts: ClientT = with_compaction(client, compactor, strict=strict, session=session, pinned=pinned)
    return compacts


def with_compaction(client: Any, compactor: Compactor[Any], **options: Any) -> Any:
    """Return the client with the middleware innermost, so that other middleware sees what the caller sends.

    The options are those of `RequestMiddleware`. A client that compacts already is returned as it is.
    """
    from brim.engine.middleware import compaction  # noqa: PLC0415 - it loads the SDK

    if without_compaction(client) is not client:
        return client
    return client.with_options(middleware=[*client.middleware, compaction(compactor, **options)])


def without_compaction(client: Any) -> Any:
    """Return the client without the middleware that compacts; the same one where it has none."""
    from brim.engine.middleware import RequestMiddleware  # noqa: PLC0415 - it loads the SDK

    others = [entry for entry in client.middleware if not isinstance(entry, RequestMiddleware)]
    return client if len(others) == len(client.middleware) else client.with_options(middleware=others)


def tool_runner(client: Any, compactor: Compactor[Any] | None = None, /, **arguments: Any) -> Any:
    """Return what `client.beta.messages.tool_runner(**arguments)` gives, each request judged first, in mid-turn too.

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
