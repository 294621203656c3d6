"""Shell commands: which files a command of a POSIX shell changes, and whether it does no more than look.

Specified by features/summary/facts.feature (SUM_07, SUM_13). The reader never fails and takes time in proportion to the
command. What it cannot be sure of, it leaves out: variables, globs and substitutions name no file, nor does a command
that may not have run. Out of reach are PowerShell and cmd, files that a program opens by itself (`python - <<EOF`), and
the files behind `git stash`, `git reset` or a patch that another file holds.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise, takewhile
from posixpath import basename, isabs, join, normpath
from typing import Final, Literal, NamedTuple, TypeAlias

FileAct: TypeAlias = Literal["read", "modified", "created", "written", "stored", "deleted"]
"""Written is created or modified: which of them, only what was known of the file before can say.

Stored is written, too, by a redirection of what a program printed (`make > build.log`).
"""

WRITERS: Final = frozenset({"cat", "echo", "printf", "sed", "awk", "jq", "tee", ":", ""})
"""Programs whose output, redirected, is meant to be the file's text, and no record of a run."""
MAX_PATH_CHARS: Final = 4_096
"""Characters of a path at most, as Linux has it (PATH_MAX): a longer text is the name of no file."""
REMEMBERED: Final = 256
"""Commands whose reading is remembered: a turn's commands are read for its anchor, its facts and its lines."""
MAX_NESTED: Final = 3
"""Shells within shells (`bash -c "bash -c …"`) that are read."""
MAX_COMMAND_CHARS: Final = 100_000
"""Characters of a command at most: a longer one is not read."""

PATCH_LINE: Final = re.compile(r"^\*\*\* (Add File|Update File|Delete File|Move to): (.*\S)", re.MULTILINE)
"""A line of an `apply_patch` patch that names a file."""
PATCHED: Final = re.compile(r"^patching file '?([^'\n]+?)'?(?: \(.*\))?$", re.MULTILINE)
FOLDERS: Final = frozenset({"", ".", ".."})
"""Last names of paths that name a folder."""
DIFF_LINE: Final = re.compile(r"^--- (\S+).*\n\+\+\+ (\S+)", re.MULTILINE)
"""The two lines of a unified diff that name a file."""


class Change(NamedTuple):
    """What a command does to a file."""

    act: FileAct
    path: str
    recursive: bool = False
    """A folder was deleted with all that is in it."""


class Word(NamedTuple):
    """A word of a command; not literal where a variable, a glob or a substitution makes it another."""

    text: str
    literal: bool = True


@dataclass(slots=True)
class Command:
    """One simple command: its words, where it redirects to, and the text of its here-documents."""

    before: str
    """The operator before it; empty for the first."""
    words: list[Word] = field(default_factory=list)
    redirects: list[tuple[str, Word]] = field(default_factory=list)
    here: str = ""
    after: str = ""
    """The operator behind it."""


PIECES: Final = re.compile(
    r"""(?P<blank>(?:[ \t\r]|\\\r?\n)+)
    |(?P<newline>\n)
    |(?P<here><<-?(?![<(]))
    |(?P<process>[<>]\()
    |(?P<redirect>\d*(?:<<<|<>|<&|>>|>\||>&|<|>)|&>>?)
    |(?P<operator>&&|\|\||;;|\|&|[;|&()])
    |(?P<escaped>\\.)
    |(?P<single>\$?'[^']*+(?P<closed>'?))
    |(?P<double>\$?"(?:[^"\\$`]|\\.|\$(?![({\w?$#@*!-]))*+"|\$?"(?P<open>))
    |(?P<substitution>\$\()
    |(?P<backtick>`[^`]*+`?)
    |(?P<variable>\$(?:\{[^}\n]*+\}?|\w+|[?$#@*!-]|))
    |(?P<plain>[^\s\\'"`$<>|&;()]+)
    |(?P<other>.)""",
    re.VERBOSE | re.DOTALL,
)
SIMPLE: Final = re.compile(r"""(?:([^\s\\'"`$<>|&;()*?\[{#]+)|'([^']+)')(?:[ \t]+|(?=[\n|&;()])|\Z)""")
"""A word that is plain, or quoted as a whole, with the blanks behind it: most words are."""
DROPPED: Final = re.compile(r"(?:[12]?>{1,2}[ \t]*/dev/null|[12]?>&[12])(?:[ \t]+|(?=[\n|&;()])|\Z)")
"""Output that is thrown away, or goes where the other output goes."""
INSIDE: Final = re.compile(r"""\\.|['"`()\n]|\$\(|<<-?[ \t]*(?:'([^'\n]*)'|"([^"\n]*)"|\\?([\w.+-]+))""", re.DOTALL)
"""What matters within a substitution: how it is quoted, how deep it goes, and where a here-document hides both."""
NESTED: Final = {'"': '"', "$(": ")"}
"""What opens a quotation or a substitution that others may be in, and what closes it."""
GLOB: Final = re.compile(r"[*?\[{]")
ESCAPED: Final = re.compile(r"\\([\\\"$`\n])")


def _end_of(text: str, at: int, closing: str) -> int:
    """The offset behind a quotation or a substitution that is open at an offset; -1 where nothing closes it."""
    open_ones = [closing]
    here: list[str] = []
    while open_ones:
        found = INSIDE.search(text, at)
        if found is None:
            return -1
        at, piece = found.end(), found[0]
        if piece == open_ones[-1]:
            open_ones.pop()
        elif piece in NESTED or (piece == "(" and open_ones[-1] == ")"):
            open_ones.append(NESTED.get(piece, ")"))
        elif piece == "`" or (piece == "'" and open_ones[-1] == ")"):
            at = text.find(piece, at) + 1
            if not at:
                return -1
        elif piece.startswith("<<") and open_ones[-1] == ")":
            here.append(next(filter(None, found.groups()), ""))
        elif piece == "\n" and open_ones[-1] == ")":
            for delimiter in here:
                at = _here_document(text, at, delimiter)[1]
            here.clear()
    return at


def _here_document(text: str, at: int, delimiter: str) -> tuple[str, int]:
    """The here-document that begins at an offset, and the offset behind its delimiter."""
    end = re.compile(rf"^\t*{re.escape(delimiter)}[ \t\r]*$", re.MULTILINE).search(text, at)
    return (text[at : end.start()], end.end()) if end else (text[at:], len(text))


class _Reader:
    """Reads a script into simple commands."""

    def __init__(self) -> None:
        self.commands: list[Command] = [Command("")]
        self._word: list[str] = []
        self._literal = True
        self._quoted = False
        self._redirect = ""
        """The redirection whose word comes next."""
        self._awaited: list[tuple[Command, str]] = []
        """Here-documents that begin with the next line."""

    def read(self, script: str) -> list[Command]:
        """The commands; none where a quotation is not closed."""
        at = 0
        while at < len(script):
            if not self._word and not self._quoted:
                if simple := SIMPLE.match(script, at):
                    self._add(Word(simple[1] or simple[2]))
                    at = simple.end()
                    continue
                if dropped := DROPPED.match(script, at):
                    at = dropped.end()
                    continue
                if script[at] == "#":
                    at = script.find("\n", at)
                    at = len(script) if at < 0 else at
                    continue
            found = PIECES.match(script, at)
            at = self._take(found.lastgroup or "", found, script) if found else len(script)
            if at < 0:
                return []
        self._end_word()
        return self.commands

    @property
    def _has_word(self) -> bool:
        return bool(self._word) or self._quoted

    def _take(self, kind: str, found: re.Match[str], script: str) -> int:
        """Take a piece; the offset behind it, or -1 where it is not closed."""
        text, end = found[0], found.end()
        if kind == "double" and found["open"] is not None:
            end, kind = _end_of(script, end, '"'), "dynamic"
        elif kind in {"substitution", "process"}:
            end, kind = _end_of(script, end, ")"), "dynamic"
        if end < 0 or (kind == "single" and not found["closed"]):
            return -1
        if kind in {"plain", "other"}:
            if text.isdecimal() and not self._has_word and script[end : end + 1] in {"<", ">"}:
                return end  # the number of a descriptor
            self._word.append(text)
            self._literal = self._literal and not GLOB.search(text)
        elif kind == "escaped":
            self._word.append(text[1:])
        elif kind in {"single", "double"}:
            inner = text.removeprefix("$")[1:-1]
            self._word.append(inner if kind != "double" else ESCAPED.sub(r"\1", inner))
            self._literal, self._quoted = self._literal and not text.startswith("$"), True
        elif kind in {"dynamic", "variable", "backtick"}:
            self._word.append(script[found.start() : end])
            self._literal, self._quoted = False, True
        else:
            self._end_word()
            end = self._sign(kind, text, script, end)
        return end

    def _sign(self, kind: str, text: str, script: str, end: int) -> int:
        command = self.commands[-1]
        if kind in {"here", "redirect"}:
            self._redirect = text.lstrip("0123456789")
        elif kind in {"operator", "newline"}:
            self._redirect = ""
            if text == "(" and not command.words and script.startswith("(", end):
                end = _end_of(script, end, ")")  # arithmetic
            elif command.words or command.redirects or text in {"(", ")"}:
                command.after = text
                self.commands.append(Command(text))
            for awaiting, delimiter in self._awaited if kind == "newline" else ():
                body, end = _here_document(script, end, delimiter)
                awaiting.here += body
            if kind == "newline":
                self._awaited.clear()
        return end

    def _end_word(self) -> None:
        if not self._has_word:
            return
        word = Word("".join(self._word), self._literal)
        self._word, self._literal, self._quoted = [], True, False
        self._add(word)

    def _add(self, word: Word) -> None:
        command = self.commands[-1]
        if self._redirect.startswith("<<") and self._redirect != "<<<":
            self._awaited.append((command, word.text))
        elif self._redirect:
            command.redirects.append((self._redirect, word))
        else:
            command.words.append(word)
        self._redirect = ""


ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=")
OPENING: Final = frozenset({"if", "while", "until", "case", "for", "select"})
CLOSING: Final = frozenset({"fi", "done", "esac"})
LEADING: Final = frozenset({"then", "else", "elif", "do", "!", "{", "if", "while", "until"})
"""Words of the shell that a command follows."""
NO_COMMAND: Final = frozenset({"for", "select", "case", "fi", "done", "esac", "}", "function"})
WRAPPERS: Final = frozenset({"sudo", "time", "nohup", "timeout", "env", "command", "exec", "nice", "stdbuf", "rtk"})
"""Programs that run another one, given behind their options."""
SHELLS: Final = frozenset({"bash", "sh", "zsh", "dash"})
SCRIPT_OPTION: Final = re.compile(r"-[a-z]*c\b")
WRAPPER_ARGUMENT: Final = re.compile(r"-|[A-Za-z_]\w*=|[\d.]+[smhd]?\Z")
TESTS: Final = frozenset({"test", "[", "[["})
LISTS: Final = frozenset({";", "\n", "&", ";;", "(", ""})
"""Operators before a command that runs whatever came of the one before it."""


def _is_keyword(word: Word) -> bool:
    return word.text in LEADING or word.text in OPENING or word.text in CLOSING


def _program(words: Sequence[Word]) -> tuple[str, list[Word]]:
    """The program of a command and its arguments, without assignments, words of the shell and wrappers."""
    index, wrapped = 0, ""
    while index < len(words):
        text = words[index].text
        if wrapped and (text in {"-v", "-V"} and wrapped == "command"):
            return "which", list(words[index + 1 :])
        if wrapped and WRAPPER_ARGUMENT.match(text):
            index += 1
        elif text in WRAPPERS:
            wrapped = text
            index += 1
        elif text in LEADING or ASSIGNMENT.match(text):
            index += 1
        else:
            return text.rpartition("/")[2] or text, list(words[index + 1 :])
    return "", []


# fmt: off
LOOKING: Final = frozenset(
    {
        "[", "[[", "ack", "ag", "awk", "basename", "bat", "cat", "cmp", "column", "comm", "cut", "date", "df", "diff",
        "dirname", "du", "echo", "egrep", "expr", "fd", "fgrep", "file", "find", "find_file", "gawk", "goto", "grep",
        "head", "hexdump", "id", "jq", "less", "locate", "ls", "lsof", "md5sum", "more", "nl", "od", "open", "pgrep",
        "printenv", "printf", "ps", "pwd", "readlink", "realpath", "rev", "rg", "scroll_down", "scroll_up",
        "search_dir", "search_file", "sed", "sha256sum", "sort", "stat", "strings", "submit", "tac", "tail", "test",
        "tr", "tree", "type", "uname", "uniq", "wc", "which", "whoami", "xxd", "yq", "zcat", "zgrep",
    }
)
# fmt: on
"""Programs that only show what is there; `sed`, `find` and `awk` as far as they change nothing."""
# fmt: off
LOOKING_GIT: Final = frozenset(
    {
        "blame", "branch", "cat-file", "check-ignore", "describe", "diff", "for-each-ref", "grep", "log", "ls-files",
        "ls-tree", "merge-base", "name-rev", "reflog", "rev-list", "rev-parse", "shortlog", "show", "show-ref",
        "status",
    }
)
# fmt: on
# fmt: off
NEUTRAL: Final = frozenset(
    {
        "cd", "pushd", "popd", "export", "set", "sleep", "true", "false", ":", "exit", "return", "break", "continue",
    }
)
# fmt: on
"""Programs that say nothing, and so make a command neither one that looks nor one that acts."""
FIRST_WORD: Final = re.compile(r"\s*([A-Za-z][\w.-]*)(?=[ \n]|\Z)(?! --(?:version|help)\b)")
MAY_BE_HARMLESS: Final = LOOKING | NEUTRAL | WRAPPERS | OPENING | NO_COMMAND | LEADING | {"git", "xargs"}
ACTING_FIND: Final = frozenset({"-delete", "-exec", "-execdir", "-ok", "-okdir"})
GIT_VALUE: Final = frozenset({"-C", "-c", "--git-dir", "--work-tree"})
"""Options of git that a value follows."""


def _git(arguments: Sequence[Word]) -> tuple[str, list[Word], Word | None]:
    """The subcommand of git, its arguments, and the folder that `-C` names."""
    folder, index = None, 0
    while index < len(arguments) and arguments[index].text.startswith("-"):
        if arguments[index].text == "-C" and index + 1 < len(arguments):
            folder = arguments[index + 1]
        index += 2 if arguments[index].text in GIT_VALUE else 1
    return (arguments[index].text if index < len(arguments) else ""), list(arguments[index + 1 :]), folder


def _looks(program: str, arguments: Sequence[Word]) -> bool:
    if program == "git":
        return _git(arguments)[0] in LOOKING_GIT
    if program == "xargs":
        rest = [word for word in arguments if not WRAPPER_ARGUMENT.match(word.text)]
        return _looks(rest[0].text, rest[1:]) if rest and rest[0].text != "xargs" else False
    if program == "find":
        return not any(word.text in ACTING_FIND for word in arguments)
    if program == "sed":
        return not any(SED_IN_PLACE.match(word.text) for word in arguments)
    return program in LOOKING or [word.text for word in arguments] in (["--version"], ["--help"])


@lru_cache(maxsize=REMEMBERED)
def _commands(script: str) -> tuple[Command, ...]:
    if len(script) > MAX_COMMAND_CHARS:
        return ()
    return tuple(_Reader().read(script))


def only_shows(script: str) -> bool:
    """Whether a script does no more than show what is there: each of its programs does, and there is one."""
    return _is_harmless(script, at_least=1)


def only_looks(script: str) -> bool:
    """Whether a script shows what is there or goes to a folder, so that nothing is broken where it fails."""
    return _is_harmless(script, at_least=0)


def _is_harmless(script: str, at_least: int) -> bool:
    opening = FIRST_WORD.match(script)
    if opening and opening[1] not in MAY_BE_HARMLESS:
        return False  # most commands are told by their first word
    looking = steps = 0
    for command in _commands(script):
        program, arguments = _program(command.words)
        if any(_is_hidden(word) for word in command.words) and not program:
            return False  # x=$(make)
        steps += bool(command.words)
        if not program or program in NEUTRAL or program in NO_COMMAND:
            continue
        if not _looks(program, arguments) or any(_stores(*one) for one in command.redirects):
            return False
        looking += 1
    return steps > 0 and looking >= at_least


def _is_hidden(word: Word) -> bool:
    return not word.literal and ("$(" in word.text or "`" in word.text)


def _stores(operator: str, target: Word) -> bool:
    return ">" in operator and operator != ">&" and not is_temporary(target.text)


TEMPORARY: Final = re.compile(r"/(?:dev|proc|sys|tmp|private/tmp|var/tmp|var/folders)/|.*/AppData/Local/Temp/")


def is_temporary(path: str) -> bool:
    """Whether a path is below a folder for temporary files, or is a device."""
    return TEMPORARY.match(path) is not None


EDITOR_COMMAND: Final = re.compile(r"\s*(create|edit|insert|append)\b")
"""SWE-agent's own commands that change the file that is open; text that is no shell's follows them."""
OPEN_FILE: Final = re.compile(r"^\[File: (.+) \(\d+ lines total\)\]$", re.MULTILINE)
"""How they print the name of that file."""
CHANGING: Final = (
    *("tee ", "mv ", "cp ", "rm ", "touch ", "unlink ", "patch", "dd ", "install ", "truncate ", "--in-place"),
    *("checkout ", "restore ", "git apply", "git am", "create ", "edit ", "insert ", "append "),
)
STORING: Final = re.compile(r">(?!&|\s*/dev/)")
IN_PLACE: Final = re.compile(r"\s-\w*i")


def _may_change(script: str) -> bool:
    """Whether a script may change a file that it names, found without reading it: most change none."""
    if STORING.search(script) or any([word in script for word in CHANGING]):  # noqa: C419  a generator costs more
        return True
    return ("sed" in script or "perl" in script) and IN_PLACE.search(script) is not None


def files_changed(script: str, folder: str = "", output: str = "") -> tuple[Change, ...]:
    """The files that a successful run of a script changed, by paths from the folder that it began in.

    `output` is what it printed, from which alone the files of `patch` and of SWE-agent's own editor are known.
    Temporary files are left out, but for those it deleted.
    """
    if not _may_change(script):
        return ()
    if opened := EDITOR_COMMAND.match(script):
        found = OPEN_FILE.search(output)
        return (Change("created" if opened[1] == "create" else "modified", found[1]),) if found else ()
    return _files_changed(script, folder, output if "patch" in script else "", 0)


@lru_cache(maxsize=REMEMBERED)
def _files_changed(script: str, folder: str, output: str, nested: int) -> tuple[Change, ...]:
    found = _Run(_commands(script), folder, output, nested).changes()
    return tuple(dict.fromkeys(one for one in found if one.act == "deleted" or not is_temporary(one.path)))


Effect: TypeAlias = tuple[FileAct, Sequence[Word], bool]
"""What a program does to the files that these words name; true where it deletes folders with all that is in them."""


def _sed(arguments: Sequence[Word]) -> Iterator[Effect]:
    if any(SED_IN_PLACE.match(word.text) for word in arguments):
        files: list[Word] = []
        scripted = False
        words = iter(arguments)
        for word in words:
            if SED_SCRIPT.match(word.text):
                scripted = True
                if SED_SCRIPT.fullmatch(word.text):
                    next(words, None)
            elif word.text and not word.text.startswith("-"):
                files.append(word)
        yield "modified", files if scripted else files[1:], False


def _perl(arguments: Sequence[Word]) -> Iterator[Effect]:
    if any(PERL_IN_PLACE.match(word.text) for word in arguments):
        files: list[Word] = []
        words = iter(arguments)
        for word in words:
            if PERL_SCRIPT.match(word.text):
                next(words, None)
            elif not word.text.startswith("-"):
                files.append(word)
        yield "modified", files, False


def _tee(arguments: Sequence[Word]) -> Iterator[Effect]:
    yield "modified" if _has_option(arguments, "a", "--append") else "written", _operands(arguments), False


def _rm(arguments: Sequence[Word]) -> Iterator[Effect]:
    yield "deleted", _operands(arguments), _has_option(arguments, "rR", "--recursive")


def _mv(arguments: Sequence[Word]) -> Iterator[Effect]:
    if not _has_option(arguments, "t", "--target"):
        files = _operands(arguments)
        yield "deleted", files[:-1], True
        yield from _copied(files)


def _cp(arguments: Sequence[Word]) -> Iterator[Effect]:
    if not _has_option(arguments, "t", "--target"):
        yield from _copied(_operands(arguments))


def _install(arguments: Sequence[Word]) -> Iterator[Effect]:
    if not _has_option(arguments, "dt", "--directory"):
        yield from _copied(_operands(arguments, valued=("-m", "-o", "-g", "-S")))


def _copied(files: Sequence[Word]) -> Iterator[Effect]:
    """The copies: in a folder where the last word surely names one, else under that name."""
    if len(files) < 2:  # noqa: PLR2004  a source and a target
        return
    *sources, target = files
    if len(sources) > 1 or basename(target.text) in FOLDERS:
        named = [(word, basename(word.text.rstrip("/"))) for word in sources]
        yield "written", [Word(join(target.text, name), target.literal and word.literal) for word, name in named], False
    elif "." in basename(target.text) or "." not in basename(sources[0].text):
        yield "written", [target], False


def _touch(arguments: Sequence[Word]) -> Iterator[Effect]:
    yield "written", _operands(arguments, valued=("-d", "-t", "-r")), False


def _truncate(arguments: Sequence[Word]) -> Iterator[Effect]:
    yield "modified", _operands(arguments, valued=("-s", "-r")), False


def _dd(arguments: Sequence[Word]) -> Iterator[Effect]:
    yield "written", [Word(word.text[3:], word.literal) for word in arguments if word.text.startswith("of=")], False


def _git_files(arguments: Sequence[Word]) -> Iterator[Effect]:
    subcommand, rest, _ = _git(arguments)
    options = {word.text for word in rest if word.text.startswith("-")}
    files = _operands(rest, valued=("-s", "--source"))
    if subcommand == "rm" and "--cached" not in options:
        yield "deleted", files, _has_option(rest, "r")
    elif subcommand == "mv":
        yield from _mv(rest)
    elif subcommand == "checkout" and "--" in options:
        yield "modified", rest[[word.text for word in rest].index("--") + 1 :], False
    elif subcommand == "restore" and options.isdisjoint({"--staged", "-S"}):
        yield "modified", files, False


def _operands(arguments: Sequence[Word], valued: tuple[str, ...] = ()) -> list[Word]:
    """The arguments that are no options and no values of these options."""
    found: list[Word] = []
    skip = False
    for word in arguments:
        if skip:
            skip = False
        elif word.text in valued:
            skip = True
        elif not word.text.startswith("-"):
            found.append(word)
    return found


def _has_option(arguments: Sequence[Word], letters: str, name: str = "\n") -> bool:
    """Whether an argument is an option of one of these letters, or of this name."""
    return any(
        word.text.startswith(name) or (word.text[:1] == "-" and word.text[1:2] != "-" and set(letters) & set(word.text))
        for word in arguments
    )


SED_IN_PLACE: Final = re.compile(r"-[nEersz]*i|--in-place")
SED_SCRIPT: Final = re.compile(r"-[nErsz]*[ef]|--(?:expression|file)")
PERL_IN_PLACE: Final = re.compile(r"-[0-7pnlawsF]*i")
PERL_SCRIPT: Final = re.compile(r"-[\w.]*[eE]\Z")
EFFECTS: Final = {
    "sed": _sed,
    "gsed": _sed,
    "perl": _perl,
    "tee": _tee,
    "rm": _rm,
    "unlink": _rm,
    "mv": _mv,
    "cp": _cp,
    "install": _install,
    "touch": _touch,
    "truncate": _truncate,
    "dd": _dd,
    "git": _git_files,
}
"""What programs do to the files that their arguments name."""


TEXT_PROGRAMS: Final = SHELLS | {"apply_patch", "applypatch", "patch", "git"}


class _Run:
    """Follows a script from command to command: the folder it is in, and whether a command is sure to have run."""

    def __init__(self, commands: Sequence[Command], folder: str, output: str, nested: int) -> None:
        self.commands = commands
        self.folder: str | None = folder
        """None where it is not known; empty for where the script began."""
        self.output = output
        self.nested = nested

    def changes(self) -> Iterator[Change]:
        """What was changed, in order."""
        outer: list[str | None] = []
        blocks: list[bool] = []
        """The blocks that are open: whether each is sure to run."""
        last_list = max((n for n, one in enumerate(self.commands) if one.words and one.before in LISTS), default=0)
        doubtful = False
        for number, command in enumerate(self.commands):
            if command.before == "(":
                outer.append(self.folder)
            elif command.before == ")" and outer:
                self.folder = outer.pop()
            if command.before in LISTS:
                doubtful = False
            for word in takewhile(_is_keyword, command.words):
                if word.text in OPENING:
                    blocks.append(word.text in {"for", "select"})
                elif word.text in CLOSING and blocks:
                    blocks.pop()
            program, arguments = _program(command.words)
            if program in {"cd", "pushd"} and command.before != "||":
                self._go(arguments)
            elif all(blocks) and not doubtful and "||" not in {command.before, command.after}:
                yield from self._changes_of(program, arguments, command)
            doubtful = doubtful or (program in TESTS and number < last_list)

    def _go(self, arguments: Sequence[Word]) -> None:
        target = next((word for word in arguments if word.text != "--"), None)
        self.folder = self._path(target) if target and target.text != "-" else None

    def _path(self, word: Word | None) -> str | None:
        """The path that a word names from the folder; None where it names none for sure."""
        if word is None or not word.literal or not word.text or word.text in {"-", "NUL"}:
            return None
        text = word.text
        if not text.isprintable() or len(text) > MAX_PATH_CHARS:
            return None
        if isabs(text) or text.startswith("~") or re.match(r"[A-Za-z]:[\\/]", text):
            return normpath(text) if "\\" not in text else text
        if self.folder is None:
            return None
        path = normpath(join(self.folder, text))
        return None if path == ".." or path.startswith("../") else path

    def _named(self, act: FileAct, words: Sequence[Word], *, recursive: bool = False) -> Iterator[Change]:
        for word in words:
            path = self._path(word)
            if path and basename(word.text.rstrip("/")) not in FOLDERS and (act == "deleted" or word.text[-1] != "/"):
                yield Change(act, path, recursive)

    def _changes_of(self, program: str, arguments: Sequence[Word], command: Command) -> Iterator[Change]:
        if program == "[[":
            return
        for operator, target in command.redirects:
            if operator in {">", ">|", "&>"}:
                yield from self._named("written" if program in WRITERS else "stored", [target])
            elif operator in {">>", "&>>"}:
                yield from self._named("modified", [target])
        before = self.folder
        if program == "git" and (folder := _git(arguments)[2]):
            self.folder = self._path(folder)
        for act, words, recursive in EFFECTS[program](arguments) if program in EFFECTS else ():
            yield from self._named(act, words, recursive=recursive)
        if program in TEXT_PROGRAMS:
            yield from self._by_text(program, arguments, command.here)
        self.folder = before

    def _by_text(self, program: str, arguments: Sequence[Word], here: str) -> Iterator[Change]:
        """What a script, a patch or a diff names that is part of the command."""
        if program in SHELLS:
            yield from self._script(arguments)
        elif program in {"apply_patch", "applypatch"}:
            for change in patched_files(here or next((word.text for word in arguments), "")):
                yield from self._named(change.act, [Word(change.path)])
        elif program == "patch" or (program == "git" and _git(arguments)[0] in {"apply", "am"}):
            yield from self._diffed(here)
            for name in PATCHED.findall(self.output) if program == "patch" else ():
                yield from self._named("modified", [Word(name)])

    def _script(self, arguments: Sequence[Word]) -> Iterator[Change]:
        for option, script in pairwise(arguments):
            if SCRIPT_OPTION.match(option.text):
                if script.literal and self.folder is not None and self.nested < MAX_NESTED:
                    yield from _files_changed(script.text, self.folder, self.output, self.nested + 1)
                return

    def _diffed(self, diff: str) -> Iterator[Change]:
        for old, new in DIFF_LINE.findall(diff):
            deleted = new == "/dev/null"
            path = re.sub(r"\A[ab]/", "", old if deleted else new)
            act: FileAct = "deleted" if deleted else "created" if old == "/dev/null" else "modified"
            yield from self._named(act, [Word(path)])


def patched_files(patch: str) -> tuple[Change, ...]:
    """The files that an `apply_patch` patch names, each once; a file that is moved is deleted where it was."""
    found: dict[Change, None] = {}
    before = ""
    for verb, path in PATCH_LINE.findall(patch):
        if verb == "Move to":
            found.pop(Change("modified", before), None)
            found[Change("deleted", before)] = None
        found[Change(PATCH_ACTS[verb], path)] = None
        before = path
    return tuple(found)


PATCH_ACTS: Final[dict[str, FileAct]] = {
    "Add File": "created",
    "Update File": "modified",
    "Delete File": "deleted",
    "Move to": "created",
}
