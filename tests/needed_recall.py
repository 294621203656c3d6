"""What one search brings of what a compaction lost and an agent needed next: `python -m tests.needed_recall FOLDER`.

The cuts and what was needed there are those of tests.needed_next. Of what brim's compaction no longer has, five a cut
are drawn, lines left out. What left is searched once for each with what stands near the place where the agent used it,
so with what it knew then, and without the words of the string itself: by the rule of tests.scorecard, by more words,
and by the nearest names as they are written.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any, Final

from brim.engine.recall import recall_tool
from brim.sessions import open_store
from brim.tokens.estimation import estimate_tokens
from brim.transcripts import Transcript
from tests import needed_next as needed
from tests.needed_next import Cut, Item, Presence
from tests.scorecard import NEAR, QUERY_WORDS, WORD

DRAWN: Final = 5
"""Strings of a cut at most."""
MORE: Final = 12
"""Words and names of the longer queries."""
NAME: Final = re.compile(r"[\w$./\\-]{4,80}")


def queries(text: str, start: int, end: int, spread: Counter[str]) -> dict[str, str]:
    """Return the queries by what stands near a string, by their forms: the rarest words, more of them, names too."""
    item, first = text[start:end], max(start - NEAR, 0)
    around = f"{text[first:start]} {text[end : end + NEAR]}"
    own = {word.lower() for word in WORD.findall(item)}
    words = [word for word in dict.fromkeys(WORD.findall(around)) if word.lower() not in own]
    rarest = sorted(words, key=lambda word: spread[word.lower()])
    names = [name.strip(".-") for name in NAME.findall(around) if item not in name and name not in item]
    return {
        "4 words": " ".join(rarest[:QUERY_WORDS]),
        "12 words": " ".join(rarest[:MORE]),
        "12 names and words": " ".join([*dict.fromkeys(names)][-MORE:]),
    }


def uses(transcript: Transcript, cut: Cut, item: Item) -> Iterator[tuple[str, int]]:
    """Yield the texts of the messages that write an item behind a cut, and its place in each; what came before, too."""
    for index in range(transcript.responses[cut.response].message, len(transcript.messages)):
        message: Any = transcript.messages[index].raw
        if message["role"] == "assistant" and item in needed.written(message, transcript.folder):
            before = needed.joined([transcript.messages[index - 1].raw])
            text = f"{before} {needed.joined([message])}"
            yield text, needed.last_place(text, item.text)


def searched(transcript: Transcript, cut: Cut) -> Iterator[tuple[str, str, bool, int]]:
    """Yield of each search its kind, the form of its query, whether it found the string, and the tokens."""
    left = needed.compacted(cut.context)
    gone = [message for message in cut.context if message not in left]
    lost = needed.joined(gone)
    presence = Presence(left, transcript.folder)
    missing = [
        item for item in cut.needed if item.kind != "line" and not presence.has(item) and needed.holds(lost, item.text)
    ]
    spread = Counter(word for message in cut.context for word in {*WORD.findall(needed.joined([message]).lower())})
    drawn = Random(f"{cut.file} {cut.response}").sample(missing, min(DRAWN, len(missing)))  # noqa: S311
    with tempfile.TemporaryDirectory() as place, open_store(Path(place)).create() as session:
        session.extend(gone)
        recall = recall_tool(session)
        for item in drawn:
            text, at = next(uses(transcript, cut, item))
            for form, query in queries(text, at, at + len(item.text), spread).items():
                answer = recall(query)
                found = Presence([{"role": "user", "content": answer}], transcript.folder).has(item)
                yield item.kind, form, found, estimate_tokens(answer)


def main(folder: str) -> int:
    """Measure and show: a line for each form of the query, of all kinds and of each."""
    sessions = needed.read_all(Path(folder).resolve())
    general = needed.general_knowledge(sessions)
    tries, hits, longest = Counter[tuple[str, str]](), Counter[tuple[str, str]](), 0
    for file, transcript in sessions.items():
        for cut in needed.cuts(transcript, file, general):
            for kind, form, found, tokens in searched(transcript, cut):
                for of in ("all", kind):
                    tries[form, of] += 1
                    hits[form, of] += found
                longest = max(longest, tokens)
    for (form, of), count in tries.items():
        print(f"{form:<20} {of:<8} {hits[form, of]:>4} of {count} ({hits[form, of] / count:.0%})")
    print(f"the longest answer has {longest} tokens")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
