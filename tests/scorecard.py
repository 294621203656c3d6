"""The scorecard: which exact strings an agent still has after a compaction, and after one search.

`python -m tests.scorecard FOLDER`, or `make scorecard`, writes docs/evidence.md and its data,
docs/scorecard.json. Each recorded compaction of a session whose file holds the messages that it replaced is made again
by each strategy. Before anything is compacted, 15 strings are chosen by a seeded rule among those that an agent may
need later, with a query for each in three forms; the data has their hash, and a test compares it.
"""

from __future__ import annotations

import hashlib
import json
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from pathlib import Path
from random import Random
from typing import Any, Final, NamedTuple

from langchain.agents.middleware import SummarizationMiddleware
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from brim import Compactor
from brim.adapters.langchain_messages import read as read_langchain
from brim.compaction.context_window import ContextWindow
from brim.compaction.result import all_turns
from brim.conversation.messages import Marks, Message, Text, ToolCall, read_message
from brim.conversation.tool_pairs import results_of
from brim.engine.recall import recall_tool
from brim.replay.simulation import MASKED_BEHIND
from brim.sessions import open_store
from brim.summary.template import template_summary
from brim.tokens.estimation import EMPTY_SIZE, estimate_tokens, measure, tokens_of
from brim.transcripts import Transcript, read_transcript, view_before
from brim.transcripts.window import Walk, with_cleared, without_unsigned
from tests.figures import EVIDENCE, ROOT, filled, rows_of
from tests.real import oracle
from tests.survival_figures import limits_of

PAGE: Final = EVIDENCE
DATA: Final = ROOT / "docs/scorecard.json"

NEEDLES: Final = 15
"""Strings that are looked for in a conversation; one with fewer candidates is named and left out."""
NEWEST: Final = 10
"""The newest tenth of the tokens, in which no string is looked for: every strategy keeps the end."""
NEAR: Final = 200
"""Characters around a string in which the words of its query stand."""
QUERY_WORDS: Final = 4
"""Words of a query; one that has fewer than half of them near is no candidate."""
OWN_WORDS: Final = ("originally", "earlier", "mentioned", "exactly", "previous", "somewhere", "reported", "discussed")
"""Words of the asker's own, one of which the second form of a query adds: one that the conversation lacks."""
FORMS: Final = ("own words", "one more word", "other forms")
"""The forms of a query: words of the message, with a word of the asker's own, with changed forms of the words."""
STRATEGIES: Final = ("brim", "masking", "tail", "langchain")

KINDS: Final[Mapping[str, re.Pattern[str]]] = {
    "path with line": re.compile(r"(?<![\w/.-])(?:[\w.-]+/)*[\w-]+\.[A-Za-z]{1,5}:[1-9]\d{0,5}(?::\d{1,4})?(?![\w.])"),
    "error": re.compile(
        r"(?<![\w.])(?:[A-Z]\w{2,40}(?:Error|Exception)|[Ee]rror(?:\[\w+\]| TS\d+)?|fatal|panic|FAIL(?:ED)?):"
        r" [^\n\"\\]{8,100}"
    ),
    "id": re.compile(
        r"(?<![\w/.-])(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
        r"|(?=[a-f]*\d)(?=\d*[a-f])[0-9a-f]{7,40}|[A-Z]{2,8}-\d{1,6})(?![\w-])"
    ),
}
"""What is looked for in any message, each kind apart."""
USERS_NUMBER: Final = re.compile(r"(?<![\w.,:/-])\d[\d.,]*\d(?![\w.,:/-])")
"""A number of two digits or more, looked for in what a person wrote."""
LONGEST_WORD: Final = 24
WORD: Final = re.compile(rf"(?<!\w)[A-Za-z]{{4,{LONGEST_WORD}}}(?!\w)")


class Needle(NamedTuple):
    """A string that an agent may need later, and the queries by which it would look for it, one of each form."""

    kind: str
    text: str
    queries: tuple[str, str, str]


class Made(NamedTuple):
    """What a strategy leaves: the text of the new conversation, and its tokens without system prompt and tools."""

    text: str
    tokens: int


def texts(message: Message) -> list[str]:
    """The texts of a message as an agent reads them: prose, the values of its calls, outputs."""
    found: list[str] = []
    for part in message.parts:
        if type(part) is ToolCall:
            found += oracle.strings(dict(part.input))
        elif getattr(part, "text", ""):
            found.append(part.text)  # type: ignore[union-attr]
    return found


def border_of(messages: Sequence[Message]) -> int:
    """The index of the first message of the newest tenth of the tokens."""
    sizes = [measure(message) for message in messages]
    room = tokens_of(sum(sizes, EMPTY_SIZE)) // NEWEST
    for index in range(len(messages) - 1, -1, -1):
        room -= tokens_of(sizes[index])
        if room < 0:
            return index + 1
    return 0


def candidates(messages: Sequence[Message], words: Sequence[str]) -> Iterator[Needle]:
    """The strings of the messages before the newest tenth that stand nowhere behind it, in the order of time."""
    border = border_of(messages)
    newest = oracle.one_line("\n".join(text for message in messages[border:] for text in texts(message)))
    spread = Counter(word for message in messages for word in {*map(str.lower, _words("\n".join(texts(message))))})
    spoken = {oracle.one_line(one) for one in words}
    seen: set[str] = set()
    for message in messages[:border]:
        if message.marks.summary:
            continue
        for text in texts(message):
            by_user = oracle.one_line(text) in spoken
            kinds = {**KINDS, **({"number of the user": USERS_NUMBER} if by_user else {})}
            for kind, pattern in kinds.items():
                for match in pattern.finditer(text):
                    found = match.group().rstrip(" .,:;)'`")
                    if found in seen or found in newest:
                        continue
                    seen.add(found)
                    queries = _queries(text, match.start(), match.end(), spread)
                    if queries:
                        yield Needle(kind, found, queries)


def _words(text: str) -> Iterator[str]:
    return (match.group() for match in WORD.finditer(text))


def _queries(text: str, start: int, end: int, spread: Counter[str]) -> tuple[str, str, str] | None:
    """The query by the rarest words near a string, in three forms; None where too few words are near."""
    own = {word.lower() for word in _words(text[start:end])}
    first, last = start - NEAR, end + NEAR
    near = dict.fromkeys(
        match.group()
        for match in WORD.finditer(text, max(first - LONGEST_WORD, 0), last + LONGEST_WORD)
        if first <= match.start() and match.end() <= last and (match.end() <= start or match.start() >= end)
    )
    usable = [word for word in near if word.lower() not in own]
    chosen = sorted(usable, key=lambda word: spread[word.lower()])[:QUERY_WORDS]
    if len(chosen) < QUERY_WORDS // 2:
        return None
    extra = next((word for word in OWN_WORDS if not spread[word]), OWN_WORDS[0])
    chosen.sort(key=usable.index)
    return " ".join(chosen), " ".join([*chosen, extra]), " ".join(map(changed, chosen))


ENDINGS: Final = {"ies": "y", "ing": "ed", "ed": "ing", "ss": "sses", "s": "", "y": "ies", "e": "ed"}


def changed(word: str) -> str:
    """Another form of a word: one for many, many for one, what was done for what is being done."""
    for ending, other in ENDINGS.items():
        if word.endswith(ending):
            return word.removesuffix(ending) + other
    return f"{word}s"


def chosen(found: Iterable[Needle], seed: str) -> list[Needle]:
    """The strings that are looked for: as many of each kind as there are, drawn by the seed."""
    by_kind: dict[str, list[Needle]] = {}
    for needle in found:
        by_kind.setdefault(needle.kind, []).append(needle)
    draw = Random(seed)  # noqa: S311  the same in every run
    drawn = [draw.sample(by_kind[kind], len(by_kind[kind])) for kind in sorted(by_kind)]
    return [needle for row in zip_longest(*drawn) for needle in row if needle is not None][:NEEDLES]


def frozen(needles: Sequence[Needle]) -> str:
    """The hash of the strings and their queries."""
    return hashlib.sha256(json.dumps(needles).encode()).hexdigest()


def scored(path: Path, folder: Path) -> Iterator[dict[str, Any]]:
    """The figures of each compaction of a session whose file holds what it replaced."""
    transcript = read_transcript(path)
    words = oracle.spoken(path, transcript.format)
    for number, made in enumerate(transcript.compactions):
        if not made.after_message or made.kind == "micro":
            continue
        messages = [*map(without_unsigned, view_before(transcript, number).messages)]
        found = [*candidates(messages, words)]
        about = {
            "file": path.relative_to(folder).as_posix(),
            "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
            "format": transcript.format,
            "compaction": number,
            "candidates": len(found),
        }
        if len(found) < NEEDLES:
            yield about
            continue
        needles = chosen(found, f"{about['sha256']} {number}")
        yield {**about, "frozen": frozen(needles), **figures(transcript, number, messages, needles)}


def figures(transcript: Transcript, number: int, messages: list[Message], needles: Sequence[Needle]) -> dict[str, Any]:
    """What each strategy leaves of the strings."""
    made = transcript.compactions[number]
    walk = Walk(transcript, until=made.after_message)
    walk.finish()
    extras = {
        "system": transcript.system,
        "tools": transcript.tools,
        "characters_per_token": walk.account.characters_per_token,
    }
    held = ContextWindow(**extras, messages=messages).estimated
    window = ContextWindow(limits_of(transcript, made.kind, held), **extras, messages=messages)
    compactor = Compactor()
    done = compactor.apply(compactor.plan(window))
    before = tokens(messages)
    brim = tokens(done.conversation)
    ways = {
        "brim": done.conversation,
        "masking": masked(messages),
        "tail": tail(messages, brim),
        "langchain": summarized_by_langchain(messages),
    }
    row: dict[str, Any] = {"tokens": before, "kinds": dict(Counter(needle.kind for needle in needles))}
    for name, left in ways.items():
        text = oracle.one_line("\n".join(part for message in left for part in texts(message)))
        row[name] = {"tokens": tokens(left), "present": sum(is_present(needle, text) for needle in needles)}
        if name == "brim":
            row["recall"] = recalled(messages, needles, text)
    return row


def tokens(messages: Iterable[Message]) -> int:
    """The tokens of messages at four characters a token, for every strategy alike."""
    return tokens_of(sum(map(measure, messages), EMPTY_SIZE))


def is_present(needle: Needle, text: str) -> bool:
    """Whether a text on one line holds a string by itself, not as a part of a longer one."""
    return re.search(rf"(?<![\w]){re.escape(oracle.one_line(needle.text))}(?![\w])", text) is not None


def masked(messages: Sequence[Message]) -> list[Message]:
    """The outputs older than ten responses are cleared, as in the comparison of policies; nothing is summarized."""
    answers = [index for index, message in enumerate(messages) if message.role == "assistant"]
    stop = answers[-MASKED_BEHIND] if len(answers) >= MASKED_BEHIND else 0
    return [
        with_cleared(message, frozenset(one.call_id for one in results_of(message))) if index < stop else message
        for index, message in enumerate(messages)
    ]


def tail(messages: Sequence[Message], room: int) -> Sequence[Message]:
    """The newest messages that are no more tokens than this."""
    for index in range(len(messages) - 1, -1, -1):
        room -= tokens([messages[index]])
        if room < 0:
            return messages[index + 1 :]
    return messages


def summarized_by_langchain(messages: Sequence[Message]) -> list[Message]:
    """LangChain's summarization as it is by default, with brim's template as the text of its summary."""

    def summarize(left: list[AnyMessage]) -> str:
        return template_summary(all_turns(of_langchain(left)))

    state: Any = {"messages": [one for message in messages for one in for_langchain(message)]}
    summarization: Any = SummarizationMiddleware(
        FakeListChatModel(responses=[""]), trigger=("tokens", 1), summarizer=summarize
    )
    runtime: Any = None
    answer = summarization.before_model(state, runtime)
    return of_langchain(answer["messages"][1:] if answer else state["messages"])


def of_langchain(messages: list[AnyMessage]) -> list[Message]:
    """LangChain's messages as brim's adapter reads them."""
    return [read_message(one, Marks(**one.get("marks", {}))) for one in read_langchain(messages)]


def for_langchain(message: Message) -> Iterator[AnyMessage]:
    """A message as LangChain has it: the results of tools are messages of their own."""
    prose = "\n".join(part.text for part in message.parts if type(part) is Text)
    for result in results_of(message):
        yield ToolMessage(result.text, tool_call_id=result.call_id)
    if message.role == "assistant":
        calls: list[Any] = [
            {"name": part.name, "args": dict(part.input), "id": part.id, "type": "tool_call"}
            for part in message.parts
            if type(part) is ToolCall
        ]
        yield AIMessage(prose, tool_calls=calls)
    elif prose:
        yield HumanMessage(prose)


def recalled(messages: Sequence[Message], needles: Sequence[Needle], context: str) -> dict[str, Any]:
    """How many strings are there after one search each, by the form of the query, and the tokens of the longest answer.

    The conversation is a session, whose log the tool searches.
    """
    with tempfile.TemporaryDirectory() as place, open_store(Path(place)).create() as session:
        session.extend(messages)
        recall = recall_tool(session)
        answers = [[recall(query) for query in needle.queries] for needle in needles]
    present = [
        sum(
            is_present(needle, context) or is_present(needle, oracle.one_line(given[form]))
            for needle, given in zip(needles, answers, strict=True)
        )
        for form in range(len(FORMS))
    ]
    return {"present": present, "most_tokens": max(estimate_tokens(answer) for given in answers for answer in given)}


def measured(folder: Path, takes: Callable[[Path], bool] = lambda _: True) -> list[dict[str, Any]]:
    """The figures of every compaction of the sessions in a folder that holds what it replaced."""
    places = sorted(path for path in folder.rglob("*/*/*") if path.is_file())
    return [row for path in filter(takes, places) for row in scored(path, folder)]


def table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the page's table: a line for each strategy, and one for each form of a query after it."""
    counted = [row for row in rows if "tokens" in row]
    head = ("strategy", f"strings left, of {NEEDLES * len(counted)}", "tokens left", "strings per 1,000 tokens")
    lines = [_line(name, counted) for name in STRATEGIES]
    found = [sum(row["recall"]["present"][number] for row in counted) for number in range(len(FORMS))]
    searched = [
        (f"brim, after one search each: {form}", str(one), "", "") for form, one in zip(FORMS, found, strict=True)
    ]
    return rows_of(head, *lines, *searched)


NAMES: Final[Mapping[str, str]] = {
    "brim": "brim", "masking": "masking alone", "tail": "the newest messages alone", "langchain": "LangChain",
}  # fmt: skip
"""The strategies as the page has them."""


def _line(name: str, rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    present, left = (sum(row[name][what] for row in rows) for what in ("present", "tokens"))
    return NAMES[name], f"{present}", f"{left:,}", f"{per_1_000(rows, name):.2f}"


def per_1_000(rows: Iterable[Mapping[str, Any]], strategy: str) -> float:
    """Strings that are present for each 1,000 tokens that a strategy leaves, over all compactions."""
    counted = [row for row in rows if "tokens" in row]
    present, left = (sum(int(row[strategy][what]) for row in counted) for what in ("present", "tokens"))
    return 1_000 * present / left


def sums(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the chart shows: over all compactions, and after one search by the message's own words."""
    counted = [row for row in rows if "tokens" in row]
    found = sum(row["recall"]["present"][0] for row in counted)
    strategies = []
    for name in STRATEGIES:
        present, left = (sum(row[name][what] for row in counted) for what in ("present", "tokens"))
        after = found - present if name == "brim" else 0
        strategies.append({"name": NAMES[name], "present": present, "after_search": after, "tokens": left})
    return {"strings": NEEDLES * len(counted), "strategies": strategies}


def page(text: str, rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the page with the table of these rows."""
    return filled(text, "other strategies", table(rows))


def main(folder: str, *options: str) -> int:
    """Measure, show, and write the data and the page's table; `--show` writes nothing."""
    rows = measured(Path(folder).resolve())
    print(table(rows))
    if "--show" not in options:
        DATA.write_text(json.dumps({**sums(rows), "rows": rows}, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
