"""Aider's chat history: Markdown that holds every chat held in a folder, one after another.

The beginning of a line says whose it is: the user's, aider's own, else the model's. Of what was sent, the file has the
words alone: no files, no map of the repository, no instructions, and tokens as they were shown, rounded. An answer ends
where aider writes its tokens, or anything else of its own. Where the user wrote nothing before an answer, what aider
wrote is what it sent: the edits that did not apply, or that it found a request in a file.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from typing import Final

from brim.conversation.messages import SYNTHETIC, Marks
from brim.transcripts.blocks import Block, text_block, thinking_block
from brim.transcripts.reader import Entry, Reader, measured, remind
from brim.transcripts.source import Json, Source, moment

STARTED: Final = "# aider chat started at "
BREAK: Final = "  "
"""How each line ends that the user or aider wrote; Markdown of the model's may begin as theirs do."""
REFUSED: Final = re.compile(r"> # \d+ SEARCH/REPLACE blocks? failed")
"""How aider begins to tell the model which edits did not apply; it ends with the next line that ends as its own do."""
QUESTION: Final = re.compile(r"\(Y\)es/\(N\)o")
"""A question of aider's and what the user answered: none of it goes to the model."""
COMMAND: Final = re.compile(r"/(?!(?:ask|code|architect|context)\s)[a-z-]+")
"""A command to aider; four of them bring words for the model."""
MODEL: Final = re.compile(r"(?:Main model|Model): (\S+) with ")
VERSION: Final = re.compile(r"Aider v(\S+)$")
NUMBER: Final = r"([\d.,]+[kM]?)"
TOKENS: Final = re.compile(
    rf"Tokens: {NUMBER} sent(?:, {NUMBER} cache write)?(?:, {NUMBER} cache hit)?, {NUMBER} received"
)
UNITS: Final = {"k": 1_000, "M": 1_000_000}
MARK: Final = re.compile(r"<(?P<end>/?)(?P<tag>thinking-content-\w+)>|► \*\*(?P<word>THINKING|ANSWER)\*\*")
"""Begins or ends reasoning, in the two ways in which aider sets it apart."""


class Aider(Reader):
    """The chats of a history. Nothing of it can be damaged: what is no message is a line of aider's own."""

    name = "aider"
    form = "aider chat history (Markdown)"

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._words: list[tuple[int, str]] = []
        """The lines of the message that is being read."""
        self._by_user = False
        self._chats = 0
        self._asked = False
        self._started: datetime | None = None
        """When the chat began, until its first request."""
        self._own: list[tuple[int, str]] = []
        """What aider itself wrote since the last message."""
        self._last: Entry | None = None
        """The previous answer, until the user writes again."""
        self._refusing = False
        """Whether aider is telling the model which edits did not apply."""

    @classmethod
    def recognise(cls, source: Source) -> bool:
        """Return whether the file is Markdown in which a chat of aider's begins."""
        return source.text is not None and any(line.startswith(STARTED) for line in source.text.split("\n"))

    def records(self) -> Iterator[tuple[int, str]]:
        """Yield the numbered lines."""
        for number, line in enumerate((self.source.text or "").split("\n"), 1):
            yield number, line.removesuffix("\r")

    def add(self, line: int, record: str) -> None:
        """Read the next line."""
        is_own = record.endswith(BREAK)
        if self._refusing or REFUSED.match(record):
            self._refuse(line, record)
        elif record.startswith(STARTED):
            self._start(record)
        elif record.startswith("#### ") and is_own:
            self._user(line, record.removeprefix("#### ").removesuffix(BREAK))
        elif record.startswith("> ") and is_own:
            self._aider(line, record.removeprefix(">").strip())
        elif record.strip() or (self._words and not self._by_user):
            if self._by_user:
                self.close()
            self._words.append((line, record))

    def _start(self, line: str) -> None:
        """A chat begins; an empty one is counted."""
        self._started = moment(line.removeprefix(STARTED).strip())
        self.close()
        self._chats += 1
        self.start_conversation()
        self._asked, self._last, self._own = False, None, []

    def _refuse(self, number: int, line: str) -> None:
        self.close()
        self.left_out["lines of aider's own"] += 1
        self._own.append((number, line.removeprefix("> ").rstrip()))
        self._refusing = not line.endswith(BREAK)

    def _user(self, number: int, word: str) -> None:
        if QUESTION.search(word):
            self.left_out["questions of aider's"] += 1
            return
        if not self._by_user:
            self.close()
            self._by_user = True
        self._words.append((number, word))

    def finish(self) -> None:
        """End the last chat."""
        self.close()
        self.notes.append("aider writes down its tokens as it shows them, rounded to hundreds or thousands")
        self.notes.append(
            "aider does not write down the files and the map of the repository that it sends with every prompt"
        )
        if self.source.path.name == ".aider.chat.history.md":  # which lies in the project's folder
            self.about["folder"] = str(self.source.path.resolve().parent)
        silent = self._chats - self.conversations
        if silent > 0:
            self.left_out["chats without a word"] = silent

    def close(self, *, answered: bool = False) -> None:
        """End the message that is being read. Of words that nobody asked for, only `answered` tokens make an answer."""
        words, by_user = self._words, self._by_user
        self._words, self._by_user = [], False
        text = "\n".join(word for _, word in words).strip()
        if not text:
            return
        line = words[0][0]
        if by_user:
            self._prompt(line, text)
        elif self._asked or answered:
            self._answer(line, text)
        else:
            self.left_out["lines outside a chat"] += sum(bool(word.strip()) for _, word in words)

    def _prompt(self, line: int, text: str) -> None:
        if COMMAND.match(text):
            self.left_out["commands"] += 1
            return
        self.time, self._started = self._started, None
        self.add_message(line, [text_block(text)])
        self.time = None
        self._asked, self._last, self._own = True, None, []

    def _answer(self, line: int, text: str) -> None:
        if self._own and (self._last is not None or not self._asked):
            said = remind("\n".join(own for _, own in self._own))
            self.add_message(self._own[0][0], [text_block(said)], SYNTHETIC)
        self._last = self.add_response(line, answer_blocks(text), model=self.about.get("model"))
        self._asked, self._own = True, []

    def _aider(self, number: int, own: str) -> None:
        """A line of aider's: tokens, the model, the version, or a word of its own."""
        model, version, usage = MODEL.match(own), VERSION.match(own), usage_of(own)
        self.close(answered=usage is not None)
        self.left_out["lines of aider's own"] += 1
        self.about |= {"model": model[1]} if model else {"version": version[1]} if version else {}
        if usage is not None and self._last is not None and self._last.usage is None:
            self._last.usage = measured("openai", usage, self.about.get("model"))
        elif own == "^C KeyboardInterrupt" and self._last is not None and self._last.usage is None:
            self._last.marks = Marks(error="interrupted", aborted=True)
        elif own and usage is None:
            self._own.append((number, own))


def usage_of(told: str) -> Json:
    """Return the token counts on a line, by the names of chat completions; None where it has none."""
    found = TOKENS.match(told)
    if found is None:
        return None
    sent, written, hit, received = (_count(number) for number in found.groups())
    cached = {"cached_tokens": hit, "cache_write_tokens": written}
    return {"prompt_tokens": sent, "completion_tokens": received, "prompt_tokens_details": cached}


def _count(shown: str | None) -> int:
    """Return a number as aider shows it: with thousands separated, or rounded to thousands or millions."""
    if not shown:
        return 0
    digits = shown.rstrip("kM").replace(",", "").strip(".")
    whole = re.fullmatch(r"\d+(?:\.\d+)?", digits)
    return int(Decimal(digits) * UNITS.get(shown[-1], 1)) if whole else 0


def answer_blocks(text: str) -> list[Block]:
    """Return an answer's thoughts and its words; a thought that does not end is words."""
    thoughts, words, position = list[str](), list[str](), 0
    opening: re.Match[str] | None = None
    for mark in MARK.finditer(text):
        is_end = bool(mark["end"]) or mark["word"] == "ANSWER"
        if opening is None and not is_end:
            opening = mark
        elif opening is not None and is_end and mark["tag"] == opening["tag"]:
            words.append(text[position : opening.start()])
            thoughts.append(text[opening.end() : mark.start()].strip())
            position, opening = mark.end(), None
    rest = "".join([*words, text[position:]])
    said = rest.strip() if thoughts else rest
    return [*(thinking_block(thought) for thought in thoughts if thought), *([text_block(said)] if said else [])]
