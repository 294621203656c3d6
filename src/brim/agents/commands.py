"""What a shell script runs, command by command and wrapper by wrapper, and which files it names.

Specified by features/agents/permissions.feature (AGT_05). `read_script` parses the script; this module says what rules
can match: the text of each command, the command inside each wrapper, and why a command is not plain. What it does not
know, it calls not plain: a permission that depends on it is asked about.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from posixpath import basename, join
from typing import Final, Literal

from brim.selection.shell import SHELLS, Command, Word, program_of, read_script

MAX_NESTED: Final = 8
"""Scripts within scripts and wrappers within wrappers that are read."""
MAX_FOLDERS: Final = 16
"""Folders in which a script may be after its `cd` commands, at most."""
MAX_SEGMENTS: Final = 100_000
"""Segments of a script that cannot be parsed, which deny rules are compared with."""
MAX_OPENING: Final = 16
"""Words in front of a command in such a segment, at most: assignments, wrappers, keywords and options."""
UNREAD: Final = "brim cannot parse the script"


@dataclass(frozen=True, slots=True)
class Run:
    """A command of a script. A rule that allows must match one of its texts; others may match a reading, too."""

    texts: tuple[str, ...]
    """The command as it is written."""
    readings: tuple[str, ...] = ()
    """The same without quotes, assignments, the folder of the program and the options of git."""
    unclear: str = ""
    """Why it is not plain what it runs; empty where it is."""
    exact: bool = False
    """Claude Code lets no rule with a wildcard allow it."""
    moves: bool = False
    """It changes the folder and does nothing else."""


@dataclass(frozen=True, slots=True)
class File:
    """A file that a command names, by a path from the folder that the script begins in."""

    act: Literal["read", "edit"]
    path: str
    redirected: bool = False
    """A redirection writes it: no rule for the command speaks of it."""
    unclear: str = ""
    """Why it is not plain which file it is; empty where it is."""
    pattern: str = ""
    """The pattern of files that is meant; the path is the folder that it looks in."""


@dataclass(frozen=True, slots=True)
class Wrapper:
    """How a program is called that runs another one."""

    valued: str = ""
    """Options that a value follows, or holds behind its first two characters."""
    flags: str = ""
    """A pattern of the options without a value."""
    positional: int = 0
    """Operands before the program that it runs."""
    assigns: bool = False
    """Assignments may be in front of that program."""
    script: bool = False
    """A shell reads what it runs."""


# fmt: off
WRAPPERS: Final = {
    "builtin": Wrapper(),
    "command": Wrapper(flags="-p"),
    "doas": Wrapper("-u -C", "-[nLs]"),
    "env": Wrapper(
        "-u --unset -C --chdir -a --argv0", "-|-[i0v]+|--ignore-environment|--null|--debug", assigns=True
    ),
    "exec": Wrapper("-a", "-[cl]+"),
    "flock": Wrapper("-w --timeout -E --conflict-exit-code", "-[senoxuFv]+|--[a-z-]+", positional=1),
    "ionice": Wrapper("-c --class -n --classdata", "-t|--ignore"),
    "nice": Wrapper("-n --adjustment", r"-\d+|--adjustment=-?\d+"),
    "nohup": Wrapper(),
    "rtk": Wrapper(),
    "setsid": Wrapper(flags="-[cfw]+|--ctty|--fork|--wait"),
    "stdbuf": Wrapper("-i -o -e", "--(?:input|output|error)=[A-Z0-9]+"),
    "sudo": Wrapper("-u -g -p -C -D -R -T -U -h -r -t", "-[nEHSbkKAPi]+|--(?:non-interactive|login)", assigns=True),
    "time": Wrapper("-f --format", "-[pvaq]+|--verbose|--portability|--append|--quiet"),
    "timeout": Wrapper("-s --signal -k --kill-after", "-v|--(?:preserve-status|foreground|verbose)", positional=1),
    "watch": Wrapper("-n --interval", "-[bcdegptx]+|--[a-z-]+", script=True),
    "xargs": Wrapper(
        "-a --arg-file -d --delimiter -E -I -L --max-lines -n --max-args -P --max-procs -s --max-chars",
        "-[0rtxpo]+|--(?:null|no-run-if-empty|verbose|exit|interactive|open-tty)|--max-(?:args|procs)=\\d+",
    ),
}
"""The programs that run the one behind their options. An option that is not here makes the call not plain."""
SSH: Final = Wrapper(
    "-B -b -c -D -E -e -F -I -i -J -L -l -m -O -p -Q -R -S -W -w", "-[46AaCfGgKkMNnqsTtVvXxYy]+", 1, script=True
)
STRIPPED: Final = frozenset({"nice", "nohup", "stdbuf", "time", "timeout"})
"""Wrappers that Claude Code leaves out before it compares a command with its rules; `xargs` without options, too."""
NEVER_BY_WILDCARD: Final = frozenset({"flock", "ionice", "setsid", "watch"})
"""Wrappers that Claude Code lets only a rule without a wildcard allow."""
UNCLEAR: Final = frozenset({
    "at", "batch", "bind", "bwrap", "chroot", "chrt", "compgen", "complete", "coproc", "dbus-run-session", "enable",
    "entr", "fakeroot", "firejail", "gdb", "hash", "ltrace", "nsenter", "numactl", "parallel", "pkexec", "proxychains",
    "runuser", "script", "setarch", "setpriv", "strace", "su", "systemd-run", "taskset", "torsocks", "unbuffer",
    "unshare", "xvfb-run",
})
"""Programs and keywords that run others in ways brim does not follow."""
RUNS_BY_OPTION: Final = {
    "awk": r"system *\(|\| *(?:&|getline|\")",
    "gawk": r"system *\(|\| *(?:&|getline|\")",
    "mapfile": r" -[a-z]*C",
    "readarray": r" -[a-z]*C",
    "sed": r"/[gpiIm0-9]*w +\S|(?:[ ;{/$]|\d)w +\S|/[gpiIm0-9]*e[gpiIm0-9]*(?: |;|\Z)|(?:[ ;{/$]|\d)e [^ ]",
    "man": r" (?:-[PH]|--pager|--html)",
    "rg": r" --(?:pre|hostname-bin)\b",
    "rsync": r" (?:-[a-zA-Z]*e|--rsh|--rsync-path)",
    "scp": r" -[a-zA-Z]*[So]",
    "sort": r" --compress-program",
    "tar": r"^ \w*[IF]\w* | -[a-zA-Z]*[IF]"
    r"| --(?:to-command|checkpoint-action|use-compress-program|rsh-command|info-script|new-volume-script)",
}
"""Options and code by which programs run others."""
GIT_RUNS: Final = re.compile(
    r" (?:--exec|--upload-pack|--receive-pack|--open-files-in-pager|--extcmd|--config-env|--exec-path=)"
    r"|^git rebase.* -[a-z]*x|^git difftool.* -[a-z]*x|^git grep.* -[a-zA-Z]*O|^git ls-remote.* -u"
    r"|^git (?:bisect run|submodule foreach|filter-branch|send-email)\b|\bext::"
)
GIT_SAFE: Final = re.compile(
    r"(?:user\.(?:name|email)|color\.\w+|advice\.\w+|core\.(?:quotepath|abbrev|autocrlf|longpaths)"
    r"|init\.defaultbranch|commit\.gpgsign|diff\.noprefix|log\.\w+)\Z", re.IGNORECASE,
)
"""Settings of git that name no program; every other one may."""
READERS: Final = frozenset({
    "base64", "cat", "cmp", "comm", "cut", "diff", "du", "egrep", "fgrep", "file", "find", "grep", "head", "hexdump",
    "less", "ls", "more", "nl", "od", "rg", "sed", "sort", "stat", "strings", "tac", "tail", "tree", "uniq", "wc",
    "xxd", "zcat",
})
CODE_FIRST: Final = frozenset({"egrep", "fgrep", "grep", "rg", "sed"})
"""Programs whose first operand is no file, unless an option gives their code."""
EDITORS: Final = frozenset({
    "chgrp", "chmod", "chown", "cp", "dd", "install", "ln", "mkdir", "mv", "rm", "rmdir", "shred", "tee", "touch",
    "truncate", "unlink",
})
# fmt: on
EVALUATING: Final = frozenset(
    {
        "[",
        "[[",
        "declare",
        "export",
        "let",
        "local",
        "printf",
        "read",
        "readonly",
        "test",
        "typeset",
        "unset",
        "wait",
    }
)  # fmt: skip
"""Builtins that evaluate an index in a quoted argument, and with it a substitution."""
SUBSTITUTED: Final = re.compile(r"\$\(|`")
QUOTED: Final = re.compile(r"'[^']*(?:\$\(|`)[^']*'")
PROMPTED: Final = re.compile(r"\$\{[^}]*@P")
"""An expansion that runs what its variable holds."""
STDIN: Final = re.compile(r"-\Z|/dev/(?:stdin|fd/)|/proc/")
MOVERS: Final = frozenset({"cd", "pushd", "popd"})
WRITING: Final = frozenset({">", ">>", ">|", "&>", "&>>", ">&", "<>"})
DEVICES: Final = re.compile(r"/dev/(?:null|stdin|stdout|stderr|tty|zero|fd/\d+)\Z")
DESCRIPTOR: Final = re.compile(r"\d*-?\Z")
ASSIGNMENT: Final = re.compile(r"[A-Za-z_]\w*\+?=")
EXPANDED: Final = re.compile(r"[$`]|<\(|>\(")
NAMELESS: Final = re.compile(r"[$`*?\[]")
"""What makes a word another one than it says, but for braces: `{}` is what `find` and `xargs` replace."""
OPENING: Final = re.compile(r"(?:if|then|elif|else|while|until|do|coproc|eval|!|-.*)\Z")
SHELL_FLAGS: Final = frozenset({"--login", "--noprofile", "--norc", "--posix", "--restricted", "--verbose"})
"""Options of a shell that name no file; `-o` and `-O` are followed by a value."""
FINDERS: Final = frozenset({"-exec", "-execdir", "-ok", "-okdir"})


RUNNERS: Final = frozenset({*WRAPPERS, *UNCLEAR, *SHELLS, "ssh"})


def odd_character(text: str) -> str:
    """The name of the first character that does not show what it is: a control, an invisible one, a foreign space."""
    for one in text:
        if one not in " \n\t" and unicodedata.category(one) in {"Cc", "Cf", "Cs", "Co", "Zs", "Zl", "Zp"}:
            return unicodedata.name(one, f"the control character U+{ord(one):04X}")
    return ""


def runs_of(script: str, *, stripping: bool = False) -> tuple[Run | File, ...]:
    """Every command that a script may run and every file that its commands name, in order.

    Args:
        script: the text that a POSIX shell is given.
        stripping: whether the wrappers that Claude Code leaves out are left out, so that no rule need name them.
    """
    reader = _Reader(stripping=stripping)
    return tuple(reader.script(script, 0))


class _Reader:
    """Follows a script from command to command, through wrappers and the scripts that its commands are given."""

    def __init__(self, *, stripping: bool) -> None:
        self._stripping = stripping
        self._folders = [""]
        """Where the script may be: a path from where it begins; empty there."""
        self._lost = False
        """It may be in a folder that is not known."""

    def script(self, script: str, nested: int) -> Iterator[Run | File]:
        """Read a script. One that cannot be parsed is one command that is not plain."""
        odd = odd_character(script)
        skipped = odd or nested > MAX_NESTED or PROMPTED.search(script)
        commands = () if skipped else read_script(script, succeeds=False)
        if not commands:
            why = f"it holds {odd}" if odd else UNREAD
            yield _unclear(Run((script,)), why)
        for command in commands:
            yield from self._command(command, nested)

    def _command(self, command: Command, nested: int) -> Iterator[Run | File]:
        if command.words or command.assigned:
            run = Run((command.source,), tuple(_readings(command)))
            yield from self._words(run, command.words, nested, command)
        for operator, word in command.redirects:
            if not DESCRIPTOR.match(word.text):
                yield from self._files("edit" if operator in WRITING else "read", word, operator in WRITING)

    def _words(
        self, run: Run, words: Sequence[Word], nested: int, whole: Command | None = None
    ) -> Iterator[Run | File]:
        """Read a command by its words; `whole` where it is one of a script, and none that a wrapper runs."""
        program = basename(words[0].text) or words[0].text if words else ""
        if words and (not words[0].literal or not words[0].text.isascii()):
            yield _unclear(run, "it is not plain which program runs")
        elif nested > MAX_NESTED:
            yield _unclear(run, "its wrappers are nested too deep")
        elif program in WRAPPERS or program == "ssh":
            yield from self._wrapper(run, program, words, nested, assigned=bool(whole and whole.assigned))
        elif program in {*SHELLS, "ksh", "fish", "ash"}:
            yield from self._shell(run, words, nested, whole)
        elif program in {"eval", "trap", "alias"}:
            yield from self._builtin(run, program, words[1:], nested)
        elif program in {"find", "fd"}:
            yield from self._find(run, words, nested)
        elif program in {"busybox", "toybox"}:
            yield from self._inside(run, words[1:], nested)
        else:
            why = _why(program, words)
            yield replace(_unclear(run, why) if why else run, moves=program in MOVERS)
            for folder in _git_folders(words) if program == "git" else ():  # git runs the hooks that it finds there
                yield from self._files("read", folder, redirected=False)
            yield from self._operands(program, words[1:])

    def _inside(self, run: Run, words: Sequence[Word], nested: int, *, script: bool = False) -> Iterator[Run | File]:
        """A wrapper, and what it runs."""
        if not words:
            yield run
            return
        if script:
            text = " ".join(word.text for word in words)
            literal = all(word.literal for word in words)
            yield run if literal else _unclear(run, f"it is not plain what {run.texts[0].split()[0]} runs")
            yield from self.script(text, nested + 1)
            return
        yield run
        yield from self._words(_run_of(words), words, nested + 1)

    def _wrapper(
        self, run: Run, program: str, words: Sequence[Word], nested: int, *, assigned: bool
    ) -> Iterator[Run | File]:
        if program == "command" and len(words) > 1 and words[1].text in {"-v", "-V"}:
            yield run
            return
        spec = SSH if program == "ssh" else WRAPPERS[program]
        inner = _inner(words, spec)
        if program == "flock" and inner and inner[0].text in {"-c", "--command"}:
            inner, spec = inner[1:], replace(spec, script=True)
        if inner and inner[0].text.startswith("-"):
            inner = None
        run = replace(run, exact=program in NEVER_BY_WILDCARD)
        if inner is None:
            yield _unclear(run, f"it is not plain what {program} runs")
        elif not inner and program in {"sudo", "doas"}:
            yield _unclear(run, f"{program} may start a shell")
        elif inner and self._is_stripped(program, words, inner) and not assigned:
            peeled = _run_of(inner)
            yield from self._words(replace(peeled, readings=(*run.readings, *peeled.readings)), inner, nested + 1)
        elif program == "xargs" and inner and not _is_complete(inner):
            yield _unclear(run, "xargs adds the program that runs")
        else:
            yield from self._inside(run, inner, nested, script=spec.script)

    def _is_stripped(self, program: str, words: Sequence[Word], inner: Sequence[Word]) -> bool:
        return self._stripping and (program in STRIPPED or (program == "xargs" and len(inner) == len(words) - 1))

    def _shell(self, run: Run, words: Sequence[Word], nested: int, whole: Command | None) -> Iterator[Run | File]:
        """A shell: the script of its option -c or of its here-document; a file is an argument like any other."""
        option, operand = _shell_script(words)
        here = whole.here if whole and not whole.redirects else ""
        if operand is None and not here:
            text = whole.here if whole else ""
            yield _unclear(run, "it runs what it reads", text)
        elif operand is None:
            yield _unclear(run, "it runs what its here-document becomes") if EXPANDED.search(here) else run
            yield from self.script(here, nested + 1)
        elif option and operand.literal:
            yield run
            yield from self.script(operand.text, nested + 1)
        else:
            yield run if operand.literal and not option else _unclear(run, "the script that it runs is not plain")

    def _builtin(self, run: Run, program: str, words: Sequence[Word], nested: int) -> Iterator[Run | File]:
        """`eval`, `trap` and `alias`, whose words are scripts."""
        if program == "alias":
            scripts = [word.text.partition("=")[2] for word in words]
        else:
            scripts = [
                " ".join(word.text for word in words) if program == "eval" else "".join(w.text for w in words[:1])
            ]
        literal = all(word.literal for word in words)
        yield run if literal else _unclear(run, f"it is not plain what {program} runs")
        for script in scripts:
            if script.strip(" -"):
                yield from self.script(script, nested + 1)

    def _find(self, run: Run, words: Sequence[Word], nested: int) -> Iterator[Run | File]:
        """`find` and `fd`, with the commands that they run for each file."""
        texts = [word.text for word in words]
        starts = [index for index, text in enumerate(texts) if text in FINDERS or text in {"-x", "-X", "--exec"}]
        yield replace(
            run, exact=bool(starts) or "-delete" in texts or any(text.startswith("-fprint") for text in texts)
        )
        for start in starts:
            end = next((index for index in range(start, len(texts)) if texts[index] in {";", "+"}), len(texts))
            inner = words[start + 1 : end]
            if not inner or "{" in inner[0].text:
                yield _unclear(run, f"it is not plain what {texts[0]} runs")
            else:
                yield from self._words(_run_of(inner), inner, nested + 1)

    def _operands(self, program: str, arguments: Sequence[Word]) -> Iterator[File]:
        """The files that the operands of a known program name; a change of the folder is followed."""
        if program == "popd" or (program in MOVERS and any(word.text == "-" for word in arguments)):
            self._lost = self._lost or program != "popd"
            return
        if program not in MOVERS and program not in READERS and program not in EDITORS:
            return
        operands = [word for word in arguments if not word.text.startswith("-")]
        values = [Word(word.text.partition("=")[2], word.literal) for word in arguments if word.text.startswith("--")]
        operands += [word for word in values if word.text]
        coded = any(re.match(r"-[a-zA-Z]*[ef]|--(?:exp|regexp|file)", word.text) for word in arguments)
        if program in CODE_FIRST and not coded:
            operands = operands[1:]
        if program == "dd":
            operands = [Word(text[3:], plain) for text, plain in operands if text.startswith(("of=", "if="))]
        if program in MOVERS:
            operands = operands[:1] or [Word("~")]
        edits = program in EDITORS or (
            program == "sed" and any(re.match(r"-\w*i|--in", word.text) for word in arguments)
        )
        for word in operands:
            yield from self._files("edit" if edits else "read", word, redirected=False)
        if program in MOVERS:
            self._move(operands[0])

    def _move(self, word: Word) -> None:
        if EXPANDED.search(word.text) and not word.literal:
            self._lost = True
            return
        moved = [join(folder, word.text) if not word.text.startswith("~") else word.text for folder in self._folders]
        self._folders = list(dict.fromkeys([*self._folders, *moved]))
        if len(self._folders) > MAX_FOLDERS:
            self._folders, self._lost = self._folders[:MAX_FOLDERS], True

    def _files(self, act: Literal["read", "edit"], word: Word, redirected: bool) -> Iterator[File]:  # noqa: FBT001
        text = word.text
        if DEVICES.match(text):
            return
        if not word.literal and EXPANDED.search(text):
            yield File(act, text, redirected, f"it is not plain which file {shlex.quote(text)} is")
            return
        pattern = ""
        if not word.literal:  # a glob: the folder that it looks in
            pattern, folder = text, re.split(r"[*?\[]", text, maxsplit=1)[0]
            if re.search(r"\{[^}]*(?:,|\.\.)", text) or ".." in text[len(folder) :]:
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


def _inner(words: Sequence[Word], spec: Wrapper) -> Sequence[Word] | None:
    """What a wrapper runs; empty where it runs nothing, None where that is not plain."""
    valued = spec.valued.split()
    index = 1
    while index < len(words):
        text, literal = words[index]
        if spec.assigns and ASSIGNMENT.match(text):
            index += 1
        elif not text.startswith("-"):
            break
        elif not literal and NAMELESS.search(text):
            return None
        elif text == "--":
            index += 1
            break
        elif text in valued:
            index += 2
        elif (
            (text.startswith("--") and text.partition("=")[0] in valued)
            or (spec.flags and re.fullmatch(spec.flags, text))
            or (not text.startswith("--") and text[:2] in valued)
        ):
            index += 1
        else:
            return None
    return words[index + spec.positional :]


def _is_complete(words: Sequence[Word]) -> bool:
    """Whether a command names the program that runs in the end, so that arguments behind it are only arguments."""
    while words and basename(words[0].text) in WRAPPERS:
        words = _inner(words, WRAPPERS[basename(words[0].text)]) or ()
    return bool(words)


def _unclear(run: Run, why: str, text: str = "") -> Run:
    """A command that is not plain; rules that deny also see what may be commands in its text, and in another one."""
    return replace(run, unclear=why, readings=(*run.readings, *_segments(f"{run.texts[0]}\n{text}")))


def _run_of(words: Sequence[Word]) -> Run:
    """A command that a wrapper is given as words."""
    text = " ".join(shlex.quote(word.text) if word.literal else word.text for word in words)
    return Run((text,), tuple(_readings(Command(tuple(words), source=text))))


def _readings(command: Command) -> Iterator[str]:
    """Other texts of a command, by which rules that ask or deny find it too."""
    words = command.words[next((n for n, word in enumerate(command.words) if not ASSIGNMENT.match(word.text)), 0) :]
    if not words:
        return
    plain = " ".join(word.text for word in words)
    yield plain
    first, _, rest = plain.partition(" ")
    base = basename(first) or first
    for name in dict.fromkeys((base, base.lower())):
        yield f"{name} {rest}".strip()
    program, arguments, _ = program_of(words)
    yield " ".join([program, *(word.text for word in arguments)])


def _segments(script: str) -> Iterator[str]:
    """What may be commands in a script that cannot be parsed, without the words that may be in front of one."""
    shown = "".join(" " if odd_character(one) else one for one in script)
    for segment in re.split(r"[;&|\n(){}`]+", shown)[:MAX_SEGMENTS]:
        words = re.sub(r"[\"'\\$]", "", segment).split()
        for _ in range(min(len(words), MAX_OPENING)):
            yield " ".join(words)
            if not (ASSIGNMENT.match(words[0]) or OPENING.match(words[0]) or words[0] in RUNNERS):
                break
            words = words[1:]


def _shell_script(words: Sequence[Word]) -> tuple[bool, Word | None]:
    """Whether a shell is given a script as an argument, and its first operand: that script, or a file."""
    option, index, flags = False, 1, ""
    while index < len(words) and words[index].text[:1] in {"-", "+"} and words[index].text not in {"-", "--"}:
        text = words[index].text
        if (text.startswith("--") and text not in SHELL_FLAGS) or not words[index].literal:
            return True, Word("", literal=False)
        flags += "" if text.startswith("--") else text
        option = "c" in flags
        index += 2 if not text.startswith("--") and text[-1] in "oO" else 1
    index += index < len(words) and words[index].text == "--"
    if "s" in flags and not option:
        return False, None
    return option, words[index] if index < len(words) and not STDIN.match(words[index].text) else None


def _why(program: str, words: Sequence[Word]) -> str:
    """Why it is not plain what a command runs; empty where it is."""
    if program in UNCLEAR:
        return f"brim does not follow what {program} runs"
    texts = [word.text for word in words]
    if program == "git":
        return _why_git(words)
    if program in {"source", "."} and any(not word.literal or STDIN.match(word.text) for word in words[1:2]):
        return "the script that it reads is not plain"
    if program in EVALUATING and any((SUBSTITUTED if one.literal else QUOTED).search(one.text) for one in words[1:]):
        return "an argument of it may run a substitution"
    pattern = RUNS_BY_OPTION.get(program)
    return (
        f"what {program} is given may run a program or write a file"
        if pattern and re.search(pattern, " ".join(["", *texts[1:]]))
        else ""
    )


def _git_folders(words: Sequence[Word]) -> Iterator[Word]:
    """The folders that options in front of git's verb name, each from the one before it."""
    verb = program_of(words)[1]
    early = words[1 : len(words) - len(verb)]
    within = ""
    for option, value in pairwise(early):
        if option.text == "-C":
            within = join(within, value.text)
            yield Word(within, value.literal)
        elif option.text in {"--git-dir", "--work-tree"}:
            yield value
    for word in early:
        name, _, folder = word.text.partition("=")
        if name in {"--git-dir", "--work-tree"} and folder:
            yield Word(folder, word.literal)


def _why_git(words: Sequence[Word]) -> str:
    texts = [word.text for word in words]
    verb, arguments, _ = program_of(words)
    for index, text in enumerate(texts):
        early = index < len(texts) - len(arguments) or verb in {"git clone", "git submodule"}
        setting = texts[index + 1 : index + 2] if text in {"-c", "--config"} else []
        if early and text.startswith(("-c", "--config=")) and (setting or text not in {"-c", "--config"}):
            name, _, value = (setting or [text.removeprefix("--config=").removeprefix("-c")])[0].partition("=")
            if not GIT_SAFE.match(name) or value.startswith("!"):
                return f"the setting {name} of git may name a program"
    options = [word.text for word in arguments]
    named = [text for text in options if not text.startswith("-")]
    if verb == "git config" and len(named) > 1 and not GIT_SAFE.match(named[0]):
        return f"the setting {named[0]} of git may name a program"
    if GIT_RUNS.search(" ".join([verb, *options])) or GIT_RUNS.search(" ".join(texts)):
        return "git runs a program that its arguments name"
    return ""
