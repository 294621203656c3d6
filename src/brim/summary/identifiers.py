"""Identifiers: the exact names of what was removed, listed at the end of a summary.

Specified by features/summary/identifiers.feature (REC_02).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache, partial
from itertools import islice
from typing import Final, Literal, NamedTuple, TypeAlias, get_args

from brim.conversation.messages import Media, Message, Part, Text, ToolCall, ToolResult, address_of
from brim.conversation.turns import ToolUse
from brim.errors import Refused, advisory, text_of
from brim.evidence.reports import COLOURS
from brim.evidence.tools import command_run
from brim.secret_patterns import (
    PREFIX,
    PRIVATE_KEY,
    SECRET_CHARS,
    WEBHOOK,
    holds_secret,
    is_readable,
    is_secret,
    secrets_in,
)
from brim.summary.facts import FOLDER_OPENING, SLASH, SearchText, below_folder
from brim.tokens.exact import Number, exact

IDENTIFIERS_SHARE: Final = Decimal("0.4")
"""The share of a summary that its index of identifiers takes at most (REC_02)."""
MAX_SHARE: Final = Decimal("0.5")
"""The largest such share: the facts come first."""
REMEMBERED: Final = 1_000
"""Identifiers that are handed on from compaction to compaction: more than most summaries show."""
RANGES: Final = 3
"""Stretches of turns that are kept of an identifier: the first, then the newest."""
MAX_CHARS: Final = 200
"""Characters of an identifier at most; a longer word is none."""
COMMANDS: Final = 40
"""Commands that are handed on from compaction to compaction, the newest ones."""
COMMAND_CHARS: Final = 300
"""Characters of a command at most; a longer one, or one of several lines, is a script and not listed."""
WAY_IN: Final = re.compile(r"^cd [^&;|\n]+(?:&&|;)\s*")
"""A change of folder before a command, with which some agents begin each."""

Sort: TypeAlias = Literal["error", "ticket", "commit", "link", "value", "version", "path", "symbol"]
"""The sorts of identifiers, in the order in which they are listed."""
ROWS: Final[Mapping[Sort, str]] = {
    "error": "errors and ids",
    "ticket": "errors and ids",
    "value": "errors and ids",
    "version": "errors and ids",
    "commit": "commits",
    "link": "links",
    "path": "paths",
    "symbol": "symbols",
}
"""The rows of the index."""
Origin: TypeAlias = Literal["user", "failure", "work", "listing"]
"""Where an identifier stands: in words of the user, in the output of a failed tool, in what the model wrote or called,
or in any other output."""
ORIGINS: Final[tuple[Origin, ...]] = get_args(Origin)
Source: TypeAlias = Origin | Literal["command"]
"""Where a text stands; a command is listed whole."""


class Identifier(NamedTuple):
    """An exact name or number, and how often which part of the conversation had it."""

    sort: Sort
    """What it is."""
    text: str
    """The identifier itself, without white space."""
    user: int = 0
    """How many texts of the user had it."""
    failure: int = 0
    """How many outputs of failed tools had it."""
    work: int = 0
    """How many texts and calls of the model had it."""
    listing: int = 0
    """How many other outputs had it."""
    turns: tuple[tuple[int, int], ...] = ()
    """The turns that had it, counted from 1: the first and the last of each stretch, ascending."""

    @property
    def uses(self) -> int:
        """How many texts had it."""
        return self.user + self.failure + self.work + self.listing


class Identifiers(NamedTuple):
    """The identifiers of all that was removed from a conversation."""

    found: tuple[Identifier, ...] = ()
    """The identifiers, the weightiest first."""
    texts: int = 0
    """How many texts they were looked for in."""
    turns: int = 0
    """How many turns of the conversation precede those of its messages."""
    commands: tuple[str, ...] = ()
    """The commands that the model ran last, each once, the newest last."""


NO_IDENTIFIERS: Final = Identifiers()


def share_of_identifiers(share: Number) -> Fraction:
    """Return the share of a summary for its index. Raises Refused where it is below 0 or above a half."""
    part = exact(share)
    if not 0 <= part <= MAX_SHARE:
        raise Refused(f"the share of the identifiers is {text_of(share)}; it has to be from 0 to {MAX_SHARE}")
    return part


WORD: Final = re.compile(
    r"[A-Za-z]:\\[^\s\"'`<>()\[\]{},;|*]+|[^\s\"'`<>()\[\]{},;|*\\\x00-\x1f\x7f\u2018-\u201f\u2026]+"
)
"""A stretch of a text without white space, quotation marks and brackets."""
EDGES: Final = ".:!?-=&$^~%#@+/"
"""What may stand around an identifier without being part of it."""
MARKS: Final = "\"'`<>()[]{},;|*.:!?"
"""What stands around a word of prose."""
LINK: Final = re.compile(r"(https?://[^\s/?#@]+(?:/[^\s?#@]*)?)(\?[^\s#]*)?(#\S*)?")
COMMIT: Final = (
    r"(?!abc123|abcdef|def456|def567|a1b2c3|deadbeef|[01]?123456)(?=[a-f]*\d)(?=\d*[a-f])"
    r"(?:[0-9a-f]{7,12}|[0-9a-f]{40})"
)
UUID: Final = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
ID: Final = re.compile(rf"{UUID}|{COMMIT}")
"""What a link may name although no word is in it."""
FORMS: Final[Mapping[Sort, str]] = {
    "ticket": r"(?!(?:UTF|SHA|ISO|RFC|MD|AES|RSA|GPT|UTC|GMT|HTTP|CP)-)[A-Z][A-Z0-9]{1,9}-\d{1,7}"
    r"|[\w.-]+/[\w.-]+#\d{2,7}|#(?:\d{2,5}|\d{7})|CVE-\d{4}-\d{4,7}|GHSA(?:-[0-9a-z]{4}){3}",
    "error": r"(?:[A-Za-z_]\w*\.)*(?!(?:No|Is|Has|With)Error\b)"
    r"[A-Z]\w*(?:Error|Exception|Warning|Interrupt|Timeout|Refused)|ERR_[A-Z_]+|SIG[A-Z]{3,6}"
    r"|E(?:ACCES|ADDRINUSE|AGAIN|BADF|BUSY|CONNREFUSED|CONNRESET|EXIST|INVAL|ISDIR|MFILE|NOENT|NOSPC|NOTDIR|NOTEMPTY"
    r"|NOTFOUND|PERM|PIPE|RESOLVE|TIMEDOUT|XDEV)|(?:TS|CS|MSB|NU|C|E|W|F|LNK|ORA-|PLR|SIM|RUF)\d{3,5}",
    "commit": COMMIT,
    "value": rf"{UUID}|(?:\d{{1,3}}\.){{3}}\d{{1,3}}(?::\d{{1,5}})?|localhost:\d{{2,5}}",
    "version": r"(?:@?[A-Za-z][\w./-]*(?:==|@))?v?\d+\.\d+\.\d+(?:[-+.][0-9A-Za-z]+)*",
}
"""The sorts that are known by their form alone."""
FORM: Final = re.compile("|".join(f"(?P<{sort}>{form})" for sort, form in FORMS.items()))
PATH: Final = re.compile(
    r"((?:~|\.{1,2}|[A-Za-z]:|@?[\w.+-]+)?(?:[/\\][\w.@+%~=-]+)+|[\w.+-]+\.([A-Za-z]\w{0,11}))[/\\]?"
    r"((?::\d+){1,2}|#L\d+|(?:::[\w-]+)+)?(?::.*)?"
)
"""A path, the ending of a name without a folder, and the line or the test in the file."""
EXTENSIONS: Final = re.compile(
    r"bash|bat|c|cc|cfg|cjs|conf|cpp|cs|css|csv|cts|feature|gemspec|go|gradle|h|hpp|htm|html|ini|ipynb|java|jpg|js|json|jsonl"
    r"|jsx|kt|kts|less|lock|lua|md|mjs|mod|mts|php|pl|png|po|proto|ps1|py|pyi|pyx|rake|rb|rs|rst|sass|scala|scss|sh|snap|sql"
    r"|sqlite|sum|svelte|svg|swift|tex|tf|toml|ts|tsx|txt|vue|wasm|xml|yaml|yml|zig|zsh"
)
"""Endings by which a name without a folder is known as a file's."""
SYMBOL: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->)[A-Za-z_$][\w$]*)*")
BESIDE: Final = re.compile(r"^(?:self|this)\.|(?:\.[a-z]+)+$")
"""What stands beside a name: the object that it is of, and what is called on it."""
COMPOUND: Final = re.compile(r"[A-Za-z0-9]_[A-Za-z0-9]|[a-z0-9][A-Z]|[A-Z]{2}[a-z]{2}|::|->")
"""What a name of code has that no word of prose has: several words in one."""
NUMBER: Final = re.compile(r"[$€£]?\d[\d.,:/_-]*(?:[A-Za-z]{1,4}|%)?|(?=\D*\d)\w+(?:[-.]\w+)*")
"""A number or an id, as a user gives it."""
OPAQUE: Final = re.compile(r"(?=[^a-z]*[a-z])(?=[^A-Z]*[A-Z])(?=\D*\d)[A-Za-z0-9+/=_-]+|[0-9a-fA-F]+")
DIFF_HEAD: Final = re.compile(r"^(?:diff --git .*|--- (?:a/|/dev/null)|\+\+\+ (?:b/|/dev/null))", re.MULTILINE)
"""What the head of a diff has beside the path of a file."""
ESCAPED: Final = re.compile(r"\\[nrt]")
"""White space as JSON writes it."""
MAY_NAME: Final = re.compile(r"[\d_./\\>#]|::|[^\W_][A-Z]")
"""What is in each identifier."""
Known: TypeAlias = tuple[Sort, str] | None


def _sort_of(word: str, *, user: bool) -> Known:
    """Return the sort and text of the identifier in a word, or None. `user`: the user wrote it, so numbers count."""
    if len(word) > MAX_CHARS or _is_prose(word) or WEBHOOK.search(word):
        return None
    if word.startswith(("http://", "https://")):
        return _link(word)
    word = word.rstrip(EDGES) if word[0] in "#./~$@" else word.strip(EDGES)
    if "=" in word and "==" not in word:
        word = word.rpartition("=")[2]
    if len(word) < 3 or PREFIX.match(word):  # noqa: PLR2004
        return None
    if formed := FORM.fullmatch(word):
        return formed.lastgroup, word  # type: ignore[return-value]
    return _name(word) or (("value", word) if user and NUMBER.fullmatch(word) else None)


def _is_prose(word: str) -> bool:
    return word.isalpha() and (word.islower() or word.istitle())


def _name(word: str) -> Known:
    """Return the path or the symbol that a word is; None where it is neither, or may be a key."""
    if len(word) >= SECRET_CHARS and OPAQUE.fullmatch(word) and not is_readable(word):
        return None
    if path := _path(word):
        return "path", path
    symbol = BESIDE.sub("", word)
    return ("symbol", symbol) if SYMBOL.fullmatch(symbol) and COMPOUND.search(symbol) else None


def _link(word: str) -> Known:
    """Return a link without what may be a secret of it: one with a name and a password is none."""
    found = LINK.match(word)
    if found is None or found.end() < len(word.rstrip(EDGES)):
        return None
    whole, query, _ = found.groups()
    if any(is_secret(name) and not ID.fullmatch(name) for name in whole.split("/")[3:]):
        return None
    is_plain = not query or not any(map(is_secret, re.split("[=&]", query)))
    return "link", (f"{whole}{query or ''}" if is_plain else whole).rstrip(EDGES)


def _path(word: str) -> str:
    """Return the path in a word, with its line or test; empty where it is none."""
    found = PATH.fullmatch(word)
    if found is None:
        return ""
    path, ending, place = found.groups()
    names = SLASH.split(path)
    ending = ending or (names[-1].rpartition(".")[2] if "." in names[-1] else "")
    least = 2 if names[0] in {"~", "."} else 3  # names of one without a file's ending: "and/or" is none
    is_path = bool(EXTENSIONS.fullmatch(ending)) or len(names) >= least
    return f"{path}{place or ''}" if is_path and any(map(str.isalpha, path)) else ""


class TextNames(NamedTuple):
    """What one text names."""

    found: frozenset[tuple[Sort, str]]
    """Its identifiers; of a tool's long output those of its ends."""
    secrets: tuple[str, ...]
    """What it calls a secret, anywhere in it."""
    says_something: bool
    """It is more than white space."""


class _WordReader:
    """Reads texts, each distinct word once; `user`: the user wrote them, so that numbers count."""

    def __init__(self, *, user: bool) -> None:
        self.user = user
        self._sort_of = cache(partial(_sort_of, user=user))
        self._read: set[str] = set()
        """The words between white space that were read."""
        self._named: dict[str, list[tuple[Sort, str]]] = {}
        """What those of them name that name something."""

    def read(self, text: str, *, is_output: bool) -> TextNames:
        """Read a text, of a long output its ends alone."""
        plain = _plain(text)
        words = set((_ends_of(plain) if is_output else plain).split())
        new = words - self._read
        self._read |= new
        for word in new:
            if MAY_NAME.search(word.strip(MARKS)) and (
                named := [*filter(None, map(self._sort_of, WORD.findall(word)))]
            ):
                self._named[word] = named
        found = frozenset([one for word in self._named.keys() & words for one in self._named[word]])
        return TextNames(found, (*secrets_in(plain, user=self.user),), bool(words or plain.strip()))


class NameReader:
    """Reads texts for a window, each once: what a compaction read that changed nothing, the next one finds here."""

    def __init__(self) -> None:
        self._words = {user: _WordReader(user=user) for user in (True, False)}
        self._texts: dict[tuple[Origin, str], TextNames] = {}

    def read(self, origin: Origin, text: str) -> TextNames:
        """Return what a text names."""
        read = self._texts.get((origin, text))
        if read is None:
            reader = self._words[origin == "user"]
            read = self._texts[origin, text] = reader.read(text, is_output=origin in {"failure", "listing"})
        return read


READ_CHARS: Final = 8_000
"""Characters at each end of a tool's output in which identifiers are looked for: between them stand listings."""
WHOLE_WORDS: Final = re.compile(rf".{{0,{READ_CHARS}}}(?=\s)", re.DOTALL)


def _ends_of(output: str) -> str:
    """Return the whole words of the first part of a long output, and the whole lines of the last.

    A word cut in two names another thing, and the value behind the name of a secret must not stand without it.
    """
    if len(output) <= 2 * READ_CHARS:
        return output
    opening, (_, _, ending) = WHOLE_WORDS.match(output), output[-READ_CHARS:].partition("\n")
    return f"{opening[0] if opening else ''}\n{ending}"


def texts_of(message: Message, parts: Sequence[Part] | None = None) -> Iterator[tuple[Source, str]]:
    """Yield the texts of a message, or of some parts of it, that identifiers are looked for in.

    What a harness or brim wrote, and what the model only thought, is not among them.
    """
    if message.marks.summary or message.marks.synthetic:
        return
    for part in message.parts if parts is None else parts:
        if type(part) is Text and not part.injected:
            yield ("user", part.words) if message.role == "user" else ("work", part.text)
        elif type(part) is ToolCall:
            yield "work", "\n".join(map(text_of, part.input.values()))
            if command := command_run(ToolUse(part.name, part.input)).strip():
                yield "command", command
        elif type(part) is ToolResult:
            yield ("failure" if part.failed else "listing"), part.text
        elif type(part) is Media and (url := address_of(part.raw)):
            yield ("user" if message.role == "user" else "work"), url


def _plain(text: str) -> str:
    """Return the text without private keys and heads of diffs; a space stands for each colour and escape."""
    text = COLOURS.sub(" ", text) if "\x1b" in text else text
    text = DIFF_HEAD.sub("", text) if "diff --git " in text else text
    plain = ESCAPED.sub(" ", text) if "\\" in text and ":\\" not in text else text
    return PRIVATE_KEY.sub(" ", plain) if "PRIVATE KEY" in plain else plain


def _with_turn(stretches: list[tuple[int, int]], turn: int) -> None:
    """Add a turn, that of the last stretch or a later one, to the stretches of an identifier."""
    if stretches and turn <= stretches[-1][1] + 1:
        stretches[-1] = stretches[-1][0], turn
    else:
        stretches.append((turn, turn))
        del stretches[1 : len(stretches) - RANGES + 1]


@advisory("identifiers", lambda _, known, *, turns=0, **__: known._replace(turns=known.turns + turns))
def collect_identifiers(
    texts: Iterable[tuple[int, Source, str]], known: Identifiers, *, turns: int = 0, reader: NameReader | None = None
) -> Identifiers:
    """Add the identifiers of texts, each with its turn and in the order of time, to those that are known.

    No model is asked, and no secret is listed, as far as its form or the text shows one.

    Args:
        texts: the turn of each, counted from 1 where the messages begin; its origin; the text.
        known: what earlier compactions found (SUM_09).
        turns: how many turns of the conversation are removed with the texts.
        reader: reads the texts, those alone that it has not read yet; a new one where none is given.
    """
    stretches = {(one.sort, one.text): [*one.turns] for one in known.found}
    uses = {
        origin: Counter({(one.sort, one.text): count for one in known.found if (count := getattr(one, origin))})
        for origin in ORIGINS
    }
    reader = reader or NameReader()
    named: dict[int, set[tuple[Sort, str]]] = {}
    secrets: set[str] = set()
    number, commands = known.texts, dict.fromkeys(known.commands)
    for turn, origin, text in texts:
        if origin == "command":
            command = WAY_IN.sub("", text)
            commands.pop(command, None)
            commands[command] = None
            continue
        read = reader.read(origin, text)
        uses[origin].update(read.found)
        named.setdefault(max(turn + known.turns, 1), set()).update(read.found)
        for secret in read.secrets:
            secrets.update((secret, secret.strip(EDGES)))
        number += read.says_something
    for turn, found in named.items():
        for one in found:
            _with_turn(stretches.setdefault(one, []), turn)
    all_found = [
        Identifier._make([*key, *[count.get(key, 0) for count in uses.values()], tuple(ranges)])
        for key, ranges in stretches.items()
        if key[1] not in secrets
    ]
    all_found.sort(key=lambda one: (-_weight(one, number), one.text, one.sort))
    secrets.discard("")
    ran = (
        one
        for one in reversed(commands)
        if len(one) <= COMMAND_CHARS
        and "\n" not in one
        and not holds_secret(one)
        and not any(secret in one for secret in secrets)
    )
    return Identifiers(
        tuple(all_found[:REMEMBERED]), number, known.turns + turns, tuple([*islice(ran, COMMANDS)][::-1])
    )


MOST: Final = 4
"""Texts of the user, or of failures, that count."""


def _weight(one: Identifier, texts: int) -> int:
    """Weigh how likely it is to be looked for again.

    What the user named weighs most, then what failures named, then what the model used. What is in half of all texts
    weighs least: it will be met in any case.
    """
    named = 16 * min(one.user, MOST) + 8 * min(one.failure, MOST)
    return (named + 4 * one.work.bit_length() + one.listing.bit_length()) * (texts // one.uses).bit_length()


HEADING: Final = "Identifiers of what left, most used first"
RAN: Final = "- commands run last: "


@advisory("identifiers", lambda *_, **__: "")
def index_section(
    identifiers: Identifiers, max_chars: int, *, shown: Sequence[SearchText], folder: str, with_turns: bool = False
) -> str:
    """Write the index: the weightiest for which there is room, each in its row, most used first.

    Args:
        identifiers: those of all that was removed.
        max_chars: the limit.
        shown: the texts of the new context without the index; what they name is not listed again.
        folder: a folder that is named once; paths in it have a row of their own, and are written from there on.
        with_turns: whether each has its turns, for an agent that can search them.
    """
    turns = {one.turns for one in identifiers.found}
    same = _turns(*turns) if len(turns) == 1 else ""
    same = same if same.isdecimal() else ""
    opening = f"{HEADING}{f', all of turn {same}' if same else ', with their turns'}:" if with_turns else f"{HEADING}:"
    below = f"{ROWS['path']} {FOLDER_OPENING}{folder})"
    named = folder if any(f"{FOLDER_OPENING}{folder})" in one.text for one in shown) else ""
    rows: dict[str, list[tuple[int, str]]] = {
        row: [] for sort, name in ROWS.items() for row in ((below, name) if sort == "path" else (name,))
    }

    def is_shown(one: Identifier) -> bool:
        names = {one.text, below_folder(one.text, named)}
        return any(text.has_name(name) for text in shown for name in names)

    ran = _commands(identifiers.commands, max_chars // 4, shown)
    left, ends = max_chars - len(opening) - len(ran), set[str]()
    for one in identifiers.found:
        entry = below_folder(one.text, folder)
        row = ROWS[one.sort] if entry == one.text else below
        entry = f"{entry} ({_turns(one.turns)})" if with_turns and not same else entry
        size = len(entry) + len(", ") + (0 if rows[row] else len(f"- {row}:"))
        if size <= left and one.text not in ends and not is_shown(one):  # of most there is no room to look
            rows[row].append((-one.uses, entry))
            ends.update(_ends(one))
            left -= size
    lines = [f"- {row}: {', '.join(entry for _, entry in sorted(listed))}" for row, listed in rows.items() if listed]
    return "\n".join([opening, *lines]) + ran if lines or ran else ""


def _commands(commands: Sequence[str], max_chars: int, shown: Sequence[SearchText]) -> str:
    """Write a line of the newest commands that nothing else shows, as many as have room, the newest last."""
    listed: list[str] = []
    left = max_chars - len(RAN)
    for command in reversed(commands):
        if not any(command in text.text for text in shown):
            left -= len(command) + len("``, ")
            if left < 0:
                break
            listed.append(f"`{command}`")
    return f"\n{RAN}{', '.join(reversed(listed))}" if listed else ""


def _ends(one: Identifier) -> Iterator[str]:
    """Yield the shorter paths that a path tells: without its line, and without its folders."""
    if one.sort == "path":
        path = one.text.partition(":")[0].partition("#")[0]
        yield path
        for slash in SLASH.finditer(path):
            yield path[slash.end() :]
            yield one.text[slash.end() :]


def _turns(stretches: Sequence[tuple[int, int]]) -> str:
    """Write the turns in short: 3, 7-9."""
    named = [str(first) if first == last else f"{first}-{last}" for first, last in stretches]
    return ", ".join([named[0], "…", named[-1]] if len(named) == RANGES else named)
