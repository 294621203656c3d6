"""What adapters share with the worker: the errors of a summarizer, a clock, and which part stands for which blocks."""

from __future__ import annotations

from contextlib import contextmanager
from itertools import groupby
from time import perf_counter


class SummarizerFailed(Exception):
    """Says that the model wrote no summary."""


class PromptTooLong(SummarizerFailed):
    """Says that the messages to summarize do not fit into the model's window."""


class Clock:
    """Counts the seconds of the package itself: neither those of the adapter nor those of the model."""

    def __init__(self):
        self.seconds = 0.0

    @contextmanager
    def __call__(self):
        """Count a block."""
        began = perf_counter()
        try:
            yield
        finally:
            self.seconds += perf_counter() - began

    @contextmanager
    def stopped(self):
        """Leave a block out that runs within a counted one."""
        began = perf_counter()
        try:
            yield
        finally:
            self.seconds -= perf_counter() - began


timed = Clock()


def blocks(message):
    """Return the content of a message as blocks."""
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def text(content):
    """Return the text of blocks, or of a string."""
    if isinstance(content, str):
        return content
    return "\n".join(block["text"] for block in content or () if block.get("type") == "text")


class Parts:
    """Knows which objects of a package stand for which blocks of the messages that were given.

    A message of which every part is left comes back as it was given: what a package keeps is not judged by how an
    adapter writes it.
    """

    def __init__(self, messages):
        self.messages = messages
        self._objects = {}

    def add(self, one, index, content):
        """Note that an object stands for these blocks of the message at an index, and return it."""
        self._objects[id(one)] = (one, index, content)
        return one

    def back(self, objects, write):
        """Return messages for objects; `write(object)` makes one of an object that is not known."""
        found = []
        known = [(self._objects.get(id(one)), one) for one in objects]
        for index, group in groupby(known, key=lambda pair: pair[0][1] if pair[0] else -1):
            if index < 0:
                found += [write(one) for _, one in group]
                continue
            content = [block for (_, _, part), _ in group for block in part]
            given = self.messages[index]
            found.append(given if content == blocks(given) else {"role": given["role"], "content": content})
        return found

    def split(self, role, objects, write):
        """Return the messages of a package's message with these parts; `write(object)` makes the block of a new one.

        Parts of several messages come back as several: neighbours of one role are one message to the API.
        """
        return self.back(objects, lambda one: {"role": role, "content": [write(one)]})
