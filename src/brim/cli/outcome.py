"""What `brim compact` was asked, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from brim.cli.limits import unknown
from brim.cli.writing import NewConversation, begins_with_assistant
from brim.compaction.result import Compaction
from brim.settings import Settings
from brim.transcripts import Transcript

BEGINS_WITH_ASSISTANT: Final = (
    "the conversation begins with the assistant, as the transcript does; Anthropic's API wants the user's message first"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What was asked on the command line."""

    file: Path
    output: Path | None = None
    to: str | None = None
    """The format of the output, where it is not that of the transcript."""
    at: int | None = None
    model: str | None = None
    window: int | None = None
    max_output: int | None = None
    settings: Settings
    summarizer: str = "template"
    full_summary: bool = False
    missing: bool = False
    """Whether the page lists what is missing."""
    dry_run: bool = False
    as_json: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What came of it, and what there is to say of it."""

    transcript: Transcript
    compaction: Compaction
    model: str | None
    window: int | None
    messages: int
    """Messages of the caller's conversation."""
    mended: int
    """Messages that stay and were changed or added first, because the API refuses them as they were: calls and results
    in pairs, nothing empty, no thinking without its signature."""
    written: NewConversation | None = None
    """What is written, or would be; None where no output is named."""
    replaced: bool = False
    """Whether a file stood in the place that it is written to."""

    @property
    def unjudged(self) -> str | None:
        """Why it was not judged whether it was due; None where it was."""
        return None if self.window else unknown(self.model)

    @property
    def complaint(self) -> str | None:
        """Why the API would refuse the conversation as it is now; None where nothing is known against it."""
        begun = begins_with_assistant(self.compaction.conversation, self.compaction.format)
        if self.written is not None:
            begun = self.written.by_assistant
        return BEGINS_WITH_ASSISTANT if begun else None
