"""Secrets in a text: the forms of keys and passwords. What looks like one counts as one.

No summary lists one (REC_02), no memory file takes one up (MEM_06); no reason of a failed attempt names one (SUM_19).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

PREFIX: Final = re.compile(
    r"(?:sk|pk|rk)[-_]|gh[opsur]_|github_pat_|gl(?:pat|dt|rt|sa)[-_]|xox[abeoprs][-.]|xapp-|AKIA|ASIA|AIza|ya29\.|eyJ"
    r"|pypi-|do[por]_v1_|shpat_|SG\.|key-|whsec_|tvly-|dckr_pat_|lin_api_|figd_|GOCSPX-|ATATT|nvapi-|hvs\.|sntrys_"
    r"|(?:npm_|hf_|gsk_|xai-|pplx-)(?=[a-zA-Z0-9]{12})"
)
"""How keys and tokens of known services begin. Variables and models begin as some do, such as npm_config_registry."""
WEBHOOK: Final = re.compile(
    r"hooks\.slack\.com/|discord(?:app)?\.com/api/(?:v\d+/)?webhooks/|webhook\.office\.com/|hooks\.zapier\.com/"
    r"|api\.telegram\.org/bot|chat\.googleapis\.com/|maker\.ifttt\.com/"
)
"""Links by which everyone who has them may write: the path is the key."""
WEBHOOK_PATH: Final = re.compile(rf"(?:{WEBHOOK.pattern})([^\s\"'<>]+)")
PRIVATE_KEY: Final = re.compile(
    r"-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----(?:(?:(?!-----)[\s\S]){0,20000}-----END|(?:\s+[\w+/=]{16,})*)"
    r"|-----BEGIN [A-Z ]*PRIVATE KEY"
)
"""A private key with its lines."""
KNOWN: Final = re.compile(
    rf"\b(?:{PREFIX.pattern.replace('|key-', '|key-(?=[0-9a-f]{8})')})[\w.-]{{12,}}"
    r"|://[^/\s:@]*:([^/\s@]+)@"  # a password in an address
)
"""Secrets that are known by their form."""
MASK: Final = "[secret]"
"""The text in place of a secret."""
INDENT: Final = r"\s{0,40}"


def _value(least: int) -> str:
    """Return the pattern of a value of so many characters at least."""
    return rf"(?!\$[A-Z_]+\b|\$?[{{(])[\"'`]?([^\s\"'`<>,;()\[\]{{}}]{{{least},200}})(?!\w*\()"


def _item(least: int, chars: str = "") -> str:
    """Return the pattern of an item of a list; in quotation marks it has none of the characters `chars`."""
    return (
        rf"(?:\"[^\"\n{chars}]{{{least},200}}\"|'[^'\n{chars}]{{{least},200}}'|[^\s\"'`<>,;()\[\]{{}}]{{{least},200}})"
    )


ITEM: Final = _item(1)


def _values(least: int) -> str:
    """Return the pattern of such a value, or of a list in square brackets; one that begins with words is a message."""
    first = _item(least, r"\s")
    items = rf"{INDENT}{first}(?:{INDENT},{INDENT}{ITEM}){{0,200}}(?:{INDENT},)?{INDENT}"
    return rf"(?:{_value(least)}|(?!{re.escape(MASK)})(\[{items}(?:\]|\Z)))"


GIVEN: Final = r"\w{0,30}[\"']?\s{0,3}(?::?=|:|\bis\b)\s{0,3}"
PASSWORD: Final = re.compile(
    rf"(?:passw(?:or)?d|passphrase|passcode|(?<![a-z])x-[a-z-]{{0,20}}(?:key|token(?!s))){GIVEN}{_values(1)}"
    rf"|pwd[\"']?\s{{0,3}}[:=]\s{{0,3}}(?![~./]){_value(1)}"
    rf"|\b(?:mysql|mariadb|sshpass)\w*\s(?:[^\n|;]{{0,200}}\s)??-(?:(p[^\s\"'`<>,;|]{{3,200}})|p\s?{_value(3)})"
    r"|\b(?:bearer|basic)\s+(?![a-z]+\b)([\w.+/=-]{12,})",
    re.IGNORECASE,
)
"""A value that the text calls a password or a key without a doubt."""
NAMED: Final = re.compile(
    rf"(?:secret|token|api[_ -]?key|access[_ -]?key|private[_ -]?key|credentials?|authorization|cookie"
    rf"|(?<![a-z])auth(?![a-z])){GIVEN}(?:bearer\s|basic\s)?{_values(4)}",
    re.IGNORECASE,
)
"""A value behind a name that says that it may be one."""
ORDINARY: Final = {
    PASSWORD: re.compile(r"[^:=]*\bis\s+[a-z]+\Z"),
    NAMED: re.compile(
        r"(?i:secret|token|credentials?|cookie|(?:api|access|private)[_ -]?key)"
        r"(?!_?(?:access|api|private|key|token|secret|value)|(?<!token)s\b)\w"
        r"|(?:(?i:token)[^:=]*?(?:[:=]|\bis\b)[\"'`\s=]*[\d.,_\s\[\]]+"
        r"|.*?(?:[:=]|\bis\b)\s*(?i:bearer\s|basic\s)?[\"'`]?\S{1,7})\Z",
        re.DOTALL,
    ),
}
"""What these find in ordinary errors: words about passwords; names such as "token_type"; token counts; short values."""
CALLS_A_PASSWORD: Final = (
    "passw",
    "passphrase",
    "passcode",
    "x-",
    "pwd",
    "mysql",
    "mariadb",
    "sshpass",
    "bearer",
    "basic",
)
"""How what PASSWORD finds begins, in small letters."""
CALLS_A_SECRET: Final = (
    "secret",
    "token",
    "api",
    "access",
    "private",
    "credential",
    "cookie",
    "auth",
)
"""The same of NAMED."""
SECRET_CHARS: Final = 20
"""Characters from which on a word of mixed letters and digits may be a key."""
PIECE: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|\d+")
PIECE_CHARS: Final = 3
"""Characters of the pieces of a name on average at least: those of a key are shorter."""
WORD: Final = re.compile(r"[A-Za-z0-9+=_-]{24,}")
"""What may be random characters: a word without slashes and points, which paths have."""
HEXADECIMAL: Final = re.compile(r"[0-9a-fA-F]{32,}")
MIXED: Final = (re.compile("[a-z]"), re.compile("[A-Z]"), re.compile("[0-9]"))


def holds_secret(text: str) -> bool:
    """Return whether a text holds what looks like a key, a token or a password."""
    return bool(
        KNOWN.search(text)
        or PRIVATE_KEY.search(text)
        or WEBHOOK.search(text)
        or next(secrets_in(text), None)
        or any(map(_is_random, WORD.findall(text)))
    )


def masked(text: str) -> str:
    """Return the text without secrets, for a message that may be logged.

    Random characters stay: they are ids of requests too. So does what ordinary errors say behind such a name, as in
    "max_tokens: 128000", "tokenizer=o200k_base" and "password is required".
    """
    found = [match for form in (KNOWN, PRIVATE_KEY, WEBHOOK_PATH) for match in form.finditer(text)]
    found += (match for match in _called_secrets(text) if not ORDINARY[match.re].match(match[0]))
    kept, end = [], 0
    for start, stop in sorted(match.span(match.lastindex or 0) for match in found):
        if start >= end:
            kept += [text[end:start], MASK]
        end = max(end, stop)
    return "".join([*kept, text[end:]])


def _is_random(word: str) -> bool:
    return HEXADECIMAL.search(word) is not None or all(kind.search(word) for kind in MIXED)


def secrets_in(text: str, *, user: bool = False) -> Iterator[str]:
    """Yield the values that a text itself calls secrets.

    Behind a name that may say something else, as "token" does, a value of the user counts, and any with a digit.
    """
    for found in _called_secrets(text, user=user):
        value = found[found.lastindex or 0]
        yield from (one.strip("\"'") for one in re.findall(ITEM, value)) if value[0] == "[" else [value]


def _called_secrets(text: str, *, user: bool = False) -> Iterator[re.Match[str]]:
    """Yield the places of these values: the group that matched is the value."""
    small = text.lower()
    yield from _named_values(PASSWORD, CALLS_A_PASSWORD, text, small)
    for found in _named_values(NAMED, CALLS_A_SECRET, text, small):
        if user or any(map(str.isdigit, found[found.lastindex or 0])):
            yield found


def _named_values(
    pattern: re.Pattern[str], beginnings: Sequence[str], text: str, small: str
) -> Iterator[re.Match[str]]:
    """Yield what `pattern.finditer(text)` does, of a pattern whose finds begin so: tried there alone, it is fast."""
    if len(small) != len(text):  # such as of a capital I with a dot
        yield from pattern.finditer(text)
        return
    end = 0
    for start in sorted({at for one in beginnings if one in small for at in _places(small, one)}):
        found = pattern.match(text, start) if start >= end else None
        if found is not None:
            end = found.end()
            yield found


def _places(text: str, part: str) -> Iterator[int]:
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + 1)


def is_secret(word: str) -> bool:
    """Return whether a word has the form of a key."""
    return bool(PREFIX.match(word)) or (len(word) >= SECRET_CHARS and not is_readable(word))


def is_readable(word: str) -> bool:
    """Return whether a word is a name: its parts are long enough to be words."""
    return len(word) >= PIECE_CHARS * (len(PIECE.findall(word)) or len(word))
