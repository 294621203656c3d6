"""The errors of brim, one base and few kinds.

    BrimError
    ├── InvalidInput            the input does not have the form that was asked for
    ├── Refused                 it is of the form, and a rule refuses it
    │   ├── UnknownLimits       the context window of the model is unknown
    │   ├── ContextOverflow     what must be kept does not fit into the usable context
    │   ├── CompactionStalled   compacting again and again would not help
    │   └── SessionHeld         another process writes the session
    ├── ProviderRefused         the provider refuses the request, and waiting does not cure it
    │   ├── NoKey               no key was given
    │   ├── WrongKey            the key is not known, or may not do this
    │   └── UnknownModel        the provider has no model of that name
    ├── ProviderFailed          the provider could not be reached, or failed, for as long as was tried
    ├── SummaryFailed           no attempt gave an acceptable summary, and the policy is to raise
    ├── StoreFailed             what is stored could not be read or written
    └── CompactionCancelled     the caller cancelled it; nothing has changed

A message says what was met, with its numbers, and what would cure it.
"""

from __future__ import annotations

from collections.abc import Mapping


class BrimError(Exception):
    """Anything that brim itself reports; never raised bare."""


class InvalidInput(BrimError):
    """Input that is not of the form asked for: names the message and the field."""


class Refused(BrimError):
    """A request that a rule of the rulebook refuses: names the numbers and the cure."""


class UnknownLimits(Refused):
    """A model whose context window is unknown: names the model (TRG_23)."""


class ContextOverflow(Refused):
    """What must be kept does not fit into the usable context, however much is summarized (TRG_18, TRG_19)."""

    def __init__(self, message: str, parts: Mapping[str, int] | None = None) -> None:
        super().__init__(message)
        self.parts = dict(parts or {})
        """Tokens, by estimate, of each part that must be kept: system prompt, tools, pinned messages ..."""


class CompactionStalled(Refused):
    """Three compactions in a row left the window due, although what must be kept fits: names their numbers (TRG_19)."""


class SessionHeld(Refused):
    """Another process writes this session: names it, its machine and since when (SES_08)."""


class ProviderRefused(BrimError):
    """The provider refuses a request, and waiting does not cure it."""


class NoKey(ProviderRefused):
    """No key was given to the client."""


class WrongKey(ProviderRefused):
    """The provider does not know the key, or it may not do what was asked."""


class UnknownModel(ProviderRefused):
    """The provider has no model of that name."""


class ProviderFailed(BrimError):
    """The provider could not be reached, or failed, for as long as was tried."""


class SummaryFailed(BrimError):
    """No attempt gave an acceptable summary; the conversation is unchanged (SUM_06)."""


class StoreFailed(BrimError):
    """The store could not be read or written: no room, no permission, no server. Nothing was acknowledged (SES_07)."""


class CompactionCancelled(BrimError):
    """The caller cancelled a compaction before it was done; nothing has changed (CMP_08)."""
