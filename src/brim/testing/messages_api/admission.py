"""Admission: every check between a request's arrival and the model that answers it, in the API's order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from brim.testing.failures import prompt_too_long
from brim.testing.messages_api.api_errors import ApiError, invalid
from brim.testing.messages_api.blocks import THOUGHTS, blocks_of
from brim.testing.messages_api.clearing import clear, edit_faults
from brim.testing.messages_api.counting import Counter
from brim.testing.messages_api.endings import loop_faults, prefill_faults
from brim.testing.messages_api.received import Received
from brim.testing.messages_api.served_models import ServedModel, find_model
from brim.testing.messages_api.server_compaction import check_finished, check_on_demand, check_summaries, compacted
from brim.testing.messages_api.thinking import Mismatch, Signer
from brim.testing.messages_api.threads import Threads
from brim.testing.strictness import body_faults, form_faults

SIZE_MAX = 32 * 1024 * 1024
BINDING_BETA = "thinking-binding-controls-2026-08-01"


@dataclass(frozen=True, slots=True, kw_only=True)
class Admitted:
    """A request that was accepted."""

    sent: Mapping[str, Any]
    """The body as it came, with the whole of its thread."""
    bound: Mapping[str, Any]
    """From its last summary on: what thinking is bound to."""
    read: Mapping[str, Any]
    """What is left of that after clearing: what the model reads."""
    model: ServedModel
    tokens: int
    """What the model reads, in tokens."""
    applied: list[dict[str, Any]] = field(default_factory=list)
    """What was cleared."""
    dropped: list[dict[str, Any]] | None = None
    """The thinking that was dropped; None where nobody asked."""

    def compacted_to(self, block: dict[str, Any], counter: Counter) -> Admitted:
        """The request with a summary in the place of all its messages."""
        messages = [{"role": "assistant", "content": [block]}]
        body = {**self.sent, "messages": messages}
        return replace(self, bound=body, read=body, tokens=counter.request(body))


class Admission:
    """Checks requests, and remembers which calls it handed out behind thinking."""

    def __init__(self, models: Mapping[str, ServedModel], key: str, counter: Counter) -> None:
        self._models = models
        self._key = key
        self._counter = counter
        self._signer = Signer(key)
        self._thoughtful: set[str] = set()
        self.threads = Threads()

    def authorise(self, received: Received) -> None:
        """Raise the API's error for a request without the right key, or without a version."""
        key = received.headers.get("x-api-key")
        bearer = received.headers.get("authorization")
        if not key and not bearer:
            raise ApiError(401, "authentication_error", "x-api-key header is required")
        if key not in {None, self._key}:
            raise ApiError(401, "authentication_error", "invalid x-api-key")
        if not key and bearer != f"Bearer {self._key}":
            raise ApiError(401, "authentication_error", "Invalid bearer token")
        if "anthropic-version" not in received.headers:
            raise invalid("anthropic-version: header is required")

    def admit(self, received: Received) -> Admitted:
        """A request that the model answers. Raises the API's error for any other."""
        body, model = self._well_formed(received)
        if body["max_tokens"] > model.max_tokens:
            told = "which is the maximum allowed number of output tokens for"
            raise invalid(f"max_tokens: {body['max_tokens']} > {model.max_tokens}, {told} {body['model']}")
        check_summaries(body, self._key, received.betas)
        if body.get("compaction") is not None:
            check_on_demand(body)
        else:
            _refuse(prefill_faults(body, prefill=model.prefill))
        bound, dropped = self._checked_thinking(compacted(body), received)
        _refuse(loop_faults(bound, self._thoughtful))
        read, applied = clear(bound, self._counter)
        tokens = self._counter.request(read)
        if tokens > model.context_window:
            raise invalid(prompt_too_long(tokens, model.context_window))
        return Admitted(sent=body, bound=bound, read=read, model=model, tokens=tokens, applied=applied, dropped=dropped)

    def count(self, received: Received) -> dict[str, Any]:
        """The answer to a request to count its tokens."""
        body, _ = self._well_formed(received, counting=True)
        before = compacted(body)
        after, _ = clear(before, self._counter)
        counted: dict[str, Any] = {"input_tokens": self._counter.request(after)}
        if body.get("context_management") is not None:
            counted["context_management"] = {"original_input_tokens": self._counter.request(before)}
        return counted

    def hand_out(self, admitted: Admitted, blocks: Sequence[dict[str, Any]]) -> None:
        """Sign the thinking of an answer, in place, and remember the calls behind it."""
        self._signer.sign(admitted.bound, blocks)
        if blocks and blocks[0]["type"] in THOUGHTS:
            self._thoughtful.update(block["id"] for block in blocks if block["type"] == "tool_use")

    def _well_formed(self, received: Received, *, counting: bool = False) -> tuple[Mapping[str, Any], ServedModel]:
        if received.size > SIZE_MAX:
            raise ApiError(413, "request_too_large", "Request exceeds the maximum size")
        body = self.threads.whole(received.body)
        if not isinstance(body, Mapping):
            raise invalid("The request body is not valid JSON.")
        if body.get("compaction") is not None and not counting and not list(form_faults(body.get("messages"))):
            check_finished(body)
        _refuse(body_faults(body, received.betas, counting=counting))
        _refuse(edit_faults(body, received.betas))
        return body, find_model(self._models, body["model"])

    def _checked_thinking(
        self, body: Mapping[str, Any], received: Received
    ) -> tuple[Mapping[str, Any], list[dict[str, Any]] | None]:
        mismatches = list(self._signer.mismatches(body))
        controlled = BINDING_BETA in received.betas
        binding = (body.get("thinking") or {}).get("block_binding") or {}
        drops = controlled and binding.get("prefix_mismatch_behavior") == "drop_block"
        for mismatch in mismatches:
            if not (drops and mismatch.bound_elsewhere):
                raise invalid(mismatch.message)
        return _without(body, mismatches), [_told(mismatch) for mismatch in mismatches] if controlled else None


def _refuse(faults: Iterable[str]) -> None:
    for fault in faults:
        raise invalid(fault)


def _without(body: Mapping[str, Any], mismatches: Sequence[Mismatch]) -> Mapping[str, Any]:
    if not mismatches:
        return body
    gone = {id(mismatch.placed.block) for mismatch in mismatches}
    messages = [
        {**message, "content": [block for block in blocks_of(message["content"]) if id(block) not in gone]}
        for message in body["messages"]
    ]
    return {**body, "messages": [message for message in messages if message["content"]]}


def _told(mismatch: Mismatch) -> dict[str, Any]:
    return {"type": "thinking_dropped", "path": mismatch.placed.path, "reason": "prefix_binding_mismatch"}
