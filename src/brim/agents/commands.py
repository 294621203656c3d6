"""What a shell script runs, command by command, and which files it names.

Specified by features/agents/permissions.feature (AGT_05). A command is plain, or it is asked about. What the shell
makes of a script and its syntax tree does not show is not plain. A program that runs others is not followed: what its
words may run is compared with the rules that deny or ask, and only a rule that names it allows it.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import dropwhile, pairwise
from posixpath import basename, join
from typing import Final, Literal

from brim.evidence.shell import (
    EFFECTS,
    LOOKING,
    MAX_COMMAND_CHARS,
    NEUTRAL,
    SHELLS,
    Command,
    Word,
    program_of,
    read_script,
    unseen,
)

MAX_NESTED: Final = 8
"""Scripts within scripts and wrappers within wrappers that are read."""
MAX_FOLDERS: Final = 16
"""Folders in which a script may be after its `cd` commands, at most."""
MAX_RUNS: Final = 2_000
"""Commands of a script at most, those within wrappers and scripts included."""
MAX_SUFFIXES: Final = 16
"""Words of a command behind which another command is looked for, and words in front of a command, at most."""

Holds = Literal["", "all", "written"]


@dataclass(frozen=True, slots=True)
class Run:
    """A command of a script. A rule that allows must match one of its texts; others may match a reading, too."""

    texts: tuple[str, ...]
    """The command as it is written."""
    readings: tuple[str, ...] = ()
    """The same without quotes, assignments, the folder of the program and the options of git."""
    words: tuple[Word, ...] = ()
    """Its words without assignments, among which a rule that asks or denies looks for its own."""
    unclear: str = ""
    """Why it is not plain what it runs; empty where it is."""
    runner: str = ""
    """What makes it run other programs, such as `sudo` or `find -exec`: only a rule that names this allows it."""
    moves: bool = False
    """It changes the folder and does nothing else."""
    inline: bool = False
    """It runs what cannot be seen: code of another language, or a script that is not plain."""
    behind: Literal["", "runs", "may run"] = ""
    """It is part of a command that runs, or may run, its own arguments: only rules that name it count."""


@dataclass(frozen=True, slots=True)
class File:
    """A file that a command names, by a path from the folder that the script begins in."""

    act: Literal["read", "edit", "either"]
    """Either where a program that brim does not know names it."""
    path: str
    redirected: bool = False
    """A redirection writes it: no rule for the command speaks of it."""
    unclear: str = ""
    """Why it is not plain which file it is; empty where it is."""
    pattern: str = ""
    """The pattern of files that is meant; the path is the folder that it looks in."""
    named: bool = False
    """A word may name it: only rules for some files count, and not where it is."""
    perhaps: bool = False
    """It is in code of another language, which may mean something else."""
    holds: Holds = ""
    """What is in the folder counts, too: all files, or those that are written."""


# fmt: off
RUNS_OTHERS: Final = frozenset({
    "alias", "at", "batch", "builtin", "busybox", "chroot", "command", "coproc", "crontab", "doas", "entr", "env",
    "eval", "ex", "exec", "expect", "fakeroot", "find -delete", "find -exec", "find -execdir", "find -fls",
    "find -fprint", "find -fprint0", "find -fprintf", "find -ok", "find -okdir", "flock", "git bisect run",
    "git filter-branch", "git submodule foreach", "hash", "ionice", "nice", "nohup",
    "nsenter", "parallel", "screen", "script", "setsid", "ssh", "stdbuf", "strace", "su", "sudo",
    "systemd-run", "time", "timeout", "toybox", "trap", "unshare", "vi", "vim", "watch", "xargs",
})
"""Programs that run others, or do with these words; so do shells without a file, and `fd` with `-x`."""
FILE_SHELLS: Final = frozenset({*SHELLS, ".", "ash", "csh", "fish", "ksh", "source", "tcsh"})
LOOKED_THROUGH: Final = frozenset({"env", "nice", "nohup", "stdbuf", "time", "timeout", "xargs"})
"""Those whose command is read where no option stands before it but one of these, or a number."""
ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=")
STEERING: Final = re.compile(
    r"(?<![\w$./{-])(PATH|IFS|ENV|HOME|SHELL|SHELLOPTS|PS[0-4]|PROMPT_COMMAND|BASH_\w+|(?:LD|DYLD)_\w+)(?=[\s+=\[]|\Z)"
)
"""A variable by which the shell or the loader picks what every command runs, where it may be set."""
INTERPRETERS: Final = re.compile(
    r"(?:i?python|pypy|perl|j?ruby|node|nodejs|bun|tsx|ts-node|deno|php|lua|luajit|R|Rscript|julia|osascript|groovy"
    r"|scala|swift|racket|raku|ghc|elixir|iex|erl|clojure|clj|guile|pwsh|powershell|tclsh|wish)[\d.]*"
)
FROM_FILE: Final = re.compile(r"[^-].*|-m.*|-[vVh]+|--(?:version|help)", re.DOTALL)
"""The arguments of an interpreter that is given no code: a file, a module of Python, or its version alone."""
AWK_ACTS: Final = re.compile(
    r".*?(?:system|getline|@|\|&|\binplace\b|\\\n)|(?>.*?\bprintf?\b).*(?:>|(?<!\|)\|(?!\|))", re.DOTALL
)
NAMELESS_PROGRAMS: Final = frozenset({
    "", ":", "[", "[[", "alias", "basename", "cd", "declare", "dirname", "echo", "exit", "export", "expr", "kill",
    "let", "local", "popd", "printf", "pushd", "pwd", "readonly", "return", "set", "shift", "sleep", "test", "tr",
    "true", "type", "typeset", "unset", "wait", "which",
})
"""Programs whose words are no files that they open."""
CODE_FIRST: Final = frozenset({"egrep", "fgrep", "grep", "gsed", "rg", "sed"})
"""Programs whose first operand is no file, unless an option gives their code."""
EDITORS: Final = frozenset({
    "chgrp", "chmod", "chown", "cp", "dd", "install", "ln", "mkdir", "mv", "rmdir", "rsync", "scp", "shred", "tee",
    "touch", "truncate",
})
"""Programs that change the files of their operands, besides those whose effects are known; all but the last are read
by those that copy."""
FOLDERS: Final = {
    **dict.fromkeys(
        ("cp", "diff", "egrep", "fgrep", "grep", "scp", "zip"), r" (?:-\w*[rRad]|--(?:rec|arc|deref|dir))"
    ),
    **dict.fromkeys(("ack", "ag", "git grep", "rg"), r" (?:-\w*[.u]|--hid|--unr|--unt|--no-i|-a|--all)"),
    **dict.fromkeys(("7z", "bsdtar", "gtar", "rsync", "tar"), ""),
}
"""Programs that read what is in a folder, and the options with which they do; empty where they need none."""
UNPACKING: Final = frozenset({
    "7z", "bsdtar", "cpio", "git am", "git apply", "git clean", "git reset", "git restore", "git stash", "gtar",
    "patch", "tar", "unzip",
})
"""Programs that write files which their arguments do not name."""
TEXT_OPTIONS: Final = frozenset({"-m", "--message", "-t", "--title", "-b", "--body", "--grep", "-S", "-G", "--author"})
"""Options of `git` and `gh` whose value is a text."""
LAUNCHING: Final = frozenset({"bunx", "dlx", "exec", "npx", "pipx", "pnpx", "run", "uvx", "x"})
"""Programs and verbs behind which another program is given for certain: `uv run`, `docker exec`, `npx`."""
QUIET: Final = frozenset({
    *LOOKING, *NEUTRAL, *EFFECTS, *EDITORS, *NAMELESS_PROGRAMS, *FOLDERS, "command", "gh", "glab",
})
"""Programs whose arguments are no commands."""
GIT_PLAIN: Final = frozenset({
    "-C", "--bare", "--git-dir", "--help", "--literal-pathspecs", "--no-optional-locks", "--no-pager", "-P",
    "--version", "--work-tree",
})
"""Options in front of git's verb that neither set anything nor have a value that may hide the verb."""
# fmt: on
NAME_BREAK: Final = re.compile(r"[=@:,;<>!%^+#]")
CODE_BREAK: Final = re.compile(r"[\s'\"`(){}\[\];,<>|&=:$\\]+")
EXPANSION: Final = re.compile(r"\$\{[^}]*+\}|\$\([^)]*+\)|`[^`]*+`|\$\w+|\$.|\{[^{}]*\}")
CLUSTER: Final = re.compile(r"-([A-Za-z0-9]*)")
STDIN: Final = re.compile(r"-\Z|/dev/(?:stdin|fd/)|/proc/")
DEVICES: Final = re.compile(r"/dev/(?:null|stdin|stdout|stderr|tty|zero|fd/\d+)\Z")
EXPANDED: Final = re.compile(r"[$`]|<\(|>\(")
OPENING: Final = re.compile(r"(?:if|then|elif|else|while|until|do|!|-.*|\d+[smhd]?)\Z")
SCRIPT: Final = re.compile(r"-(?>\w*?c)\w*\Z")
"""The option of a shell that gives a script."""
APPENDED: Final = Word("$@", literal=False)
"""The words that a program adds to a command."""
ADDING: Final = dict.fromkeys(("fd", "fdfind", "xargs"), (APPENDED,))


def odd_character(text: str) -> str:
    """Return the name of the first character that does not show what it is: a control, an invisible one, a space."""
    for one in text:
        if one not in " \n\t" and unicodedata.category(one) in {"Cc", "Cf", "Cs", "Co", "Zs", "Zl", "Zp"}:
            return unicodedata.name(one, f"the control character U+{ord(one):04X}")
    return ""


def runs_of(script: str, *, stripping: bool = False) -> tuple[Run | File, ...]:
    """Return every command that a script may run and every file that its commands name, in order (AGT_05).

    Args:
        script: the text that a POSIX shell is given.
        stripping: whether the wrappers that are looked through are left out, so that no rule need name them.
    """
    reader = _CommandReader(stripping=stripping)
    return tuple(reader.script(script, 0))


class _CommandReader:
    """Follows a script from command to command."""

    def __init__(self, *, stripping: bool) -> None:
        self._stripping = stripping
        self._folders = [""]
        """Where the script may be: a path from where it begins; empty there."""
        self._lost = False
        """It may be in a folder that is not known."""
        self._runs = MAX_RUNS
        """How many more commands are read."""
        self._names = 4_000
        """How many more words are compared with the rules for files, in each folder that they may be in."""

    def script(self, script: str, nested: int) -> Iterator[Run | File]:
        """Read a script. What brim does not see of it is one command that is not plain."""
        why = f"it holds {odd}" if (odd := odd_character(script)) else ""
        if len(script) > MAX_COMMAND_CHARS:
            why = f"it is longer than {MAX_COMMAND_CHARS:,} characters"
        commands = () if why or nested > MAX_NESTED else read_script(script)
        if not commands:
            is_empty = all(line.lstrip()[:1] in {"", "#"} for line in script.splitlines())
            why = why or ("there is nothing to run" if is_empty else "brim cannot parse the script")
        written = (text for one in commands for text in (*(word.text for word in one.words), *one.assignments))
        if steered := STEERING.search("\n".join((script, *written))):
            why = why or f"it may set {steered[1]}, which may say which program runs"
        if why := why or unseen(script):
            yield Run((script,), tuple(_segments(script)), unclear=why)
        for command in commands:
            if self._runs <= 0:
                yield Run((script,), tuple(_segments(script)), unclear=f"it runs more than {MAX_RUNS:,} commands")
                return
            yield from self._command(command, nested)

    def _command(self, command: Command, nested: int) -> Iterator[Run | File]:
        if command.words or command.assigned:
            run = Run((command.source,), tuple(_readings(command.words)), _plain(command.words))
            yield from self._words(run, command.words, nested, command)
        for operator, word in command.redirects:
            if not re.fullmatch(r"\d*-?", word.text):
                writes = operator in {">", ">>", ">|", "&>", "&>>", ">&", "<>"}
                yield from self._files("edit" if writes else "read", word, writes)

    def _words(
        self, run: Run, words: Sequence[Word], nested: int, whole: Command | None = None
    ) -> Iterator[Run | File]:
        """Read a command by its words; `whole` where it is one of a script, and none that a wrapper runs."""
        program = _name(words)
        self._runs -= 1
        if words and (not words[0].literal or not words[0].text.isascii()):
            readings = (*run.readings, *_segments(run.texts[0]))
            yield replace(run, unclear="it is not plain which program runs", readings=readings)
        elif nested > MAX_NESTED:
            yield replace(run, unclear="its wrappers are nested too deep")
        elif inner := _inner(program, words):
            added = (APPENDED,) if program == "xargs" else ()
            if self._stripping and program != "env" and not (whole and whole.assigned):
                peeled = _run_of(inner, added)
                run = replace(peeled, readings=(*run.readings, *peeled.readings))
            else:
                yield run
                run = _run_of(inner, added)
            if added and _name(inner) not in NAMELESS_PROGRAMS:
                yield from self._folder("either", Word("."), "all")
            yield from self._words(run, inner, nested + 1)
        elif runner := _runner(program, words):
            yield from self._runner(run, runner, words, nested, whole)
        else:
            here = whole.here if whole else ""
            yield replace(run, moves=program in {"cd", "popd", "pushd"}, inline=_runs_code(program, words))
            verb, arguments, _ = program_of(words)
            if program == "git":  # it runs the hooks of the folders that its options name
                for text, literal in _early(words):
                    value = Word(text.partition("=")[2] if text.startswith("-") else text, literal)
                    yield from self._files("read", value, redirected=False) if value.text else ()
                program = verb
            else:
                arguments = words[1:]
            yield from self._operands(program, arguments)
            yield from self._named(program, arguments, here)
            if program not in QUIET and not program.startswith("git"):
                given = [words[0], Word(here), *words[1:]] if here and words else words
                yield from self._behind(given, nested, surely=program in LAUNCHING)

    def _runner(
        self, run: Run, runner: str, words: Sequence[Word], nested: int, whole: Command | None
    ) -> Iterator[Run | File]:
        """Yield a program that runs others: what its words, their scripts and its here-document may run."""
        here = [whole.here] if whole and whole.here else []
        scripts, unread = here, len(words) > MAX_SUFFIXES or not all(one.literal for one in words)
        if runner in {"alias", "eval", "trap"}:
            scripts = [*here, " ".join(word.text.rpartition("=")[2] for word in words[1:])]
        elif runner in FILE_SHELLS:
            index = next((n for n, one in enumerate(words) if SCRIPT.match(one.text)), len(words))
            given = [one.text for one in words[index + 1 :] if one.literal and not one.text.startswith("-")][:1]
            scripts, unread = [*here, *given], unread or not (here or given)
        added = ADDING.get(_name(words), ())
        unread = unread or runner == "parallel" or (bool(added) and _has_placeholder(words))
        yield replace(run, runner=runner, inline=unread)
        yield from self._named("", words[1:], "", every=True)
        yield from self._folder("either", Word("."), "all")
        for one in (one for script in scripts for one in self.script(script, nested + 1)):
            if isinstance(one, File) or runner in FILE_SHELLS:
                yield one
            else:
                yield replace(one, unclear="", inline=one.inline or bool(one.unclear), behind="runs")
        yield from self._behind(words, nested, added, surely=True)

    def _behind(self, words: Sequence[Word], nested: int, added: Sequence[Word] = (), *, surely: bool) -> Iterator[Run]:
        """Yield the commands that the arguments of a program may be, for a program that may run its arguments."""
        for index, word in enumerate(words[1 : MAX_SUFFIXES + 1], 1):
            behind: Literal["runs", "may run"] = "runs" if surely else "may run"
            text = word.text.partition("=")[2] if re.match(r"--?[\w-]+=", word.text) else word.text
            if re.search(r"[\s$`]", text) and word.literal and nested < MAX_NESTED:
                read = self.script(text, nested + 1)
                for one in (one for one in read if isinstance(one, Run)):
                    unread = one.inline or (surely and bool(one.unclear))
                    yield replace(one, unclear="", runner="", moves=False, inline=unread, behind=one.behind or behind)
            elif text and not word.text.startswith("-") and not ASSIGNMENT.match(text):
                inner = words[index:]
                more = added or ADDING.get(_name(inner), ())
                coded = (surely or len(inner) > 1) and _hides(inner, more)  # `install node` runs none
                yield replace(_run_of(inner, added), inline=coded or (surely and not word.literal), behind=behind)
            surely = surely or (text in LAUNCHING and index <= 3)  # noqa: PLR2004  `docker compose exec`

    def _folder(self, act: Literal["read", "edit", "either"], word: Word, holds: Holds) -> Iterator[File]:
        for file in self._files(act, word, redirected=False):
            yield replace(file, named=True, holds=holds, unclear="")

    def _named(self, program: str, arguments: Sequence[Word], here: str, *, every: bool = False) -> Iterator[File]:
        """Yield what may name a file, whatever the program is: each word, and what is behind `=`, `@` or an option."""
        if program in NAMELESS_PROGRAMS and not every:
            return
        texts = program.startswith(("git ", "gh"))
        acting = LOOKING.get(program)
        looks = program in LOOKING and not (acting and acting.search(" ".join(["", *(one.text for one in arguments)])))
        looks = looks or (program not in LOOKING and (texts or program in FILE_SHELLS))
        looks = looks or _edits(program, arguments)
        words = [
            word
            for before, word in pairwise([Word(""), *arguments])
            if not (texts and before.text in TEXT_OPTIONS)
            and (word.literal or not (texts or re.match(r"\"?https?://", word.text)))
        ]
        pattern = program in CODE_FIRST and words and not words[0].text.startswith("-")
        for word in words[1:] if pattern else words:
            yield from self._mention("read" if looks else "either", dict.fromkeys(_names_in(word.text)), word.literal)
            for file in () if looks else self._folder("edit", word, "written"):
                yield replace(file, perhaps=True)
            if not texts and CODE_BREAK.search(word.text):
                for file in self._mention("either", dict.fromkeys(CODE_BREAK.split(word.text)), word.literal):
                    yield replace(file, perhaps=True)

        if here and INTERPRETERS.fullmatch(program):
            for file in self._mention("either", dict.fromkeys(CODE_BREAK.split(here)), literal=True):
                yield replace(file, perhaps=True)

    def _mention(self, act: Literal["read", "either"], names: Iterable[str], literal: bool) -> Iterator[File]:  # noqa: FBT001
        for said in names:
            name = said.removeprefix("~+/")
            if not name or name in {".", "-", "/"} or DEVICES.match(name):
                continue
            if self._names <= 0:
                return
            self._names -= len(self._folders)
            if self._names <= 0:  # the rest may be any file
                yield File(act, ".", pattern="*", named=True)
                return
            pattern = "" if literal else EXPANSION.sub("*", name.strip('"'))
            if name.startswith("/proc/"):
                pattern = "*"
            for folder in self._folders:
                path = name if name.startswith(("/", "~")) else join(folder, name)
                yield File(act, path, pattern=pattern, named=True)

    def _operands(self, program: str, arguments: Sequence[Word]) -> Iterator[File]:
        """Yield the files and folders that the operands of a known program name."""
        if program in {"cd", "pushd"}:  # the folder that `popd` goes back to is still followed
            yield from self._move(arguments)
        edits, copies = _edits(program, arguments), program in {"cp", "install", "rsync", "scp"}
        options = "".join(f" {word.text}" for word in arguments if word.text.startswith("-"))
        operands = [word for word in arguments if word.text and not word.text.startswith("-")]
        values = [Word(text.partition("=")[2], plain) for text, plain in arguments if re.match("--.*?=.", text)]
        coded = program in {*CODE_FIRST, "ack", "ag", "git grep"}
        if coded and not re.search(r" (?:-[a-zA-Z]*[ef]|--(?:exp|regexp|file))", options):
            operands = operands[1:]
        yield from self._within(program, options, operands)
        if edits:
            targets = [value for option, value in pairwise(arguments) if option.text in {"-t", "--target-directory"}]
            everything = not copies and re.search(r" (?:-\w*[rR]|--rec)", options)
            for word in (*(operands[-1:] if copies else operands), *values, *targets):
                yield from self._folder("edit", word, "all" if everything else "written")
        elif program not in LOOKING or program in NAMELESS_PROGRAMS:
            return
        files = [*operands, *values]
        if program.startswith("git "):
            files = [word for word in files if word.literal]
        elif program == "dd":
            files = [Word(text[3:], plain) for text, plain in files if text.startswith(("of=", "if="))]
        for number, word in enumerate(files):
            copied = copies and number < len(files) - 1
            yield from self._files("edit" if edits and not copied else "read", word, redirected=False)

    def _within(self, program: str, options: str, operands: Sequence[Word]) -> Iterator[File]:
        """Yield the folders of which a program reads or writes what is in them, though no operand names it."""
        needed = FOLDERS.get(program)
        if needed is not None and re.search(needed, options):
            here = [] if operands and not re.search(r" (?:-\w*T|--files-from|-@)", options) else [Word(".")]
            for word in (*operands, *here):
                if not re.fullmatch(r"[^./]+(?:\.[\w-]+)*\.[A-Za-z]{2,4}", basename(word.text)):  # a file by its ending
                    yield from self._folder("read", word, "all")
        if program in UNPACKING:
            yield from self._folder("edit", Word("."), "written")

    def _move(self, arguments: Sequence[Word]) -> Iterator[File]:
        """Yield the folder that `cd` or `pushd` goes to, and follow it."""
        word = next((word for word in arguments if word.text and word.text[:1] != "-"), Word("~"))
        back = any(one.text == "-" for one in arguments)
        if not back:
            yield from self._files("read", word, redirected=False)
        if back or (EXPANDED.search(word.text) and not word.literal):
            self._lost = True
            return
        moved = [join(folder, word.text) if not word.text.startswith("~") else word.text for folder in self._folders]
        self._folders = list(dict.fromkeys([*self._folders, *moved]))
        if len(self._folders) > MAX_FOLDERS:
            self._folders, self._lost = self._folders[:MAX_FOLDERS], True

    def _files(self, act: Literal["read", "edit", "either"], word: Word, redirected: bool) -> Iterator[File]:  # noqa: FBT001
        text = word.text
        if DEVICES.match(text):
            return
        if not word.literal and EXPANDED.search(text):
            yield File(act, text, redirected, f"it is not plain which file {shlex.quote(text)} is")
            return
        pattern = ""
        if not word.literal:  # a glob: the folder that it looks in
            pattern, folder = text, re.split(r"[*?\[]", text, maxsplit=1)[0]
            if re.search(r"\{[^{}]*(?:,|\.\.)", text) or ".." in text[len(folder) :]:
                yield File(act, text, redirected, f"it is not plain which files {shlex.quote(text)} is")
                return
            text = folder.rpartition("/")[0] + "/" if "/" in folder else "."
        if text.startswith(("/", "~")):
            yield File(act, text, redirected, pattern=pattern)
            return
        if self._lost:
            yield File(act, text, redirected, f"it is not plain in which folder {shlex.quote(text)} is")
        for folder in self._folders[:1] if self._lost else self._folders:
            yield File(act, join(folder, text), redirected, pattern=pattern)


def _name(words: Sequence[Word]) -> str:
    """Return the name of the program that words run, without its folder."""
    return basename(words[0].text) or words[0].text if words else ""


def _inner(program: str, words: Sequence[Word]) -> Sequence[Word]:
    """Return the command that a wrapper runs; empty where brim does not look through it."""
    if program not in LOOKED_THROUGH:
        return ()
    skip = (
        r"-[knpv]|-?\d[\d.]*[smhd]?|-n-?\d+|--(?:adjustment|kill-after|signal)=[\w.-]+"
        r"|--(?:foreground|preserve-status)|-[ioe][L\d]\w*"
    )
    skip = {"env": "[A-Za-z_].*=.*", "xargs": "(?!)"}.get(program, skip)
    rest = list(dropwhile(lambda word: re.fullmatch(skip, word.text, re.DOTALL), words[1:]))
    stays = not rest or not rest[0].literal or rest[0].text.startswith("-")
    return () if stays or (program == "xargs" and _hides(rest, (APPENDED,))) else rest


def _hides(words: Sequence[Word], added: Sequence[Word] = ()) -> bool:
    """Return whether a command runs what is not among its words: code, a shell's input, or words that are added."""
    program = _name(words)
    runner = _runner(program, [*words, *added])
    launches = program not in {*QUIET, "x"} and not LAUNCHING.isdisjoint(word.text for word in words)
    if added and (runner or launches):
        return True
    is_shown = any(SCRIPT.match(one.text) for one in words) and all(one.literal for one in words)
    return _runs_code(program, words) or (runner in FILE_SHELLS - {"."} and not is_shown)


def _has_placeholder(words: Sequence[Word]) -> bool:
    """Return whether a word, or the value of an option, stands in a later word, too: xargs may replace it there."""
    texts = [word.text for word in words]
    pairs = ((name, at) for at, text in enumerate(texts[1:MAX_SUFFIXES], 2) for name in _names_in(text))
    return any(name and name in "\n".join(texts[at:]) for name, at in pairs)


def _runner(program: str, words: Sequence[Word]) -> str:
    """Return what makes a command run other programs, of the names above; empty where it runs itself alone."""
    texts = {part for word in words[1:] for part in (word.text, word.text.partition("=")[0])}
    if program in FILE_SHELLS:
        is_file = len(words) > 1 and words[1].literal and not re.match(r"[-+]", words[1].text)
        return "" if is_file and not STDIN.match(words[1].text) else program
    shows = program == "command" and len(words) > 1 and words[1].text in {"-v", "-V"}
    if shows or (program in {"alias", "env", "exec"} and len(words) == 1):
        return ""
    if program == "git" and (hiding := _hiding(words)):
        return f"git {hiding[0]}"
    runs = "-exec" if program == "find" else "-x"
    pattern = r"(?!)" if program == "find" else r"-\w*[xX]|--exec"
    acts = (word for word in words[1:] if may_be_option(word) or re.match(pattern, word.text))
    if program in {"fd", "fdfind", "find"} and any(acts):
        return f"{program} {runs}"
    split = sorted(one.split() for one in RUNS_OTHERS)
    met = [one for one in split if one[0] == program and texts.issuperset(one[1:])]
    return " ".join(dict.fromkeys(word for one in met for word in one))


def _early(words: Sequence[Word]) -> Sequence[Word]:
    """Return the words in front of git's verb."""
    verb, arguments, _ = program_of(words)
    return arguments if verb == "git" else words[1 : len(words) - len(arguments) - 1]


def _hiding(words: Sequence[Word]) -> list[str]:
    """Return the options in front of git's verb that may set a program, or hide the verb behind their value."""
    names = [word.text.partition("=")[0] for word in _early(words)]
    return [name for name in names if name.startswith("-") and name not in GIT_PLAIN]


def may_be_option(word: Word) -> bool:
    """Return whether a word that expands may become an option: what is in front of the expansion may be empty."""
    return not word.literal and re.match(r"\"?(?:[$`]|\{\S|-.*[$`{*?\[])", word.text) is not None


def _runs_code(program: str, words: Sequence[Word]) -> bool:
    """Return whether an interpreter runs code that is part of its command or of its input, and no file or module."""
    if program in {"awk", "gawk", "mawk", "nawk"}:
        return any(AWK_ACTS.match(word.text) for word in words[1:])
    if not INTERPRETERS.fullmatch(program):
        return False
    first, *_ = given = words[1:] or [Word("-")]
    plain = first.literal and FROM_FILE.fullmatch(" ".join(word.text for word in given))
    loads = first.text[:2] == "-m" and program[:2] != "py"
    return not plain or loads or first.text in {"eval", "exec", "repl"} or STDIN.match(first.text) is not None


def _edits(program: str, arguments: Sequence[Word]) -> bool:
    """Return whether a program changes the files of its operands."""
    effect = EFFECTS.get(program)
    options = "".join(f" {word.text}" for word in arguments if word.text.startswith("-"))
    known = effect is not None and not (effect.unless and re.match(effect.unless, options))
    known = known or (program in {"sed", "gsed"} and " --i" in options)
    return known or program in EDITORS or program == "git clone"


def _run_of(words: Sequence[Word], added: Sequence[Word] = ()) -> Run:
    """Return a command that a wrapper is given as words, with those that it adds."""
    text = " ".join(shlex.quote(word.text) if word.literal else word.text for word in words)
    return Run((text,), tuple(_readings(words)), _plain([*words, *added]))


def _plain(words: Sequence[Word]) -> tuple[Word, ...]:
    """Return the words of a command without assignments, and without the options of git whose values brim knows."""
    words = words[next((n for n, word in enumerate(words) if not ASSIGNMENT.match(word.text)), len(words)) :]
    if _name(words) != "git" or not {"-c"}.issuperset(_hiding(words)):
        return tuple(words)
    return (words[0], *words[len(_early(words)) + 1 :])


def _readings(words: Sequence[Word]) -> Iterator[str]:
    """Yield other texts of a command, by which rules that ask or deny find it too."""
    words = words[next((n for n, word in enumerate(words) if not ASSIGNMENT.match(word.text)), 0) :]
    if not words:
        return
    plain = " ".join(word.text for word in words)
    yield plain
    _, _, rest = plain.partition(" ")
    for name in dict.fromkeys((_name(words), _name(words).lower())):
        yield f"{name} {rest}".strip()
    program, arguments, _ = program_of(words)
    yield " ".join([program, *(word.text for word in arguments)])


def _segments(script: str) -> Iterator[str]:
    """Yield what may be commands in a script that is not plain, without the words that may be in front of one."""
    shown = "".join(" " if odd_character(one) else one for one in script)
    for segment in re.split(r"[;&|\n(){}`]+", shown):
        words = re.sub(r"[\"'\\$]", "", segment).split()
        for _ in range(min(len(words), MAX_SUFFIXES)):
            yield " ".join(words)
            if not (ASSIGNMENT.match(words[0]) or OPENING.match(words[0]) or words[0] in {*RUNS_OTHERS, *FILE_SHELLS}):
                break
            words = words[1:]


def _names_in(text: str) -> Iterator[str]:
    """Yield what may be the name of a file in a word: all of it, and what is behind an option's letter or a sign."""
    if text.startswith("-"):
        letters = CLUSTER.match(text)
        for at in range(2, min(len(letters[1]) + 2, 8)) if letters else ():
            yield text[at:]
    else:
        yield text
    breaks = [found.end() for found in NAME_BREAK.finditer(text)]
    yield from (text[at:] for at in breaks[:MAX_SUFFIXES])
    if breaks:
        yield from NAME_BREAK.split(text)
