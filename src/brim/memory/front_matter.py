"""Front matter: the table in YAML between two lines of hyphens at the head of a Markdown file.

Part of memory files and of agents' definitions; specified by features/memory/loading.feature (MEM_09) and
features/agents/definitions.feature (AGT_02).
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from functools import cache
from typing import Any, Final, NamedTuple

FENCE: Final = re.compile(r"^-{3,}[ \t]*\r?$", re.MULTILINE)
"""The line above front matter, and the one below it."""
MAX_CHARS: Final = 50_000
"""Characters of front matter that is parsed, about half a second at most."""


class FrontMatter(NamedTuple):
    """A Markdown text with front matter."""

    fields: Any
    """What the front matter holds: a table, or what it is in place of one."""
    body: str
    """The text below it."""
    lines: int
    """Lines above the body."""


class FrontMatterError(Exception):
    """Front matter that cannot be read: why, and the line of the file."""

    def __init__(self, reason: str, line: int = 1) -> None:
        super().__init__(reason)
        self.line = line


class NoEndError(FrontMatterError):
    """A text that begins with a line of hyphens, and has no second one."""


def read_front_matter(text: str) -> FrontMatter | None:
    """The front matter of a text, and what is below it; None where the text does not begin with one.

    Raises NoEndError, and FrontMatterError where it is too long or no YAML.
    """
    if not FENCE.match(text):
        return None
    end = FENCE.search(text, text.find("\n") + 1) if "\n" in text else None
    if end is None:
        raise NoEndError("the front matter has no end; put a line --- behind it")
    if end.start() > MAX_CHARS:
        raise FrontMatterError(
            f"the front matter has {end.start():,} characters; at most {MAX_CHARS:,} are read: move text below it"
        )
    fields = _parsed(text[text.find("\n") + 1 : end.start()])
    return FrontMatter(fields, text[end.end() :].removeprefix("\n"), text.count("\n", 0, end.end()) + 1)


def _parsed(text: str) -> Any:
    import yaml  # type: ignore[import-untyped]  # noqa: PLC0415  few memory files have front matter

    try:
        return yaml.load(text, Loader=_loader())  # noqa: S506  a loader that is as safe as SafeLoader
    except Exception as error:  # what YAML raises is no class of brim's dependencies
        mark = getattr(error, "problem_mark", None)
        reason = getattr(error, "problem", None) or "a value is too long, no date, or nested too deep"
        line = mark.line + 2 if mark else 1
        raise FrontMatterError(f"the front matter does not parse: {reason}; correct this line", line) from error


@cache
def _loader() -> Any:
    """A loader in Python: the one in C ends the process where values are nested some 100,000 deep."""
    import yaml  # noqa: PLC0415  as above

    class Loader(yaml.SafeLoader):  # type: ignore[misc]
        """Refuses a field that is there twice, and an alias.

        Nine lines of aliases repeat a value a billion times.
        """

        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                mark = self.peek_event().start_mark
                raise yaml.composer.ComposerError(None, None, "it repeats a value by an alias", mark)
            return super().compose_node(parent, index)

        def construct_mapping(self, node: Any, deep: bool = False) -> Any:  # noqa: FBT001, FBT002  the signature of YAML
            seen: set[Hashable] = set()
            for key, _ in node.value:
                name = (key.tag, key.value) if isinstance(key, yaml.ScalarNode) else id(key)
                if name in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"there are two fields {key.value!r} in one table", key.start_mark
                    )
                seen.add(name)
            return super().construct_mapping(node, deep)

    return Loader
