"""Shell commands: which files a command of a POSIX shell changes, and whether it does no more than look.

Specified by features/summary/facts.feature (SUM_07, SUM_13). tree-sitter parses a command (decision 0117); the reader
never fails and takes time in proportion to the command. What it cannot be sure of, it leaves out: a command that cannot
be parsed whole, variables and globs, and a command that may not have run. Out of reach are PowerShell and cmd, what the
parser takes for an error (an assignment alone before a redirection, `A=1 > a.txt`, two here-documents of one line, a
semicolon behind the start of one), files that a program opens by itself (`python - <<EOF`), and the files behind `git
stash`, `git reset` or a patch that another file holds.
"""

from __future__ import annotations

import ntpath
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import dropwhile, pairwise
from posixpath import basename, isabs, join, normpath
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from brim.errors import advisory

if TYPE_CHECKING:
    from tree_sitter import Language, Node

FileAct: TypeAlias = Literal["read", "modified", "created", "written", "stored", "deleted"]
"""Written is created or modified: which of them, only what was known of the file before can say.

Stored is written, too, by a redirection of what a program printed (`make > build.log`).
"""

MAX_PATH_CHARS: Final = 4_096
"""Characters of a path at most, as Linux has it (PATH_MAX): a longer text is the name of no file."""
MAX_COMMAND_CHARS: Final = 100_000
"""Characters of a command at most: a longer one is not read."""
MAX_DEPTH: Final = 64
"""Groups, branches and substitutions within each other, in a command that is read."""


class TouchedFile(NamedTuple):
    """What a command does to a file."""

    act: FileAct
    path: str


class Word(NamedTuple):
    """A word of a command, without its quotes; not literal where a variable, a glob or a substitution makes another."""

    text: str
    literal: bool = True


class Command(NamedTuple):
    """A simple command of a script, without its assignments; words are empty where only redirections are left."""

    words: tuple[Word, ...]
    redirects: tuple[tuple[str, Word], ...] = ()
    """The operators and what they name."""
    here: str = ""
    """The text of its here-document."""
    runs: bool = True
    """It ran for certain, where the script succeeded; false where that depends on a condition."""
    shells: tuple[int, ...] = ()
    """The subshells that it is in, outermost first, by number."""
    function: str = ""
    """The function whose body it is in, if any."""
    succeeds: bool = False
    """It succeeded for certain, where the script succeeded."""
    source: str = ""
    """Its text in the script, from its first word to its last, with the assignments in front."""
    assigned: bool = False
    """An assignment is in front of its words, or is all there is."""
    assignments: tuple[str, ...] = ()
    """Its assignments, without the quotes of their values."""


CHUNK: Final = 1_024
"""Bytes that the parser reads at a time."""
READS_PER_CHUNK: Final = 16
"""How often it may read each, on average: its scanner may look ahead to the end from each bracket."""
BYTES_PER_STEP: Final = 10
"""Bytes for each of its steps, some hundred operations: of a script with an error it may try many readings."""
JOINTS: Final = frozenset({"&&", "||", "|", "|&"})
HERE: Final = frozenset({"heredoc_start", "heredoc_body", "heredoc_end"})
HERE_TEXT: Final = frozenset({"<<<", "<"})
JOINED: Final = frozenset({"list", "pipeline", "redirected_statement"})
REDIRECTS: Final = frozenset({"file_redirect", "herestring_redirect"})
SUBSHELLS: Final = frozenset({"subshell", "command_substitution", "process_substitution"})
BRANCHES: Final = frozenset({"do_group", "elif_clause", "else_clause", "case_item"})
# fmt: off
COMMANDS: Final = frozenset(
    {
        "command", "declaration_command", "test_command", "unset_command", "variable_assignment",
        "variable_assignments",
    }
)
# fmt: on
KEYWORDS: Final = frozenset({"declaration_command", "test_command", "unset_command"})
ASSIGNMENTS: Final = frozenset({"variable_assignment", "variable_assignments"})
LOOPS: Final = frozenset({"for_statement", "while_statement", "c_style_for_statement"})
SUCCEEDING: Final = frozenset(
    {"", ".", ":", "cd", "date", "echo", "export", "mkdir", "printf", "pushd", "pwd", "set", "sleep", "source", "true"}
)
"""Programs that are taken to succeed, so that what follows behind `&&` runs; empty for an assignment."""
LEAVING: Final = frozenset({"exit", "return", "exec"})
FAILS_EARLY: Final = re.compile(r"-[a-z]*e")
"""The option of a shell, or of `set`, by which the first failure ends it."""
SKIPPING: Final = frozenset({"break", "continue"})
UNPARSED: Final = re.compile(r"\$\{.*?(?:`|[<>]\()", re.DOTALL)
"""Substitutions within an expansion that the parser takes for text: "${x:-`y`}"."""
SIMPLE: Final = re.compile(r"[^\\*?\[{]*")
"""Most words are: neither an escape nor a glob is in them."""
GLOB: Final = re.compile(r"[*?\[{]")
ESCAPE: Final = re.compile(r"\\(?:\n|(.))")
QUOTED_ESCAPE: Final = re.compile(r"\\(?:\n|([\\\"$`]))")
ANSI_ESCAPE: Final = re.compile(r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|U[0-9a-fA-F]{1,8}|[0-7]{1,3}|c.|.)", re.DOTALL)
ANSI: Final = {
    "a": "\a", "b": "\b", "c": "\0", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v",
}  # fmt: skip
"""Escapes between $' and ', as the manual of bash has them; one control character is taken for every other."""


@dataclass(slots=True)
class _Part:
    """A part of a list or a pipeline, with the operator before it."""

    joint: str
    node: Node | None
    added: list[Node] = field(default_factory=list)
    """Redirections, and words behind the delimiter of its here-document."""
    here: Node | None = None
    """The body of its here-document."""


class _UnreadableError(Exception):
    """A part of a script that the parser does not see through."""


class _TooDeep(Exception):
    pass


@lru_cache(maxsize=1)
def _language() -> Language:
    import tree_sitter_bash  # noqa: PLC0415  only who reads commands pays for it
    from tree_sitter import Language  # noqa: PLC0415

    return Language(tree_sitter_bash.language())


def _children(node: Node) -> list[Node]:
    """Return the parts of a node; a comment is none."""
    return [one for one in node.children if one.type != "comment"]


def _tree(script: bytes) -> Node | None:
    """Return the root of the syntax tree; None where the script has an error, or parsing would take too long."""
    from tree_sitter import Parser  # noqa: PLC0415

    reads = len(script) // CHUNK * READS_PER_CHUNK + 64
    steps = len(script) // BYTES_PER_STEP + 64

    def read(offset: int, _point: object) -> bytes:
        nonlocal reads
        reads -= 1
        return script[offset : offset + CHUNK] if reads > 0 else b""

    def has_run_out(_offset: int, _has_error: bool) -> bool:  # noqa: FBT001  tree-sitter calls it
        nonlocal steps
        steps -= 1
        return reads <= 0 or steps <= 0

    try:
        root = Parser(_language()).parse(read, progress_callback=has_run_out).root_node
    except ValueError:  # it was stopped
        return None
    return None if reads <= 0 or root.has_error else root


@lru_cache(maxsize=256)
@advisory("a shell command", lambda *_, **__: ())
def read_script(script: str, *, succeeds: bool) -> tuple[Command, ...]:
    """Read the simple commands of a script that succeeded, or may have failed; none if it cannot be parsed whole.

    Those of substitutions come before the command that they are in.
    """
    if len(script) > MAX_COMMAND_CHARS or "\0" in script:
        return ()
    encoded = script.encode(errors="replace")
    root = _tree(encoded)
    reader = _ScriptReader(script if len(script) == len(encoded) else encoded, succeeds=succeeds)
    try:
        reader.sequence(_children(root) if root else (), runs=True, succeeds=succeeds)
    except (_TooDeep, _UnreadableError):
        return ()
    return tuple(reader.commands)


SUBSTITUTION: Final = re.compile(rb"(?<!\\)(?:\\\\)*(?:`|\$\()")
PROCESS: Final = re.compile(rb"(?<!\\)(?:\\\\)*[<>]\(")
QUOTED_SUBSTITUTION: Final = re.compile(rb"`|\$\(")
QUOTED: Final = frozenset({"ansi_c_string", "raw_string"})
ARITHMETIC: Final = re.compile(rb"\$?\(\(.*[A-Za-z_$]|\$\[|let\b|for\s*\(\(", re.DOTALL)
EVALUATING: Final = re.compile(
    rb"\[\[?.*\s-(?:eq|ne|lt|le|gt|ge|v|R)\s|test\s.*-(?:eq|ne|lt|le|gt|ge|v|R)\s|unset\b"
    rb"|(?:declare|export|local|readonly|typeset)\s(?:.*\s)?-\w*[in]"
    rb"|(?:printf|wait)\s+-[pv]|(?:getopts|mapfile|read|readarray)\b|\$\{!|\$\{\w+:\s*[A-Za-z_$(]|\w+\[[^]]*[A-Za-z_$]",
    re.DOTALL,
)
"""Commands and expansions by which a shell evaluates a text as arithmetic, or as the name of a variable."""
EVALUATED: Final = frozenset(
    {"command", "declaration_command", "expansion", "subscript", "test_command", "unset_command"}
)
COUNTING: Final = re.compile(
    rb"\$?\(\(|\$\[|for\s*\(\(|let\b|\[\[.*\s-(?:eq|ne|lt|le|gt|ge)\s|\$\{!\w+\}|\w+\[[^]@*]|\w+\s+-\w*i.*\$", re.DOTALL
)
"""Where a shell evaluates the values of variables, too."""
COUNTED: Final = frozenset(
    {
        "arithmetic_expansion", "c_style_for_statement", "command", "command_substitution", "compound_statement",
        "declaration_command", "expansion", "subscript", "test_command",
    }
)  # fmt: skip
COUNTED_NAME: Final = re.compile(rb"(?<![\w#])(?!(?:eq|ne|lt|le|gt|ge|let|for)\s)[A-Za-z_]\w*(?!\w*\[)|\$\{?!?[1-9@*]")
READING: Final = re.compile(rb"(?:getopts|mapfile|printf\s+-v|read|readarray)\b")


def _own_text(node: Node, text: bytes) -> bytes:
    """Return the text of a node without that of its parts, a bar in place of each."""
    ends = [node.start_byte, *(one.end_byte for one in node.children)]
    starts = [*(one.start_byte for one in node.children), node.end_byte]
    return b"|".join(text[end:start] for end, start in zip(ends, starts, strict=True))


def _counts_texts(root: Node, text: bytes) -> bool:
    """Return whether a script evaluates the value of a variable that it has given no number, or that it reads."""
    counted, numbers, texts = set[bytes](), set[bytes](), set[bytes]()
    reads, rest = False, [root]
    while rest:
        node = rest.pop()
        kind, whole = node.type, text[node.start_byte : node.end_byte]
        reads = reads or (kind == "command" and READING.match(whole) is not None)
        if kind in {"variable_assignment", "for_statement"}:
            name, *values = [one for one in node.named_children if one.type != "do_group"]
            is_number = all(one.type in {"number", "brace_expression", "arithmetic_expansion"} for one in values)
            (numbers if is_number else texts).add(text[name.start_byte : name.end_byte])
        elif kind in COUNTED and COUNTING.match(whole):
            body = next((one.start_byte for one in node.children if one.type == "do_group"), node.end_byte)
            counted.update(COUNTED_NAME.findall(text[node.start_byte : body]))
        rest += node.children
    return bool(counted) and (reads or not counted <= numbers - texts)


def unseen(script: str) -> str:
    """Return why a shell may run what the syntax tree of a script does not show; empty where it cannot.

    That is a substitution in a text that the shell expands and the parser takes for text (the body of a here-document,
    a pattern of an expansion), one in quotation marks, where the script evaluates texts as arithmetic, or in a variable
    that it evaluates and has given no number, and a line break within a word.
    """
    text = script.encode(errors="replace")
    root = _tree(text)
    if root is None:
        return ""
    rest = [root]
    held = evaluates = False
    while rest:
        node = rest.pop()
        kind, whole = node.type, text[node.start_byte : node.end_byte]
        if kind == "comment" or not node.is_named:
            continue
        opening = node.prev_named_sibling if kind == "heredoc_body" else None
        while opening and opening.type != "heredoc_start":
            opening = opening.prev_named_sibling
        if kind in QUOTED or (opening and re.search(rb"['\"\\]", text[opening.start_byte : opening.end_byte])):
            held = held or QUOTED_SUBSTITUTION.search(whole) is not None
            continue
        own = _own_text(node, text)
        if SUBSTITUTION.search(own) or (kind == "regex" and PROCESS.search(own)) or b"|\\\n|" in own:
            return "the shell runs what brim sees as text"
        if kind == "expansion" and whole.endswith(b"@P}"):
            return "it runs what a variable holds"
        held = held or QUOTED_SUBSTITUTION.search(own) is not None
        evaluates = evaluates or (kind not in {"program", "string"} and ARITHMETIC.match(whole) is not None)
        evaluates = evaluates or (kind in EVALUATED and EVALUATING.match(whole) is not None)
        rest += node.children
    if (held and evaluates) or _counts_texts(root, text):
        return "a text that it evaluates may hold a substitution"
    return ""


class _ScriptReader:
    """Reads a syntax tree into simple commands, and follows which of them ran for certain.

    `runs` says that a part ran for certain, where the script succeeded, and `succeeds` that it succeeded itself. Each
    method returns the part's status where it is known without that, else None.
    """

    def __init__(self, script: str | bytes, *, succeeds: bool) -> None:
        """Take the script; where it has characters of several bytes its bytes, by which the tree counts."""
        self.commands: list[Command] = []
        self._script = script
        self._shells: tuple[int, ...] = ()
        self._count = self._depth = 0
        self._succeeds = succeeds
        """The shell succeeded."""
        self._fails_early = False
        """The first failure ends the shell (`set -e`)."""
        self._left = ""
        """What may have been left before its end: a loop, the shell or neither."""
        self._function = ""
        self._leaving = LEAVING
        """Programs and functions that leave the shell."""

    def sequence(self, nodes: Sequence[Node], *, runs: bool, succeeds: bool = False) -> bool | None:
        """Read statements that follow each other; those behind `then` may not run."""
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise _TooDeep
        status: bool | None = None
        pending: Node | None = None
        for node in nodes:
            kind = node.type
            if kind == "&" and pending:
                with self._subshell(succeeds=False):
                    self._statement(pending, runs=False, succeeds=False)
                pending = None
            elif kind == "then" or (node.child_count and node.is_named):
                if pending:
                    self._statement(pending, runs=runs, succeeds=False)
                pending, runs = (None, False) if kind == "then" else (node, runs)
        if pending:
            status = self._statement(pending, runs=runs, succeeds=succeeds)
        self._depth -= 1
        return status

    @contextmanager
    def _subshell(self, *, succeeds: bool) -> Iterator[None]:
        outer = self._shells, self._left, self._succeeds, self._fails_early
        self._count += 1
        self._shells, self._succeeds = (*self._shells, self._count), succeeds
        yield
        self._shells, self._left, self._succeeds, self._fails_early = outer

    def _statement(self, node: Node, *, runs: bool, succeeds: bool) -> bool | None:
        """Read a list of pipelines. Where it succeeded, those behind its last `||` ran and succeeded."""
        if node.type not in JOINED:
            return self._part(_Part("", node), runs=runs, succeeds=succeeds)
        pipelines: list[list[_Part]] = []
        for part in self._parts(node):
            if part.joint in {"|", "|&"}:
                pipelines[-1].append(part)
            else:
                pipelines.append([part])
        last_or = max((number for number, parts in enumerate(pipelines) if parts[0].joint == "||"), default=-1)
        status: bool | None = True
        for number, parts in enumerate(pipelines):
            known, stops = succeeds and number > last_or, parts[0].joint == "||"
            follows = status is (not stops) or (known and status is None)
            found = self._pipeline(parts, runs=runs and follows, succeeds=known)
            if follows:
                status = found
            elif status is None and found is stops:
                status = stops
        return status

    @staticmethod
    def _parts(node: Node) -> list[_Part]:
        """Return the parts of lists and pipelines in the order of the text: with operators, it says what runs when.

        In the tree a redirection may enclose a whole list, and a here-document what follows its delimiter.
        """
        parts: list[_Part] = []
        joint, rest = "", [node]
        while rest:
            node = rest.pop()
            kind = node.type
            if kind in JOINTS:
                joint = kind
            elif kind in JOINED:
                children = _children(node)
                if children[0].type.endswith("_redirect"):
                    parts.append(_Part(joint, None))
                rest += reversed(children)
            elif kind == "heredoc_redirect":
                arguments = node.children_by_field_name("argument")
                parts[-1].added += arguments
                parts[-1].here = next(one for one in node.children if one.type == "heredoc_body")
                rest += [one for one in reversed(_children(node)) if one not in arguments]
            elif kind in REDIRECTS:
                parts[-1].added.append(node)
            elif node.is_named and kind not in HERE:
                parts.append(_Part(joint, node))
        return parts

    def _pipeline(self, parts: Sequence[_Part], *, runs: bool, succeeds: bool) -> bool | None:
        if len(parts) == 1:
            return self._part(parts[0], runs=runs, succeeds=succeeds)
        for part in parts:
            is_last = part is parts[-1]
            with self._subshell(succeeds=succeeds and is_last):
                status = self._part(part, runs=runs, succeeds=succeeds and is_last)
        return status

    def _part(self, part: _Part, *, runs: bool, succeeds: bool) -> bool | None:
        if part.node is None or part.node.type in COMMANDS:
            return self._command(part, part.node, runs=runs, succeeds=succeeds)
        if part.node.type in REDIRECTS:  # alone in a substitution: `$(< file)`
            return self._command(_Part(part.joint, None, [part.node]), None, runs=runs)
        status = self._compound(part.node, runs=runs, succeeds=succeeds)
        if part.added:
            self._command(part, None, runs=runs)
        return status

    def _compound(self, node: Node, *, runs: bool, succeeds: bool) -> bool | None:
        kind, children, left = node.type, _children(node), self._left
        if kind in SUBSHELLS:
            with self._subshell(succeeds=succeeds):
                return self.sequence(children, runs=runs, succeeds=succeeds)
        if kind == "compound_statement":
            return self.sequence(children, runs=runs, succeeds=succeeds)
        if kind == "function_definition":
            return self._define(node)
        if kind == "for_statement" and children[0].type == "for":  # over a word that is given, it runs at least once
            words = node.children_by_field_name("value")
            runs = runs and any(self._word(one).literal for one in words)
            children = [*words, *children[-1].children]
        is_negated = kind == "negated_command"  # what it negates is expected to fail
        status = self.sequence(children, runs=runs and not is_negated and kind not in BRANCHES)
        if self._left == "loop" and kind in LOOPS:
            self._left = left
        return None if not is_negated or status is None else not status

    def _define(self, node: Node) -> bool:
        """Read a function: whether and when it runs is not followed."""
        outer = self._function, self._left, self._succeeds, self._fails_early
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        self._function, self._left, self._succeeds = self._text(name) if name else "", "", False
        self.sequence([body] if body else [], runs=False)
        if self._left == "shell":
            self._leaving |= {self._function}
        self._function, self._left, self._succeeds, self._fails_early = outer
        return True

    def _command(self, part: _Part, node: Node | None, *, runs: bool, succeeds: bool = False) -> bool | None:
        """Add a simple command behind those of its substitutions."""
        kind, children = (node.type, _children(node)) if node else ("", [])
        words = [Word(self._text(children[0]))] if kind in KEYWORDS else []
        redirects: list[tuple[str, Word]] = []
        inner = _children(part.here) if part.here else []
        source, behind, ended = self._text(node) if node else "", len(children), -1
        assigned = kind in ASSIGNMENTS and node is not None and not (node.parent and node.parent.type in COMMANDS)
        assignments = [self._assignment(node)] if node and kind == "variable_assignment" else []
        for index, child in enumerate([*children, *part.added]):
            named = child.type
            if UNPARSED.search(self._text(child)):
                raise _UnreadableError
            if named in REDIRECTS:
                operator, *targets = [one for one in _children(child) if one.type != "file_descriptor"]
                redirects.append((operator.type, self._word(targets[0]) if targets else Word("")))
                words += map(self._word, targets[1:])
                source = " ".join([source, *map(self._text, targets[1:])]) if index >= behind else source
                inner += targets
            elif named == "variable_assignment" or kind in ASSIGNMENTS:
                assignments += [self._assignment(child)] if named == "variable_assignment" else []
                assigned = assigned or kind == "command"
                inner.append(child)
            elif child.is_named:
                word = self._word(child.children[0] if named == "command_name" else child)
                if words and child.start_byte == ended:  # the parser takes one word apart
                    word = Word(words[-1].text + word.text, words.pop().literal and word.literal)
                words.append(word)
                ended = child.end_byte
                source = f"{source} {self._text(child)}" if index >= behind else source
                if not word.literal:
                    inner += child.children
        if inner:
            self.sequence(inner, runs=runs)
        runs = runs and not self._left
        here = self._text(part.here) if part.here else next((to.text for how, to in redirects if how in HERE_TEXT), "")
        shells = self._shells
        done = Command(
            tuple(words), tuple(redirects), here, runs, shells, self._function, succeeds, source, assigned,
            tuple(assignments),
        )  # fmt: skip
        self.commands.append(done)
        program = words[0].text if words else ""
        self._leave(program, words, joint=part.joint, runs=runs)
        return True if program in SUCCEEDING else False if program == "false" else None

    def _leave(self, program: str, words: Sequence[Word], *, joint: str, runs: bool) -> None:
        """Note what a command may leave before its end."""
        if program in SKIPPING:
            self._left = self._left or "loop"
        elif program in self._leaving and (program != "exec" or len(words) > 1):
            fails = words[1].text.strip("0").isdecimal() if len(words) > 1 else joint == "||"
            if runs or not (fails and program in LEAVING and self._succeeds):  # else it did not run
                self._left = "shell"
        elif program == "set" and len(words) > 1:
            self._fails_early = FAILS_EARLY.match(words[1].text) is not None
        elif self._fails_early and not self._succeeds and program not in SUCCEEDING:
            self._left = "shell"

    def _text(self, node: Node) -> str:
        piece = self._script[node.start_byte : node.end_byte]
        return piece if isinstance(piece, str) else piece.decode()

    def _assignment(self, node: Node) -> str:
        name, _, _ = self._text(node).partition("=")
        value = node.child_by_field_name("value")
        return f"{name}={self._word(value).text if value else ''}"

    def _word(self, node: Node) -> Word:
        """Return the word without its quotes and escapes."""
        kind, text = node.type, self._text(node)
        if kind in {"word", "number"}:
            if SIMPLE.fullmatch(text):
                return Word(text)
            return Word(ESCAPE.sub(r"\1", text), GLOB.search(ESCAPE.sub("", text)) is None)
        if kind == "raw_string":
            return Word(text[1:-1])
        if kind == "ansi_c_string":
            decoded = ANSI_ESCAPE.sub(_ansi, text[2:-1])
            return Word(text, literal=False) if "\0" in decoded else Word(decoded)
        if kind == "concatenation":
            parts = [self._word(one) for one in node.children]
            return Word("".join(one.text for one in parts), all(one.literal for one in parts))
        is_plain = (
            kind == "string" and text[0] != "$" and {one.type for one in node.named_children} <= {"string_content"}
        )
        return Word(QUOTED_ESCAPE.sub(r"\1", text[1:-1]) if is_plain else text, is_plain)


def _ansi(escape: re.Match[str]) -> str:
    """Return the character of an escape between $' and '."""
    sign, digits = escape[1][0], escape[1][1:]
    if sign in "xuU" and digits:
        return chr(min(int(digits, 16), 0x10FFFF))
    if sign in "01234567":
        return chr(int(escape[1], 8) & 0xFF)
    return ANSI.get(sign, sign)


WRAPPERS: Final = frozenset(
    {"builtin", "command", "env", "exec", "nice", "nohup", "rtk", "stdbuf", "sudo", "time", "timeout"}
)
"""Programs that run another one, given behind their options."""
WRAPPER_ARGUMENT: Final = re.compile(r"-|[A-Za-z_]\w*=|[\d.]+[smhd]?\Z")
SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash"})
SCRIPT_OPTION: Final = re.compile(r"-[a-z]*c\b")
GIT_VALUE: Final = frozenset({"-C", "-c", "--git-dir", "--work-tree"})
"""Options of git that a value follows."""


def program_of(words: Sequence[Word]) -> tuple[str, Sequence[Word], Word | None]:
    """Return a command's program (without wrappers; git with its verb), arguments and the folder of `git -C`."""
    wrapper = ""
    for index, (text, _) in enumerate(words):
        if wrapper == "command" and text in {"-v", "-V"}:
            return "which", words[index + 1 :], None
        if text in WRAPPERS:
            wrapper = text
        elif not (wrapper and WRAPPER_ARGUMENT.match(text)):
            program, arguments = text[text.rfind("/") + 1 :], words[index + 1 :]
            return _git(arguments) if program == "git" else (program, arguments, None)
    return "", (), None


def _git(arguments: Sequence[Word]) -> tuple[str, Sequence[Word], Word | None]:
    folder, options = None, iter(enumerate(arguments))
    for index, (text, _) in options:
        if not text.startswith("-"):
            return f"git {text}", arguments[index + 1 :], folder
        value = next(options, (0, None))[1] if text in GIT_VALUE else None
        folder = value if text == "-C" else folder
    return "git", arguments, folder


def _acts(pattern: str, *programs: str) -> dict[str, re.Pattern[str]]:
    return dict.fromkeys(programs, re.compile(pattern))


# fmt: off
LOOKING: Final = {
    **dict.fromkeys(
        (
            "[", "[[", "ack", "ag", "basename", "bat", "cat", "cmp", "column", "comm", "cut", "df", "diff", "dirname",
            "du", "echo", "egrep", "expr", "fgrep", "file", "find_file", "git blame", "git cat-file",
            "git check-ignore", "git describe", "git for-each-ref", "git ls-files", "git ls-tree", "git merge-base",
            "git name-rev", "git rev-list", "git rev-parse", "git shortlog", "git show-ref", "git status", "goto",
            "grep", "head", "hexdump", "hostname", "id", "jq", "less", "locate", "ls", "lsof", "md5sum", "more", "nl",
            "od", "open", "pgrep", "printenv", "printf", "ps", "pwd", "readlink", "realpath", "rev", "scroll_down",
            "scroll_up", "search_dir", "search_file", "sha256sum", "stat", "strings", "submit", "tac", "tail", "test",
            "tr", "type", "uname", "wc", "which", "whoami", "zcat", "zgrep",
        )
    ),
    **_acts(r"system *\(|[|>] *&?[\"(]|\| *getline|\binplace\b", "awk", "gawk"),
    **_acts(r" (?:-s|--set)", "date"),
    **_acts(r" (?:-[a-zA-Z]*[xX]|--exec)", "fd"),
    **_acts(r" -(?:delete|fprint|fls|exec(?:dir)? (?!(?:cat|grep|head|ls|stat|wc) )|ok)", "find"),
    **_acts(r" --pre\b", "rg"),
    **_acts(r" (?:-[nErsz]*i|--in-place)|[ ;{}/$\d]w \S", "sed"),
    **_acts(r" (?:-[a-zA-Z]*o|--output)", "sort", "tree", "git diff", "git log", "git show"),
    **_acts(r" [^- ]\S* [^- ]", "uniq"),
    **_acts(r" -[a-z]*r", "xxd"),
    **_acts(r" (?:-[a-zA-Z]*i|--inplace)", "yq"),
    **_acts(
        r" (?:-[dDmMcCfu]|--(?:delete|move|copy|force|edit|set-up|unset))"
        r"|^(?!.* (?:-l|--list|--(?:no-)?(?:contains|merged))).* [^- ]",
        "git branch",
    ),
    **_acts(r" -O|--open", "git grep"),
    **_acts(r" (?:expire|delete|drop)", "git reflog"),
}
# fmt: on
"""Programs that only show what is there, and the arguments with which they do more."""
# fmt: off
NEUTRAL: Final = frozenset(
    {
        "", ":", "break", "cd", "continue", "declare", "exit", "export", "false", "local", "popd", "pushd", "readonly",
        "return", "set", "sleep", "true", "unset", "wait",
    }
)
# fmt: on
"""Programs that say nothing, and so make a command neither one that looks nor one that acts."""


def only_shows(script: str) -> bool:
    """Return whether a script does no more than show what is there: each of its programs does, and there is one."""
    return _is_harmless(script, at_least=1)


def only_looks(script: str) -> bool:
    """Return whether a script shows what is there or goes to a folder, so that nothing is broken where it fails."""
    return _is_harmless(script, at_least=0)


FETCHING: Final = frozenset(
    {"curl", "gh", "git checkout", "git clone", "git fetch", "git pull", "git stash", "git switch", "glab", "wget"}
)
"""Programs that fetch what was written elsewhere."""


def may_run_tests(script: str) -> bool:
    """Return whether a script may run tests or a build: one of its programs is not known to do something else."""
    programs = [program_of(command.words)[:2] for command in read_script(script, succeeds=True)]
    return not programs or not all(one[0] in NEUTRAL or one[0] in FETCHING or _looks(*one) for one in programs)


def _is_harmless(script: str, at_least: int) -> bool:
    if _may_change(script) and _files_changed(script, "", "", 0):
        return False
    commands = read_script(script, succeeds=True)
    programs = [program_of(command.words)[:2] for command in commands]
    if any(_stores(*redirect) for one in commands for redirect in one.redirects):
        return False
    looking = [one for one in programs if one[0] not in NEUTRAL]
    return bool(commands) and len(looking) >= at_least and all(_looks(*one) for one in looking)


def _stores(operator: str, target: Word) -> bool:
    is_copy = operator == ">&" and DESCRIPTOR.fullmatch(target.text)
    return ">" in operator and not is_copy and not is_temporary(target.text)


def _looks(program: str, arguments: Sequence[Word]) -> bool:
    if program == "xargs":
        rest = [word for word in arguments if not WRAPPER_ARGUMENT.match(word.text)]
        return bool(rest) and rest[0].text != "xargs" and _looks(rest[0].text, rest[1:])
    texts = [word.text for word in arguments]
    if program not in LOOKING:
        return texts in (["--version"], ["--help"])
    acting = LOOKING[program]
    return acting is None or not acting.search(" ".join(["", *texts]))


DESCRIPTOR: Final = re.compile(r"\d*-?")
TEMPORARY: Final = re.compile(r"/(?:dev|proc|sys|tmp|private/tmp|var/tmp|var/folders)/|.*/AppData/Local/Temp/")


def is_temporary(path: str) -> bool:
    """Return whether a path is below a folder for temporary files, or is a device."""
    return TEMPORARY.match(path) is not None


EDITOR_COMMAND: Final = re.compile(r"\s*(create|edit|insert|append)\b")
"""SWE-agent's own commands that change the file that is open; text that is no shell's follows them."""
OPEN_FILE: Final = re.compile(r"^\[File: (.+) \(\d+ lines total\)\]$", re.MULTILINE)
"""How they print the name of that file."""
CHANGING: Final = re.compile(
    r"\b(?:tee|mv|cp|rm|touch|unlink|dd|install|truncate|checkout|restore|apply|am|create|edit|insert|append)\b"
    r"|patch|--in-place"
)
STORING: Final = re.compile(r">(?!& ?[\d-]|\s*/dev/)")
IN_PLACE: Final = re.compile(r"\s-\w*i")


def _may_change(script: str) -> bool:
    """Return whether a script may change a file that it names, found without reading it: most change none."""
    if STORING.search(script) or CHANGING.search(script):
        return True
    return ("sed" in script or "perl" in script) and IN_PLACE.search(script) is not None


FOLDERS: Final = frozenset({"", ".", ".."})
"""Last names of paths that name a folder."""
MAX_NESTED: Final = 3
"""Shells within shells (`bash -c "bash -c …"`) that are read."""


def files_changed(script: str, folder: str = "", output: str = "") -> tuple[TouchedFile, ...]:
    """Return the files that a successful run of a script changed, by paths from the folder that it began in.

    `output` is what it printed, from which alone the files of `patch` and of SWE-agent's own editor are known.
    Temporary files are left out, but for those it deleted.
    """
    if not _may_change(script):
        return ()
    if opened := EDITOR_COMMAND.match(script):
        found = OPEN_FILE.search(output)
        return (TouchedFile("created" if opened[1] == "create" else "modified", found[1]),) if found else ()
    return _files_changed(script, folder, output if "patch" in script else "", 0)


def _files_changed(
    script: str, folder: str | None, output: str, nested: int, *, succeeds: bool = True
) -> tuple[TouchedFile, ...]:
    run = _Run(folder, output, nested)
    found = [change for command in read_script(script, succeeds=succeeds) for change in run.changes(command)]
    return tuple(dict.fromkeys(one for one in found if one.act == "deleted" or not is_temporary(one.path)))


class Effect(NamedTuple):
    """What a program does to the files that its operands name."""

    act: FileAct | Literal["copied", "moved"]
    valued: str = ""
    """The options that a value follows."""
    unless: str = ""
    """The options with which it changes nothing."""


_sed: Final = Effect("modified", "-[nErsz]*[ef]|--(?:expression|file)", "(?!.* (?:-[nEersz]*i|--in-place))")
_rm: Final = Effect("deleted", unless=".* --cached")
_mv: Final = Effect("moved", unless=".* (?:-[a-zA-Z]*[nit]|--target)")
EFFECTS: Final = {
    "sed": _sed,
    "gsed": _sed,
    "perl": Effect("modified", r"-[\w.]*[eE]", "(?!.* -[0-7pnlawsF]*i)"),
    "tee": Effect("written"),
    "rm": _rm,
    "unlink": _rm,
    "mv": _mv,
    "cp": _mv._replace(act="copied"),
    "install": Effect("copied", "-[mogS]", ".* (?:-[a-zA-Z]*[dt]|--(?:target|directory))"),
    "touch": Effect("written", "-[dtr]"),
    "truncate": Effect("modified", "-[sr]"),
    "dd": Effect("written"),
    "git rm": _rm,
    "git mv": _mv,
    "git checkout": Effect("modified"),
    "git restore": Effect("modified", "-s|--source", ".* (?:-[a-zA-Z]*S|--staged)"),
}


def _effects(program: str, arguments: Sequence[Word]) -> Iterator[tuple[FileAct, Sequence[Word]]]:
    """Yield what a program does to the files that words name."""
    act, valued, unless = EFFECTS[program]
    files, options = _operands(arguments, valued)
    if unless and re.match(unless, options):
        return
    if program == "dd":
        files = [Word(word.text[3:], word.literal) for word in files if word.text.startswith("of=")]
    elif program == "git checkout":
        files = [word for _, word in dropwhile(lambda pair: pair[0].text != "--", pairwise(arguments))]
    elif program in {"sed", "gsed", "perl"} and not re.search(f" (?:{valued})", options):  # the script is the first
        files = files[1:]
    if act == "moved":
        yield "deleted", files[:-1]
    if act == "copied" or act == "moved":  # noqa: PLR1714  mypy knows what is left
        yield from _copied(files)
    elif program == "tee" and re.search(" (?:-[a-zA-Z]*a|--append)", options):
        yield "modified", files
    else:
        yield act, files


def _operands(arguments: Sequence[Word], valued: str) -> tuple[list[Word], str]:
    """Return the arguments that are neither options nor their values, and the options, a space before each."""
    files: list[Word] = []
    options = ""
    words = iter(arguments)
    for word in words:
        if word.text.startswith("-"):
            options += f" {word.text}"
            if valued and re.fullmatch(valued, word.text):
                next(words, None)
        elif word.text:
            files.append(word)
    return files, options


def _copied(files: Sequence[Word]) -> Iterator[tuple[FileAct, Sequence[Word]]]:
    """Yield the copies: in a folder where the last word surely names one, else under that name."""
    if len(files) < 2:  # noqa: PLR2004  a source and a target
        return
    *sources, target = files
    if len(sources) > 1 or basename(target.text) in FOLDERS:
        named = [(word, basename(word.text.rstrip("/"))) for word in sources]
        yield "written", [Word(join(target.text, name), target.literal and word.literal) for word, name in named]
    elif "." in basename(target.text) or "." not in basename(sources[0].text):
        yield "written", [target]


REDIRECTIONS: Final[dict[str, FileAct]] = {
    **dict.fromkeys((">", ">|", "&>", ">&"), "stored"),
    **dict.fromkeys((">>", "&>>"), "modified"),
}
"""What redirections do to the file that they name."""
WRITERS: Final = frozenset({"cat", "echo", "printf", "sed", "awk", "jq", "tee", ":", ""})
"""Programs whose output, redirected, is meant to be the file's text, and no record of a run."""
PATCHED: Final = re.compile(r"^patching file '?([^'\n]+?)'?(?: \(.*\))?$", re.MULTILINE)
DIFF_LINE: Final = re.compile(r"^--- (\S+).*\n\+\+\+ (\S+)", re.MULTILINE)
"""The two lines of a unified diff that name a file."""
DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")


MOVING: Final = frozenset({"cd", "pushd", "popd"})
MOVE: Final = re.compile(r"\b(?:cd|pushd|popd)\b")
OPTION: Final = re.compile(r"-.")


def _may_move(program: str, arguments: Sequence[Word]) -> bool:
    return program in MOVING or (program == "eval" and any(MOVE.search(word.text) for word in arguments))


class _Run:
    """Follows a script from command to command: what they change, and which folder each shell is in."""

    def __init__(self, folder: str | None, output: str, nested: int) -> None:
        self._folders: dict[tuple[int, ...], str | None] = {(): folder}
        """By the shell; None where it is not known, and empty for where the script began."""
        self._moving: dict[str, bool] = {}
        """The functions, and whether they change the folder."""
        self._output = output
        self._nested = nested

    def changes(self, command: Command) -> Iterator[TouchedFile]:
        """Yield what a command changes, if it ran for certain."""
        program, arguments, git_folder = program_of(command.words)
        shells = outer = command.shells
        while outer not in self._folders:
            outer = outer[:-1]
        folder = self._folders[outer]
        moves = self._moving.get(program, _may_move(program, arguments))
        if command.function:
            self._moving[command.function] = moves or self._moving.get(command.function, False)
        elif moves:
            target = next((word for word in arguments if not OPTION.match(word.text)), None)
            known = command.runs and program in {"cd", "pushd"}
            self._folders[shells] = _path(target, folder) if known else None
        elif command.runs:
            for operator, word in command.redirects:
                kept = REDIRECTIONS.get(operator)
                if kept and not DESCRIPTOR.fullmatch(word.text):
                    yield from _named("written" if kept == "stored" and program in WRITERS else kept, [word], folder)
            if program not in self._moving:
                within = _path(git_folder, folder) if git_folder else folder
                for act, words in _effects(program, arguments) if program in EFFECTS else ():
                    yield from _named(act, words, within)
                if program in SHELLS:
                    yield from self._by_shell(arguments, within, succeeds=command.succeeds)
                yield from self._by_text(program, arguments, command.here, within)

    def _by_shell(self, arguments: Sequence[Word], folder: str | None, *, succeeds: bool) -> Iterator[TouchedFile]:
        """Yield what the script that a shell is given as an argument changes."""
        index = next((index for index, word in enumerate(arguments) if SCRIPT_OPTION.match(word.text)), len(arguments))
        script = next(iter(arguments[index + 1 :]), None)
        if script and script.literal and self._nested < MAX_NESTED:
            fails_early = any(FAILS_EARLY.match(word.text) for word in arguments[: index + 1])
            text = f"set -e\n{script.text}" if fails_early else script.text
            yield from _files_changed(text, folder, self._output, self._nested + 1, succeeds=succeeds)

    def _by_text(self, program: str, arguments: Sequence[Word], here: str, folder: str | None) -> Iterator[TouchedFile]:
        """Yield the files that a patch or a diff names which is part of the command."""
        if program in {"apply_patch", "applypatch"}:
            for change in patched_files(here or next((word.text for word in arguments), "")):
                yield from _named(change.act, [Word(change.path)], folder)
        elif program in {"patch", "git apply", "git am"}:
            for old, new in DIFF_LINE.findall(here):
                act: FileAct = "deleted" if new == "/dev/null" else "created" if old == "/dev/null" else "modified"
                path = re.sub(r"\A[ab]/", "", old if act == "deleted" else new)
                yield from _named(act, [Word(path)], folder)
            for name in PATCHED.findall(self._output) if program == "patch" else ():
                yield from _named("modified", [Word(name)], folder)


def _path(word: Word | None, folder: str | None) -> str | None:
    """Return the path that a word names from a folder; None where it names none for certain."""
    if word is None or not word.literal or word.text in {"", "-", "NUL"}:
        return None
    text = word.text
    if not text.isprintable() or len(text) > MAX_PATH_CHARS:
        return None
    if isabs(text) or text.startswith("~") or DRIVE.match(text):
        return ntpath.normpath(text) if "\\" in text else normpath(text)
    if folder is None:
        return None
    if "\\" in folder and DRIVE.match(folder):
        return ntpath.normpath(ntpath.join(folder, text))
    path = normpath(join(folder, text))
    return None if path.startswith("../") or len(path) > MAX_PATH_CHARS else path


def _named(act: FileAct, words: Sequence[Word], folder: str | None) -> Iterator[TouchedFile]:
    for word in words:
        path = _path(word, folder)
        if path and basename(word.text.rstrip("/")) not in FOLDERS and (act == "deleted" or word.text[-1] != "/"):
            yield TouchedFile(act, f"{path}/" if word.text[-1] == "/" else path)


PATCH_LINE: Final = re.compile(
    r"^\*\*\* (Add|Update|Delete) File: (.*\S)(?:[ \t\r]*\n\*\*\* Move to: (.*\S))?", re.MULTILINE
)
"""A line of an `apply_patch` patch that names a file, with the line behind it that moves the file."""
PATCH_ACTS: Final[dict[str, FileAct]] = {"Add": "created", "Update": "modified", "Delete": "deleted"}


def patched_files(patch: str) -> tuple[TouchedFile, ...]:
    """Return what an `apply_patch` patch does to files it names; one that is moved is deleted where it was."""
    found: list[TouchedFile] = []
    for verb, path, target in PATCH_LINE.findall(patch):
        found += (
            [TouchedFile("deleted", path), TouchedFile("created", target)]
            if target
            else [TouchedFile(PATCH_ACTS[verb], path)]
        )
    return tuple(found)
