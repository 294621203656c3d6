"""The lines of aider's chat history as a dialogue.

An answer ends where aider tells its tokens, or speaks at all. Where the user said nothing before an answer, what aider
said stands for what it sent: the edits that did not apply, or that it found a request in a file.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final

from brim.conversation.messages import SYNTHETIC, Marks
from brim.transcripts.accumulator import Told, measured
from brim.transcripts.aider.answers import answer_blocks
from brim.transcripts.aider.lines import (
    BREAK,
    COMMAND,
    MODEL,
    QUESTION,
    REFUSED,
    STARTED,
    VERSION,
    aiders,
    usage_of,
    users,
)
from brim.transcripts.blocks import text_block
from brim.transcripts.decoding import moment
from brim.transcripts.dialogue import Dialogue
from brim.transcripts.harness import remind
from brim.transcripts.said import Answer

STOPPED: Final = "^C KeyboardInterrupt"
INTERRUPTED: Final = Marks(error="interrupted", aborted=True)


class History:
    """The chats so far."""

    def __init__(self) -> None:
        self.dialogue = Dialogue()
        self.version: str | None = None
        self.model: str | None = None
        self._words: list[tuple[int, str]] = []
        """The lines of the message that is being read."""
        self._by_user = False
        self._chats = 0
        self._asked = False
        self._started: datetime | None = None
        """When the chat began, until its first request."""
        self._own: list[tuple[int, str]] = []
        """What aider said since the last message."""
        self._last: Answer | None = None
        """The answer before, for as long as the user said nothing."""
        self._refusing = False
        """Whether aider is telling the model which edits did not apply."""

    def add(self, number: int, line: str) -> None:
        """Take in the next line."""
        if self._refusing or REFUSED.match(line):
            self._refuse(number, line)
            return
        word, own = users(line), aiders(line)
        if line.startswith(STARTED):
            self._start(line)
        elif word is not None:
            self._user(number, word)
        elif own is not None:
            self._aider(number, own)
        elif line.strip() or (self._words and not self._by_user):
            self._model(number, line)

    def _start(self, line: str) -> None:
        """A chat begins; one in which nothing was said is counted."""
        self._started = moment(line.removeprefix(STARTED).strip())
        self.close()
        self._chats += 1
        self.dialogue.begin()
        self._asked, self._last, self._own = False, None, []

    def _refuse(self, number: int, line: str) -> None:
        self.close()
        self.dialogue.left_out["lines of aider's own"] += 1
        self._own.append((number, line.removeprefix("> ").rstrip()))
        self._refusing = not line.endswith(BREAK)

    def _user(self, number: int, word: str) -> None:
        if QUESTION.search(word):
            self.dialogue.left_out["questions of aider's"] += 1
            return
        if not self._by_user:
            self.close()
            self._by_user = True
        self._words.append((number, word))

    def _model(self, number: int, line: str) -> None:
        if self._by_user:
            self.close()
        self._words.append((number, line))

    def finish(self) -> None:
        """End the last chat."""
        self.close()
        silent = self._chats - self.dialogue.conversations
        if silent > 0:
            self.dialogue.left_out["chats without a word"] = silent

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
            self.dialogue.left_out["lines outside a chat"] += sum(bool(word.strip()) for _, word in words)

    def _prompt(self, line: int, text: str) -> None:
        if COMMAND.match(text):
            self.dialogue.left_out["commands"] += 1
            return
        self.dialogue.time, self._started = self._started, None
        self.dialogue.say(line, [text_block(text)])
        self.dialogue.time = None
        self._asked, self._last, self._own = True, None, []

    def _answer(self, line: int, text: str) -> None:
        if self._own and (self._last is not None or not self._asked):
            said = remind("\n".join(own for _, own in self._own))
            self.dialogue.say(self._own[0][0], [text_block(said)], SYNTHETIC)
        self._last = self.dialogue.answer(line, Told(None, self.model))
        self.dialogue.put(self._last, answer_blocks(text))
        self._asked, self._own = True, []

    def _aider(self, number: int, own: str) -> None:
        """A line of aider's: tokens, the model, the version, or a word of its own."""
        model, version, usage = MODEL.match(own), VERSION.match(own), usage_of(own)
        self.close(answered=usage is not None)
        self.dialogue.left_out["lines of aider's own"] += 1
        self.model = model[1] if model else self.model
        self.version = version[1] if version else self.version
        if usage is not None and self._last is not None and self._last.told.usage is None:
            self._last.told = replace(self._last.told, usage=measured("openai", usage, self.model))
        elif own == STOPPED and self._last is not None and self._last.told.usage is None:
            self._last.marks = INTERRUPTED
        elif own and usage is None:
            self._own.append((number, own))
