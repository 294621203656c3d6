"""Shell commands: which files a command of a POSIX shell changes, and whether it does no more than look.

Specified by features/summary/facts.feature (SUM_07, SUM_13). tree-sitter parses a command (decision 0217); the reader
never fails and takes time in proportion to the command. What it cannot be sure of, it leaves out: a command that cannot
be parsed whole, variables and globs, and a command that may not have run, such as one in a branch, a loop, a function
or behind `||`. Out of reach are PowerShell and cmd, what the parser takes for an error (an assignment alone before a
redirection, `A=1 > a.txt`, two here-documents of one line, a semicolon behind the start of one), files that a program
opens by itself (`python - <<EOF`), and the files behind `git stash`, `git reset`, `patch` or `git apply`.
"""

from __future__ import annotations

import ntpath
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import dropwhile, pairwise
from posixpath import basename, isabs, join, normpath
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from brim.errors import advisory

if TYPE_CHECKING:
    from tree_sitter import Language, Node

FileAct: TypeAlias = Literal["read", "modified", "created", "written", "stored", "restored", "deleted"]
"""Written is created or modified: which of them, only what was known of the file before can say.

Stored is written, too, by a redirection of what a program printed (`make > build.log`). Restored is as git has it in
the index or the last commit: what was changed since is gone.
"""

MAX_PATH_CHARS: Final = 4_096
"""Characters of a path at most, as Linux has it (PATH_MAX): a longer text is the name of no file."""
MAX_COMMAND_CHARS: Final = 20_000
"""Characters of a command at most; a longer one is not read, and is asked about where permissions need its reading."""
MAX_PIPES: Final = 1_000
"""Bars of a command at most, for the same reason: in a pipeline of assignments the parser takes their square."""


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
    source: str = ""
    """Its text in the script, from its first word to its last, with the assignments in front."""
    assigned: bool = False
    """An assignment is in front of its words, or is all there is."""
    assignments: tuple[str, ...] = ()
    """Its assignments, without the quotes of their values."""
    runs: bool = True
    """It ran for certain, where the script succeeded."""
    succeeds: bool = False
    """It succeeded for certain, where the script succeeded."""
    folder: str | None = ""
    """The folder it ran in; None where it is not known."""


PIPES: Final = frozenset({"|", "|&"})
JOINED: Final = frozenset({"list", "pipeline", "redirected_statement"})
REDIRECTS: Final = frozenset({"file_redirect", "herestring_redirect"})
SUBSHELLS: Final = frozenset({"subshell", "command_substitution", "process_substitution"})
KEYWORDS: Final = frozenset({"declaration_command", "test_command", "unset_command"})
ASSIGNMENTS: Final = frozenset({"variable_assignment", "variable_assignments"})
COMMANDS: Final = KEYWORDS | ASSIGNMENTS | {"command"}
SUCCEEDING: Final = frozenset(
    {".", ":", "cd", "date", "echo", "export", "mkdir", "printf", "pushd", "pwd", "set", "sleep", "source", "true"}
)
"""Programs that are taken to succeed, so that what follows behind `&&` runs."""
UNPARSED: Final = re.compile(r"(?>.*?\$\{).*?(?:`|[<>]\()", re.DOTALL)
"""Substitutions within an expansion that the parser takes for text: "${x:-`y`}"."""
ESCAPE: Final = re.compile(r"\\(?:\n|(.))")
ANSI: Final = re.compile(r"(?:[^\\]|\\(?:[abfnrtv\\'\"]|x[0-7][\da-fA-F]|u[\da-fA-F]{4}|[01]?[0-7]{1,2}(?![0-7])))*")
"""What is between $' and ' where it has only escapes that mean the same in Python."""


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


@lru_cache(maxsize=1)
def _language() -> Language:
    import tree_sitter_bash  # noqa: PLC0415  only who reads commands pays for it
    from tree_sitter import Language  # noqa: PLC0415

    return Language(tree_sitter_bash.language())


def _children(node: Node) -> list[Node]:
    """Return the parts of a node; a comment is none."""
    return [one for one in node.children if one.type != "comment"]


def _tree(script: bytes) -> Node | None:
    """Return the root of the syntax tree; None where the script has an error, or parsing would take too long.

    The scanner may look ahead to the end from each bracket, and of a script with an error it may try many readings.
    """
    from tree_sitter import Parser  # noqa: PLC0415

    if script.count(b"|") > MAX_PIPES:
        return None
    reads = len(script) // 1_024 * 16 + 64  # of 1,024 bytes each
    steps = len(script) // 10 + 64  # of some hundred operations

    def read(offset: int, _point: object) -> bytes:
        nonlocal reads
        reads -= 1
        return script[offset : offset + 1_024] if reads > 0 else b""

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
@advisory("a shell command", lambda *_: ())
def read_script(script: str, folder: str | None = "") -> tuple[Command, ...]:
    """Read the simple commands of a script; none if it cannot be parsed whole, or is nested too deep.

    Those of substitutions come before the command that they are in. The script began in `folder`: None if that is not
    known, empty if paths are to be told from there.
    """
    if len(script) > MAX_COMMAND_CHARS or "\0" in script:
        return ()
    encoded = script.encode(errors="replace")
    root = _tree(encoded)
    reader = _ScriptReader(script if len(script) == len(encoded) else encoded, folder)
    try:
        reader.sequence(root.children if root else (), runs=True, succeeds=True)
    except (RecursionError, _UnreadableError):
        return ()
    return tuple(reader.commands)


SUBSTITUTION: Final = re.compile(rb"(?<!\\)(?:\\\\)*(?:`|\$\()")
PROCESS: Final = re.compile(rb"(?<!\\)(?:\\\\)*[<>]\(")
QUOTED_SUBSTITUTION: Final = re.compile(rb"`|\$\(")
EVALUATING: Final = re.compile(
    rb"\[.*\s-(?:eq|ne|lt|le|gt|ge|v|R)\s|test\s.*-(?:eq|ne|lt|le|gt|ge|v|R)\s|unset\b"
    rb"|(?:declare|export|local|readonly|typeset)\s(?:.*\s)?-\w*[in]"
    rb"|(?:printf|wait)\s+-[pv]|(?:getopts|mapfile|read|readarray)\b|\$\{!|\$\{\w+:\s*[A-Za-z_$(]|\w+\[[^]]*[A-Za-z_$]",
    re.DOTALL,
)
"""Commands and expansions by which a shell evaluates a text that they hold, or takes it for the name of a variable."""
COUNTING: Final = re.compile(
    rb"\$?\(\(|\$\[|for\s*\(\(|let\b|\[\[.*\s-(?:eq|ne|lt|le|gt|ge)\s|\$\{!\w+\}|\w+\[[^]@*]"
    rb"|\w+\s+-(?>\w*?i).*\$",
    re.DOTALL,
)
"""Where a shell evaluates the values of variables, too."""
COUNTED_NAME: Final = re.compile(rb"(?<![\w#])(?!(?:eq|ne|lt|le|gt|ge|let|for)\s)[A-Za-z_]\w*(?!\w*\[)|\$\{?!?[1-9@*]")
ARITHMETIC: Final = re.compile(rb"\$?\(\(.*[A-Za-z_$]|\$\[|let\b|for\s*\(\(", re.DOTALL)
"""A calculation, whatever stands before it: what it evaluates may be a text in quotation marks."""
READING: Final = re.compile(rb"(?:getopts|mapfile|printf\s+-v|read|readarray)\b")
EVALUATED: Final = COMMANDS - ASSIGNMENTS | {
    "arithmetic_expansion", "c_style_for_statement", "command_substitution", "compound_statement", "expansion",
    "subscript", "subshell",
}  # fmt: skip


def unseen(script: str) -> str:
    """Return why a shell may run what the syntax tree of a script does not show; empty where it cannot.

    That is a substitution in a text that the shell expands and the parser takes for text (the body of a here-document,
    a pattern of an expansion), one in quotation marks where the script evaluates texts, one in a variable that it
    evaluates and that has been given no number, and a line break within a word.
    """
    text = script.encode(errors="replace")
    root = _tree(text)
    rest = [root] if root else []
    held = evaluates = reads = False
    counted, numbers, texts = set[bytes](), set[bytes](), set[bytes]()
    while rest:
        node = rest.pop()
        kind, whole = node.type, text[node.start_byte : node.end_byte]
        if kind == "comment" or not node.is_named:
            continue
        opening = node.prev_named_sibling if kind == "heredoc_body" else None
        while opening and opening.type != "heredoc_start":
            opening = opening.prev_named_sibling
        if kind in {"ansi_c_string", "raw_string"} or (
            opening and re.search(rb"['\"\\]", text[opening.start_byte : opening.end_byte])
        ):
            held = held or QUOTED_SUBSTITUTION.search(whole) is not None
            continue
        ends = [node.start_byte, *(one.end_byte for one in node.children)]
        starts = [*(one.start_byte for one in node.children), node.end_byte]
        own = b"|".join(text[end:start] for end, start in zip(ends, starts, strict=True))  # a bar for each part
        if SUBSTITUTION.search(own) or (kind == "regex" and PROCESS.search(own)) or b"|\\\n|" in own:
            return "the shell runs what brim sees as text"
        if kind == "expansion" and whole.endswith(b"@P}"):
            return "it runs what a variable holds"
        held = held or QUOTED_SUBSTITUTION.search(own) is not None
        evaluates = evaluates or (kind not in {"program", "string"} and ARITHMETIC.match(whole) is not None)
        evaluates = evaluates or (kind in EVALUATED and EVALUATING.match(whole) is not None)
        reads = reads or (kind == "command" and READING.match(whole) is not None)
        if kind in {"variable_assignment", "for_statement"}:
            name, *values = [one for one in node.named_children if one.type not in {"comment", "do_group"}]
            is_number = all(one.type in {"number", "brace_expression", "arithmetic_expansion"} for one in values)
            (numbers if is_number else texts).add(text[name.start_byte : name.end_byte])
        elif kind in EVALUATED and COUNTING.match(whole):
            head = next((one.start_byte for one in node.children if one.type == "do_group"), node.end_byte)
            counted.update(COUNTED_NAME.findall(text[node.start_byte : head]))
        rest += node.children
    counts = bool(counted) and (reads or not counted <= numbers - texts)
    return "a text that it evaluates may hold a substitution" if counts or (held and evaluates) else ""


class _ScriptReader:
    """Reads a syntax tree into simple commands, and follows which of them ran for certain, and in which folder.

    `runs` says that a part ran for certain, where the script succeeded, and `succeeds` that it succeeded itself.
    """

    def __init__(self, script: str | bytes, folder: str | None) -> None:
        """Take the script; where it has characters of several bytes its bytes, by which the tree counts."""
        self.commands: list[Command] = []
        self._script = script
        self._folder = folder
        self._succeeds = True
        """The shell succeeded."""
        self._left = False
        """The shell may have been left before its end."""

    def sequence(self, nodes: Sequence[Node], *, runs: bool, succeeds: bool = False) -> None:
        """Read statements that follow each other."""
        statements = [node for node in nodes if node.type == "&" or (node.child_count and node.is_named)]
        for node, after in zip(statements, [*statements[1:], None], strict=False):
            if after and after.type == "&":
                with self._subshell(succeeds=False):
                    self._statement(node, runs=False, succeeds=False)
            elif node.type != "&":
                self._statement(node, runs=runs, succeeds=succeeds and after is None)

    @contextmanager
    def _subshell(self, *, succeeds: bool) -> Iterator[None]:
        outer = self._folder, self._left, self._succeeds
        self._succeeds = succeeds
        yield
        self._folder, self._left, self._succeeds = outer

    def _statement(self, node: Node, *, runs: bool, succeeds: bool) -> None:
        """Read a list of pipelines: behind `&&` all ran where it succeeded, behind `||` none did for certain."""
        lone = _Part("", None, [node]) if node.type in REDIRECTS else _Part("", node)  # as in `$(< file)`
        parts = self._parts(node) if node.type in JOINED else [lone]
        succeeds = succeeds and all(part.joint != "||" for part in parts)
        surely = True
        for part, after in zip(parts, [*parts[1:], None], strict=False):
            is_end = after is None or after.joint not in PIPES
            if part.joint not in PIPES:
                runs = runs and part.joint != "||" and (succeeds or surely)
            surely = self._part(part, runs=runs, succeeds=succeeds and is_end, piped=not is_end or part.joint in PIPES)

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
            if kind in {"&&", "||", *PIPES}:
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
            elif node.is_named and kind not in {"heredoc_start", "heredoc_body", "heredoc_end"}:
                parts.append(_Part(joint, node))
        return parts

    def _part(self, part: _Part, *, runs: bool, succeeds: bool, piped: bool) -> bool:
        """Read a command or a group of them; return whether it is one that is taken to succeed."""
        node = part.node
        is_shell = node is not None and node.type in SUBSHELLS
        with self._subshell(succeeds=succeeds) if piped or is_shell else nullcontext():
            if node is None or node.type in COMMANDS:
                return self._command(part, node, runs=runs, succeeds=succeeds)
            plain = is_shell or node.type == "compound_statement"  # no branch, loop or function
            self.sequence(node.children, runs=runs and plain, succeeds=succeeds and plain)
        if part.added:
            self._command(part, None, runs=runs, succeeds=False)
        return False

    def _command(self, part: _Part, node: Node | None, *, runs: bool, succeeds: bool) -> bool:
        """Add a simple command behind those of its substitutions; return whether it is taken to succeed."""
        kind, children = (node.type, _children(node)) if node else ("", [])
        words = [Word(self._text(children[0]))] if kind in KEYWORDS else []
        redirects: list[tuple[str, Word]] = []
        inner = _children(part.here) if part.here else []
        source, behind, ended = self._text(node) if node else "", len(children), -1
        assigned = kind in ASSIGNMENTS and node is not None and not (node.parent and node.parent.type in COMMANDS)
        assignments = [self._assignment(node)] if node and kind == "variable_assignment" else []
        for index, child in enumerate([*children, *part.added]):
            named = child.type
            if UNPARSED.match(self._text(child)):
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
        here = (
            self._text(part.here) if part.here else next((to.text for how, to in redirects if how in {"<<<", "<"}), "")
        )
        runs = runs and not self._left
        done = Command(
            tuple(words), tuple(redirects), here, source, assigned, tuple(assignments), runs, succeeds, self._folder
        )
        self.commands.append(done)
        self._follow(done, stops=part.joint == "||")
        return bool(words) and words[0].text in SUCCEEDING

    def _follow(self, command: Command, *, stops: bool) -> None:
        """Follow a command to another folder, or out of the shell; where that succeeded, a failure did not leave it."""
        program, arguments, _ = program_of(command.words)
        if program in {"cd", "pushd", "popd", "eval"}:
            target = next((word for word in arguments if not re.match("-.", word.text)), None)
            known = command.runs and program in {"cd", "pushd"}
            self._folder = _path(target, self._folder) if known else None
        elif program in {"exit", "return", "set"}:
            fails = program == "set" or (arguments[0].text.strip("0").isdecimal() if arguments else stops)
            self._left = self._left or not (fails and self._succeeds)
        elif program and command.words[0].text == "exec":
            self._left = True

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
            return Word(ESCAPE.sub(r"\1", text), re.search(r"[*?\[{]", ESCAPE.sub("", text)) is None)
        if kind == "raw_string":
            return Word(text[1:-1])
        if kind == "ansi_c_string" and ANSI.fullmatch(text[2:-1]):
            decoded = text[2:-1].encode("latin-1", "backslashreplace").decode("unicode_escape")
            return Word(text, literal=False) if "\0" in decoded else Word(decoded)
        if kind == "concatenation":
            parts = [self._word(one) for one in node.children]
            return Word("".join(one.text for one in parts), all(one.literal for one in parts))
        is_plain = (
            kind == "string" and text[0] != "$" and {one.type for one in node.named_children} <= {"string_content"}
        )
        return Word(re.sub(r"\\(?:\n|([\\\"$`]))", r"\1", text[1:-1]) if is_plain else text, is_plain)


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


def only_looks(script: str) -> bool:
    """Return whether a script shows what is there or goes to a folder, so that nothing is broken where it fails."""
    commands = read_script(script)
    if any(_stores(*redirect) for one in commands for redirect in one.redirects):
        return False
    programs = [program_of(command.words)[:2] for command in commands]
    return bool(commands) and all(program in NEUTRAL or _looks(program, words) for program, words in programs)


FETCHING: Final = frozenset(
    {"curl", "gh", "git checkout", "git clone", "git fetch", "git pull", "git stash", "git switch", "glab", "wget"}
)
"""Programs that fetch what was written elsewhere."""


def may_run_tests(script: str) -> bool:
    """Return whether a script may run tests or a build: one of its programs does more than look and fetch."""
    programs = [program_of(command.words)[:2] for command in read_script(script)]
    return not programs or not all(one[0] in NEUTRAL or one[0] in FETCHING or _looks(*one) for one in programs)


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


def files_changed(script: str, folder: str | None = "", output: str = "") -> tuple[TouchedFile, ...]:
    """Return the files that a successful run of a script changed, by paths from the folder that it began in.

    `output` is what it printed, from which alone the file of SWE-agent's own editor is known. Temporary files are left
    out, but for those it deleted.
    """
    if opened := EDITOR_COMMAND.match(script):
        found = OPEN_FILE.search(output)
        return (TouchedFile("created" if opened[1] == "create" else "modified", found[1]),) if found else ()
    changes = (change for command in read_script(script, folder) if command.runs for change in _changes(command))
    return tuple(dict.fromkeys(one for one in changes if one.act == "deleted" or not is_temporary(one.path)))


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
    "touch": Effect("written", "-[dtr]"),
    "git rm": _rm,
    "git mv": _mv,
    "git checkout": Effect("restored"),
    "git restore": Effect("restored", "-s|--source", ".* (?:-[a-zA-Z]*S|--staged)"),
}


def _effects(program: str, arguments: Sequence[Word]) -> Iterator[tuple[FileAct, Sequence[Word]]]:
    """Yield what a program does to the files that words name."""
    act, valued, unless = EFFECTS[program]
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
    if unless and re.match(unless, options):
        return
    if act == "restored":
        act, files = _restored(program, arguments, files, options)
    elif program in {"sed", "gsed", "perl"} and not re.search(f" (?:{valued})", options):  # the script is the first
        files = files[1:]
    if act == "moved":
        yield "deleted", files[:-1]
    if act == "copied" or act == "moved":  # noqa: PLR1714  mypy knows what is left
        yield "written", _copies(files)
    else:
        yield "modified" if program == "tee" and re.search(" (?:-[a-zA-Z]*a|--append)", options) else act, files


def _restored(program: str, arguments: Sequence[Word], named: list[Word], options: str) -> tuple[FileAct, list[Word]]:
    """Return what git does to files, and which: they are modified where they come from another commit than the last."""
    if program == "git restore":
        return "modified" if re.search(" (?:-s|--source)", options) else "restored", named
    files = [word for _, word in dropwhile(lambda pair: pair[0].text != "--", pairwise(arguments))]
    return "restored" if named[: -len(files)] in ([], [Word("HEAD")]) else "modified", files


def _copies(files: Sequence[Word]) -> list[Word]:
    """Return the copies: in a folder where the last word surely names one, else under that name."""
    if len(files) < 2:  # noqa: PLR2004  a source and a target
        return []
    *sources, target = files
    if len(sources) > 1 or basename(target.text) in FOLDERS:
        named = [(word, basename(word.text.rstrip("/"))) for word in sources]
        return [Word(join(target.text, name), target.literal and word.literal) for word, name in named]
    return [target] if "." in basename(target.text) or "." not in basename(sources[0].text) else []


FOLDERS: Final = frozenset({"", ".", ".."})
"""Last names of paths that name a folder."""
WRITERS: Final = frozenset({"cat", "echo", "printf", "sed", "awk", "jq", "tee", ":", ""})
"""Programs whose output, redirected, is meant to be the file's text, and no record of a run."""
DRIVE: Final = re.compile(r"[A-Za-z]:[\\/]")


def _changes(command: Command) -> Iterator[TouchedFile]:
    """Yield what a command changed that ran for certain."""
    program, arguments, git_folder = program_of(command.words)
    folder = command.folder
    for operator, word in command.redirects:
        if ">" in operator and operator != "<>" and not DESCRIPTOR.fullmatch(word.text):
            stored: FileAct = "modified" if ">>" in operator else "written" if program in WRITERS else "stored"
            yield from _named(stored, [word], folder)
    folder = _path(git_folder, folder) if git_folder else folder
    for act, words in _effects(program, arguments) if program in EFFECTS else ():
        yield from _named(act, words, folder)
    if program in SHELLS and command.succeeds:
        index = next((index for index, word in enumerate(arguments) if SCRIPT_OPTION.match(word.text)), len(arguments))
        for script in arguments[index + 1 : index + 2]:
            yield from files_changed(script.text, folder) if script.literal else ()
    elif program in {"apply_patch", "applypatch"}:
        for change in patched_files(command.here or next((word.text for word in arguments), "")):
            yield from _named(change.act, [Word(change.path)], folder)


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


def patched_files(patch: str) -> list[TouchedFile]:
    """Return what an `apply_patch` patch does to files it names; one that is moved is deleted where it was."""
    found: list[TouchedFile] = []
    for verb, path, target in PATCH_LINE.findall(patch):
        found.append(TouchedFile("deleted" if target else PATCH_ACTS[verb], path))
        found += [TouchedFile("created", target)] if target else []
    return found
