"""What a shell script runs, command by command and wrapper by wrapper, and which files it names.

Specified by features/agents/permissions.feature (AGT_05). `read_script` parses the script; this module says what rules
can match: the text of each command, the command inside each wrapper, and why a command is not plain. What it does not
know, it calls not plain: a permission that depends on it is asked about.
"""

from __future__ import annotations

import re
import shlex
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import pairwise
from posixpath import basename, join
from typing import Final, Literal

from brim.selection.shell import LOOKING, SHELLS, Command, Word, program_of, read_script

MAX_NESTED: Final = 8
"""Scripts within scripts and wrappers within wrappers that are read."""
MAX_FOLDERS: Final = 16
"""Folders in which a script may be after its `cd` commands, at most."""
MAX_SEGMENTS: Final = 100_000
"""Segments of a script that cannot be parsed, which deny rules are compared with."""
MAX_OPENING: Final = 16
"""Words in front of a command in such a segment, at most: assignments, wrappers, keywords and options."""
UNREAD: Final = "brim cannot parse the script"
MAX_SCRIPT_CHARS: Final = 40_000
"""Characters of a script at most: a longer one is asked about."""
MAX_RUNS: Final = 2_000
"""Commands of a script at most, those within wrappers and scripts included."""
MAX_NAMES: Final = 4_000
"""Words of a script that are compared with the rules for files, at most, in each folder that they may be in."""
MAX_SUFFIXES: Final = 16
"""Words of a command behind which another command is looked for, at most."""


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
    inline: bool = False
    """It runs code of another language that is part of the command, or that it reads."""
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
    holds: Literal["", "all", "shown", "moved", "written"] = ""
    """What is in the folder counts, too: all files, those that are not hidden, what moves with it, what is written."""


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


@dataclass(frozen=True, slots=True)
class Interpreter:
    """How an interpreter is given code on its command line; without an operand it reads code from its input."""

    code: str
    """A pattern of the options that hold code, or that code follows."""
    valued: str = ""
    """Options that a value follows."""
    ends: str = ""
    """A pattern of the options behind which there is no code."""
    verbs: str = ""
    """First operands behind which there is code."""


# fmt: off
WRAPPERS: Final = {
    "builtin": Wrapper(),
    "command": Wrapper(flags="-p"),
    "doas": Wrapper("-u", "-[nLs]"),
    "env": Wrapper(
        "-u --unset -a --argv0", "-|-[i0v]+|--ignore-environment|--null|--debug", assigns=True
    ),
    "exec": Wrapper("-a", "-[cl]+"),
    "flock": Wrapper(
        "-w --wait --timeout -E --conflict-exit-code",
        "-[senoxuFv]+|--(?:shared|exclusive|nb|nonblock|close|unlock|no-fork|verbose)", positional=1,
    ),
    "ionice": Wrapper("-c --class -n --classdata", "-t|--ignore"),
    "nice": Wrapper("-n --adjustment", r"-\d+|--adjustment=-?\d+"),
    "nohup": Wrapper(),
    "rtk": Wrapper(),
    "setsid": Wrapper(flags="-[cfw]+|--ctty|--fork|--wait"),
    "stdbuf": Wrapper("-i -o -e", "--(?:input|output|error)=[A-Z0-9]+"),
    "sudo": Wrapper("-u -g -p -C -T -U -h -r -t", "-[nEHSbkKAPi]+|--(?:non-interactive|login)", assigns=True),
    "time": Wrapper("-f --format", "-[pvaq]+|--verbose|--portability|--append|--quiet"),
    "timeout": Wrapper("-s --signal -k --kill-after", "-v|--(?:preserve-status|foreground|verbose)", positional=1),
    "watch": Wrapper(
        "-n --interval -q --equexit",
        "-[bcCdefgprtwx]+|--(?:beep|(?:no-)?color|differences(?:=permanent)?|errexit|follow|chgexit|precise|exec"
        "|no-(?:rerun|title|wrap))",
        script=True,
    ),
    "xargs": Wrapper(
        "-a --arg-file -d --delimiter -E -I -L -n --max-args -P --max-procs -s --max-chars",
        "-[0rtxpo]+|--(?:null|no-run-if-empty|verbose|exit|interactive|open-tty)|--max-lines|--max-(?:args|lines|procs)=\\d+",
    ),
}
"""The programs that run the one behind their options. An option that is not here makes the call not plain."""
SSH: Final = Wrapper(
    "-B -b -c -D -e -i -J -L -l -m -O -p -Q -R -W -w", "-[46AaCfGgKkMNnqsTtVvXxYy]+", 1, script=True
)
STRIPPED: Final = frozenset({"nice", "nohup", "stdbuf", "time", "timeout"})
"""Wrappers that Claude Code leaves out before it compares a command with its rules; `xargs` without options, too."""
NEVER_BY_WILDCARD: Final = frozenset({"flock", "ionice", "setsid", "watch"})
"""Wrappers that Claude Code lets only a rule without a wildcard allow."""
UNCLEAR: Final = frozenset({
    "ansible", "at", "batch", "bind", "bwrap", "chroot", "chrt", "compgen", "complete", "coproc", "dbus-run-session",
    "enable",
    "chronic", "crontab", "ed", "emacs", "emacsclient", "entr", "ex", "expect", "fakeroot", "firejail", "gdb", "hash",
    "ltrace", "nsenter", "numactl", "nvim", "parallel", "pkexec", "proxychains", "runuser", "rview", "rvim", "screen",
    "script", "setarch", "setpriv", "sftp", "strace", "su", "systemd-run", "taskset", "torsocks", "unbuffer",
    "unshare", "xvfb-run",
})
"""Programs and keywords that run others in ways brim does not follow."""
RUNS: Final = {
    **dict.fromkeys(("ack", "ag", "bat"), "--pager --ackrc"),
    "cargo": "--config",
    "curl": "-K --config",
    **dict.fromkeys(("fd", "fdfind"), "-x -X --exec --exec-batch"),
    "git": "--exec --upload-pack --receive-pack --open-files-in-pager --extcmd --config-env --exec-path --ext-diff"
    " --template --sendmail-cmd --to-cmd --cc-cmd --header-cmd",
    "git clone": "-u",
    "git difftool": "-x -t --tool",
    "git grep": "-O",
    "git ls-remote": "-u",
    "git rebase": "-x",
    **dict.fromkeys(("gmake", "make"), "-f -I -E --eval --file --makefile --include-dir"),
    "go": "-exec -toolexec -vettool -overlay -modfile",
    "less": "+ -k -o -O -T --lesskey-src --lesskey-file --lesskey-content --log-file --LOG-FILE --tag-file",
    "man": "-P -H -C --pager --html --config-file",
    **dict.fromkeys(("mapfile", "readarray"), "-C"),
    "nmap": "--script",
    **dict.fromkeys(("npm", "pnpm"), "--script-shell --git"),
    "openssl": "-engine -provider -provider-path",
    "rg": "--pre --hostname-bin",
    "rsync": "-e -M --rsh --rsync-path --remote-option --config",
    "scp": "-S -o -F -J -D",
    "sort": "--compress-program",
    "split": "--filter",
    **dict.fromkeys(
        ("bsdtar", "gtar", "tar"),
        "-I -F -T --files-from --to-command --checkpoint-action --use-compress-program --rsh-command --rmt-command"
        " --info-script --new-volume-script",
    ),
    "tcpdump": "-z",
    **dict.fromkeys(("vi", "view", "vim"), "+ -c -S -s -u -U -W -w --cmd --startuptime"),
    "wget": "-e --execute --use-askpass --config",
    "zip": "-T -TT --test --unzip-command",
}
"""Options by which programs run others, or read their options from a file, by their manuals.

A beginning of a long one counts as well, as does a letter among others; `+` is any word that begins so.
"""
WRITES: Final = {
    "curl": "-o -D -c --output --dump-header --cookie-jar --trace --trace-ascii --stderr --etag-save --libcurl --hsts"
    " --alt-svc --output-dir",
    "git": "--output --output-directory",
    **dict.fromkeys(("git archive", "git bugreport", "git diagnose", "git format-patch", "git mailsplit"), "-o"),
    "git checkout-index": "--prefix",
    **dict.fromkeys(("git fast-export", "git fast-import"), "--export-marks --export-pack-edges"),
    "go": "-o",
    "pytest": "--junitxml --junit-xml --log-file --basetemp --report-log",
    "rsync": "-T --temp-dir --backup-dir --partial-dir --log-file --write-batch --only-write-batch",
    "sort": "-o --output",
    **dict.fromkeys(("bsdtar", "gtar", "tar"), "-g --listed-incremental --index-file --volno-file"),
    "tcpdump": "-w",
    "tree": "-o",
    "wget": "-O -o -P -a --output-document --output-file --append-output --directory-prefix --save-cookies"
    " --rejected-log --warc-file --hsts-file",
}
"""Options whose value is a file or folder that the program writes, by their manuals."""
FETCHES: Final = frozenset({"bsdtar", "curl", "go", "gtar", "pytest", "tar", "wget"})
"""Those that a rule for the program allows to write within the project; the others only look, but for that option."""
CODE: Final = {
    "psql": re.compile(r"\\\\(?:!|o|g|copy|w|s|i|e)|COPY\b.*\bPROGRAM\b", re.IGNORECASE),
    "sqlite3": re.compile(
        r"(?:\A|\s)\.(?:sh|sy|o|on|b|sa|a|c|d|e|im|l|r|w|x)[a-z]*\b|\b(?:load_extension|writefile|edit|readfile)\s*\(",
        re.IGNORECASE,
    ),
}
"""Code of programs that runs others or opens files; `sed` and `awk` are read by functions of their own."""
CODED: Final = frozenset({
    "awk", "deno", "gawk", "gsed", "jq", "lua", "mawk", "nawk", "node", "osascript", "perl", "php", "psql", "python",
    "python2", "python3", "Rscript", "ruby", "sed", "sqlite3", "yq",
})
"""Programs whose arguments may be code, in which a file may be named."""
INTERPRETERS: Final = {
    r"(?:i?python|pypy)[\d.]*": Interpreter(
        r"-[bBdEiIOPqRsSuvx]*c.*", "-W -X --check-hash-based-pycs",
        r"-[bBdEiIOPqRsSuvx]*m.*|-V+|-h|--(?:version|help.*)",
    ),
    r"perl[\d.]*": Interpreter(
        r"-[0-7acfgFilnpsStTuUwWxX.]*[eE].*|-[mM](?![\w:]+(?:=[\w:,]*)?\Z).*", "-I", "-v|-h|-V.*"
    ),
    r"j?ruby[\d.]*": Interpreter(r"-[0-7ailnpsSUvwWy.]*e.*", "-C -E -I -r", "-h|--(?:version|help)"),
    r"node|nodejs|bun|tsx|ts-node": Interpreter(
        r"-[ip]?[ep]|--(?:eval|print)(?:=.*)?", "-r --require --import -C --conditions --loader --env-file",
        r"-v|-h|-c|--(?:version|help|check|test)", "exec",
    ),
    "deno": Interpreter("(?!)", verbs="eval repl"),
    r"php[\d.]*": Interpreter(
        r"-[rRBE].*|--(?:run|process-(?:begin|code|end))(?:=.*)?", "-c -d -z",
        r"-[fSvimhl].*|--(?:file|version|ini|help).*",
    ),
    r"lua[\d.]*|luajit": Interpreter(r"-[iv]*e.*", "-l", "-v"),
    "R|Rscript": Interpreter("-e|--eval", ends="-f|--file=.*|--version|CMD"),
    "julia": Interpreter(r"-[eE].*|--(?:eval|print)(?:=.*)?", "-C -J -L -p -t", "-v|--version"),
    "osascript|groovy|scala|swift|racket|raku|ghc": Interpreter("-e.*|--eval.*", ends="-v|--version"),
    "elixir|iex|erl|clojure|clj|guile": Interpreter(
        "-c|-e|-eval|--eval|--rpc-eval|-run|-s", "-pa -r -l", "-v|--version"
    ),
    "pwsh|powershell": Interpreter(r"(?i:-(?:c|e).*)", ends=r"(?i:-f.*|-v.*)"),
    "tclsh[\\d.]*|wish": Interpreter("(?!)"),
}
"""Programs that run code of other languages, by expressions of their names. `awk` is read by a function of its own."""
NAMELESS_PROGRAMS: Final = frozenset({
    "", ":", "[", "[[", "alias", "break", "cd", "continue", "declare", "echo", "exit", "export", "false", "kill", "let",
    "local", "popd", "printf", "pushd", "pwd", "readonly", "return", "set", "shift", "sleep", "test", "true", "type",
    "typeset", "unset", "wait", "which",
})
"""Programs whose words are no files that they open."""
CHECKERS: Final = frozenset({"mypy", "py.test", "pyright", "pytest", "tsc", "source", ".", *SHELLS})
"""Programs that read the files that they are given, and run or check them."""
HOLDERS: Final = {
    "7z": "", "ack": "", "ag": "", "bsdtar": "", "cp": r" (?:-\w*[rRa]|--rec|--arc)", "diff": r" (?:-\w*r|--rec)",
    "git grep": r" --(?:no-i|unt)", "grep": r" (?:-\w*[rR]|--rec|--deref|-d|--dir)",
    "egrep": r" (?:-\w*[rR]|--rec|--deref|-d|--dir)", "fgrep": r" (?:-\w*[rR]|--rec|--deref|-d|--dir)",
    "gtar": "", "rg": "", "rsync": "", "scp": r" -\w*r", "tar": "", "zip": r" (?:-\w*r|--rec)",
}
"""Programs that read what is in a folder, and the options with which they do; empty where they need none."""
SHOWN_ONLY: Final = re.compile(r" (?:-\w*[.u]|--hid|--unr|--no-ig|-a|--all)")
"""Options without which `rg`, `ag` and `ack` pass over hidden files."""
UNPACKING: Final = {
    "7z": r" [ex] ", "bsdtar": r" -?\w*x| --(?:ext|get)", "cpio": r" (?:-\w*[ip]|--ext|--pass)",
    "git am": "", "git apply": "", "git clean": "", "git reset": r" --hard", "git stash": "",
    "gtar": r" -?\w*x| --(?:ext|get)",
    "patch": "", "tar": r" -?\w*x| --(?:ext|get)", "unzip": "",
}
"""Programs that write files which their arguments do not name, and the arguments with which they do."""
COPYING: Final = frozenset({"cp", "install", "rsync", "scp"})
"""Editors that only read all of their operands but the last."""
GIT_EDITS: Final = frozenset({"git checkout", "git clone", "git mv", "git restore", "git rm"})
GIT_RUNS: Final = re.compile(
    r"^git (?:bisect run|submodule foreach|filter-branch|send-email|hook|for-each-repo|daemon|instaweb|web--browse"
    r"|mergetool|merge-index|p4|remote-ext|svn|shell|cvsserver)\b|\bext::"
)
GIT_SAFE: Final = re.compile(
    r"(?:user\.(?:name|email)|color\.\w+|advice\.\w+|core\.(?:quotepath|abbrev|autocrlf|longpaths)"
    r"|init\.defaultbranch|commit\.gpgsign|diff\.noprefix|log\.\w+)\Z", re.IGNORECASE,
)
"""Settings of git that name no program; every other one may."""
STEERING: Final = re.compile(
    r"(?:PATH|IFS|ENV|SHELL|SHELLOPTS|PS[0-4]|PROMPT_COMMAND|CDPATH|HOME|ZDOTDIR|XDG_CONFIG_(?:HOME|DIRS)|BASH\w*"
    r"|(?:LD|DYLD|SSH)_\w+|GCONV_PATH|GIT_(?!(?:AUTHOR|COMMITTER)_|TERMINAL_PROMPT\Z|OPTIONAL_LOCKS\Z|PAGER\Z)\w+"
    r"|(?:\w+_)?(?:PAGER|EDITOR|BROWSER|ASKPASS)|VISUAL|LESS(?:OPEN|CLOSE|KEY\w*)|\w*[A-Z_]OPT(?:S|IONS)?|PERL5\w+"
    r"|RUBYLIB|PYTHON(?:STARTUP|HOME|BREAKPOINT)|RSYNC_\w+|CVS_RSH|RIPGREP_CONFIG_PATH|MAKEFLAGS|MAKEFILES|GOFLAGS"
    r"|RUSTC?_?WRAPPER|CARGO_\w+|NPM_CONFIG_\w+|npm_config_\w+)\Z"
)
"""Variables that say which programs run, or what code they load, by the manuals of bash, ld.so, git and the others."""
STILL: Final = re.compile(r"(?:\w*PAGER=(?:cat)?|\w*EDITOR=(?:true|:)?)\Z")
"""Values of them that run nothing."""
KEEPING: Final = frozenset({"bind", "compgen", "complete", "enable", "hash"})
"""Those of the unclear ones that note a command and do not run it."""
TELLERS: Final = frozenset({"gh", "glab", "hub", "say", "notify-send"})
"""Programs whose arguments with spaces are texts for people."""
RUN_WORDS: Final = frozenset({"dlx", "exec", "run", "x"})
"""Verbs behind which a program is given: `uv run`, `docker exec`, `yarn dlx`."""
LAUNCHERS: Final = frozenset({"bunx", "npx", "pipx", "pnpx", "uvx"})
READERS: Final = frozenset({
    "base64", "cat", "cmp", "comm", "cut", "diff", "du", "egrep", "fgrep", "file", "find", "grep", "head", "hexdump",
    "less", "ls", "more", "nl", "od", "rg", "sed", "sort", "stat", "strings", "tac", "tail", "tree", "uniq", "wc",
    "xxd", "zcat",
})
CODE_FIRST: Final = frozenset({"egrep", "fgrep", "grep", "gsed", "rg", "sed"})
"""Programs whose first operand is no file, unless an option gives their code."""
EDITORS: Final = frozenset({
    "chgrp", "chmod", "chown", "cp", "dd", "install", "ln", "mkdir", "mv", "rm", "rmdir", "rsync", "scp", "shred",
    "tee", "touch",
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
LOOPED: Final = re.compile(r"\b(?:for|select)\s+(PATH|IFS|ENV|SHELL|HOME|BASH_\w+|LD_\w+|GIT_\w+)\s")
"""A loop that sets a variable which says what programs run."""
ADDRESS: Final = re.compile(r"\"?https?://")
ENDED: Final = re.compile(r"[^./]+(?:\.[\w-]+)*\.[A-Za-z]{2,4}\Z")
"""The name of a file by its ending, which is taken for no folder."""
NAME_BREAK: Final = re.compile(r"[=@:,;<>!%^+#]")
CODE_BREAK: Final = re.compile(r"[\s'\"`(){}\[\];,<>|&=:$\\]+")
EXPANSION: Final = re.compile(r"\$\{[^}]*\}|\$\([^)]*\)|`[^`]*`|\$\w+|\$.|\{[^{}]*\}")
CLUSTER: Final = re.compile(r"-([A-Za-z0-9]*)")
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
FINDERS: Final = re.compile(r"-(?:exec|ok)(?:dir)?")
FD_RUNS: Final = re.compile(r"-[a-zA-Z]*[xX]|--exec(?:-batch)?")
IN_PLACE: Final = {
    "gsed": r" (?:-\w*i|--in)", "perl": r" -[0-7acFlnpswE]*i", "ruby": r" -[0-7acFlnpsw]*i",
    "sed": r" (?:-\w*i|--in)", "uniq": r" [^- ]\S* [^- ]", "xxd": r" (?:-\w*r|--?rev)", "yq": r" (?:-\w*i|--inp)",
}  # fmt: skip
"""Programs that change the files of their operands where they have these options."""
TEXT_OPTIONS: Final = frozenset({"-m", "--message", "-t", "--title", "-b", "--body", "--grep", "-S", "-G", "--author"})
"""Options of `git` and `gh` whose value is a text."""
MAX_VERB: Final = 3
"""Words in front of the verb by which a program runs another one, at most."""
QUIET: Final = (
    NAMELESS_PROGRAMS
    | READERS
    | EDITORS
    | EVALUATING
    | CHECKERS
    | frozenset(LOOKING)
    | CODED
    | MOVERS
    | RUNS.keys() - {"npm", "pnpm", "go", "cargo"}
)
"""Programs that do not run their arguments, but for the options that are asked about."""


FOUND: Final = re.compile(r"\{\}|\{\w*\}")
"""What `find` and `xargs` replace by the name of a file."""
DECLARING: Final = frozenset({"declare", "export", "local", "readonly", "typeset"})
SETTING: Final = frozenset({*DECLARING, "getopts", "let", "mapfile", "read", "readarray"})
RUNNERS: Final = frozenset({*WRAPPERS, *UNCLEAR, *SHELLS, "ssh"})


def odd_character(text: str) -> str:
    """The name of the first character that does not show what it is: a control, an invisible one, a foreign space."""
    for one in text:
        if one not in " \n\t" and unicodedata.category(one) in {"Cc", "Cf", "Cs", "Co", "Zs", "Zl", "Zp"}:
            return unicodedata.name(one, f"the control character U+{ord(one):04X}")
    return ""


def runs_of(script: str, *, stripping: bool = False) -> tuple[Run | File, ...]:
    """Every command that a script may run and every file that its commands name, in order (AGT_05).

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
        self._runs = MAX_RUNS
        self._names = MAX_NAMES
        """How many more are read."""

    def script(self, script: str, nested: int) -> Iterator[Run | File]:
        """Read a script. One that cannot be parsed is one command that is not plain."""
        odd = odd_character(script)
        long = len(script) > MAX_SCRIPT_CHARS
        skipped = odd or long or nested > MAX_NESTED or PROMPTED.search(script)
        commands = () if skipped else read_script(script, succeeds=False)
        if not commands:
            too_long = f"it is longer than {MAX_SCRIPT_CHARS:,} characters" if long else UNREAD
            yield _unclear(Run((script,)), f"it holds {odd}" if odd else too_long)
        elif looped := LOOPED.search(script):
            yield _unclear(Run((script,)), f"it sets {looped[1]}, which may say which program runs")
        for command in commands:
            if self._runs <= 0:
                yield _unclear(Run((script,)), f"it runs more than {MAX_RUNS:,} commands")
                return
            yield from self._command(command, nested)

    def _command(self, command: Command, nested: int) -> Iterator[Run | File]:
        if command.words or command.assigned:
            run = Run((command.source,), tuple(_readings(command)))
            steers = _steering(command.assignments)
            if steers:
                yield _unclear(run, steers)
            yield from self._words(run, command.words, nested, command)
        for operator, word in command.redirects:
            if not DESCRIPTOR.match(word.text):
                yield from self._files("edit" if operator in WRITING else "read", word, operator in WRITING)

    def _words(
        self, run: Run, words: Sequence[Word], nested: int, whole: Command | None = None
    ) -> Iterator[Run | File]:
        """Read a command by its words; `whole` where it is one of a script, and none that a wrapper runs."""
        program = basename(words[0].text) or words[0].text if words else ""
        self._runs -= 1
        if words and (not words[0].literal or not words[0].text.isascii()):
            yield _unclear(run, "it is not plain which program runs")
        elif nested > MAX_NESTED or self._runs <= 0:
            many = f"the script runs more than {MAX_RUNS:,} commands"
            yield _unclear(run, many if self._runs <= 0 else "its wrappers are nested too deep")
        elif program in WRAPPERS or program == "ssh":
            yield from self._wrapper(run, program, words, nested, assigned=bool(whole and whole.assigned))
        elif program in {*SHELLS, "ksh", "fish", "ash"}:
            yield from self._shell(run, words, nested, whole)
        elif program in {"eval", "trap", "alias"}:
            yield from self._builtin(run, program, words[1:], nested)
        elif program in {"find", "fd", "fdfind"}:
            yield from self._find(run, words, nested)
        elif program in {"busybox", "toybox"}:
            yield from self._inside(run, words[1:], nested)
        else:
            why = _why(program, words)
            run = replace(run, moves=program in MOVERS, inline=_runs_code(words))
            yield _unclear(run, why) if why else run
            for folder in _git_folders(words) if program == "git" else ():  # git runs the hooks that it finds there
                yield from self._files("read", folder, redirected=False)
            verb, arguments, _ = program_of(words)
            program = verb if program == "git" else program
            arguments = arguments if program == verb else words[1:]
            yield from self._operands(program, arguments)
            yield from self._written(program, arguments)
            yield from self._named(program, arguments, whole.here if whole else "")
            yield from self._held(program, arguments)
            yield from self._behind(program, words, nested)

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
        yield from self._before(run, program, words[: len(words) - len(inner or ())], inner)
        if program == "flock" and inner and inner[0].text in {"-c", "--command"}:
            inner, spec = inner[1:], replace(spec, script=True)
        if inner and inner[0].text.startswith("-"):
            inner = None
        run = replace(run, exact=program in NEVER_BY_WILDCARD)
        if inner is None:
            yield _unclear(run, f"it is not plain what {program} runs")
            yield from self._behind(program, words, nested, surely=True)
        elif not inner and program in {"sudo", "doas"}:
            yield _unclear(run, f"{program} may start a shell")
        elif inner and self._is_stripped(program, words, inner) and not assigned:
            peeled = _run_of(inner)
            yield from self._words(replace(peeled, readings=(*run.readings, *peeled.readings)), inner, nested + 1)
        elif program == "xargs" and inner and not _is_complete(inner):
            yield _unclear(run, "xargs adds the program that runs")
        else:
            yield from self._inside(run, inner, nested, script=spec.script)

    def _before(
        self, run: Run, program: str, words: Sequence[Word], inner: Sequence[Word] | None
    ) -> Iterator[Run | File]:
        """What a wrapper does by the words in front of the command: variables, files, and files from a pipe."""
        if steers := _steering(words[1:]):
            yield _unclear(run, steers)
        yield from self._named(program, words[1:], "")
        if program == "xargs" and inner and inner[0].text not in NAMELESS_PROGRAMS:
            yield from self._folder("either", Word("."), "all")

    def _is_stripped(self, program: str, words: Sequence[Word], inner: Sequence[Word]) -> bool:
        return self._stripping and (program in STRIPPED or (program == "xargs" and len(inner) == len(words) - 1))

    def _shell(self, run: Run, words: Sequence[Word], nested: int, whole: Command | None) -> Iterator[Run | File]:
        """A shell: the script of its option -c or of its here-document; a file is an argument like any other."""
        option, operand = _shell_script(words)
        yield from self._named("sh", [word for word in words[1:] if not (option and word is operand)], "")
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
        is_find = basename(texts[0]) == "find"
        option = FINDERS if is_find else FD_RUNS
        starts = [index for index, text in enumerate(texts) if option.fullmatch(text)]
        writes = [index for index, text in enumerate(texts) if is_find and text.startswith(("-fprint", "-fls"))]
        deletes = is_find and "-delete" in texts
        why = "" if is_find else _acting_option("fd", [one for n, one in enumerate(words) if n not in starts])
        if is_find and any(_may_be_option(one) for one in words[1:]):
            why = "a word of it may become an option that runs a program or writes a file"
        yield replace(_unclear(run, why) if why else run, exact=bool(starts or writes) or deletes)
        looked = words[1 : next((n for n, text in enumerate(texts) if n and re.match(r"[-(!]", text)), len(words))]
        looked = looked if is_find and looked else [Word(".")]
        for folder in looked if deletes else ():
            yield from self._files("edit", folder, redirected=True)
            yield from self._folder("edit", folder, "all")
        for index in writes:
            target = words[index + 1] if index + 1 < len(words) else Word("$", literal=False)
            yield from self._files("edit", target, redirected=True)
        for folder in looked if starts else ():
            yield from self._folder("either", folder, "all")
        yield from self._named("find", words[1:], "")
        for start in starts:
            end = next((index for index in range(start, len(texts)) if texts[index] in {";", "+"}), len(texts))
            inner = words[start + 1 : end]
            if not inner or "{" in inner[0].text:
                yield _unclear(run, f"it is not plain what {texts[0]} runs")
            else:
                yield from self._words(_run_of(inner), inner, nested + 1)

    def _written(self, program: str, arguments: Sequence[Word]) -> Iterator[File]:
        """The files that an option names and the program writes, and those that it writes without a name."""
        family = program.partition(" ")[0]
        names = f"{WRITES.get(family, '')} {WRITES.get(program, '') if family != program else ''}".split()
        for value in _values(arguments, names) if names else ():
            yield from self._files("edit", value, redirected=family not in FETCHES)
            yield from self._folder("edit", value, "written")
        acts = UNPACKING.get(program)
        if acts is not None and re.search(acts, " ".join(["", *(word.text for word in arguments), ""])):
            for word in [Word("."), *_values(arguments, ["-C", "-d", "--directory"])]:
                yield from self._folder("edit", word, "written")
        for word in (*_archives(program, arguments), *_made_by_git(program, arguments)):
            yield from self._files("edit", word, redirected=family not in FETCHES)

    def _held(self, program: str, arguments: Sequence[Word]) -> Iterator[File]:
        """The folders of which a program reads or changes what is in them."""
        options = " ".join(["", *(word.text for word in arguments if word.text.startswith("-"))])
        operands = [word for word in arguments if word.text and not word.text.startswith("-")]
        if program in EDITORS or program in GIT_EDITS:
            everything = re.search(r" (?:-\w*[rR]|--rec)", options)
            for word in _values(arguments, ["-t", "--target-directory"]):
                yield from self._folder("edit", word, "written")
            for word in operands[-1:] if program in COPYING else operands:
                yield from self._folder("edit", word, "all" if everything and program not in COPYING else "moved")
        acts = HOLDERS.get(program)
        if acts is None or not re.search(acts, options):
            return
        quiet = program in {"rg", "ag", "ack"} and not SHOWN_ONLY.search(options)
        coded = program in {"rg", "ag", "ack", "git grep", "grep", "egrep", "fgrep"}
        values = _values(arguments, ["-C", "--directory"]) if program in {"tar", "gtar", "bsdtar"} else []
        operands = operands[1:] if coded and not re.search(r" (?:-\w*[ef]|--reg|--file)", options) else operands
        if re.search(r" (?:-\w*T|--files-from|-@)", options):  # the names are in a file
            values = [*values, Word(".")]
        for word in [*operands, *values] or [Word(".")]:
            if not ENDED.match(basename(word.text)):
                yield from self._folder("read", word, "shown" if quiet else "all")

    def _folder(
        self, act: Literal["read", "edit", "either"], word: Word, holds: Literal["all", "shown", "moved", "written"]
    ) -> Iterator[File]:
        for file in self._files(act, word, redirected=False):
            yield replace(file, named=True, holds=holds, unclear="")

    def _named(self, program: str, arguments: Sequence[Word], here: str) -> Iterator[File]:
        """Every word that may name a file, whatever the program is: as it is, and behind `=`, `@`, `:` or an option."""
        if program in NAMELESS_PROGRAMS:
            return
        acting = LOOKING.get(program, LOOKING.get(f"{program} ", re.compile("")))
        text = " ".join(["", *(word.text for word in arguments)])
        looks = program in CHECKERS or (program in LOOKING and (acting is None or not acting.search(text)))
        edits = program in EDITORS or program in GIT_EDITS
        looks = looks or edits or (program in READERS and program not in LOOKING) or program in {"find", "tar", "gtar"}
        looks = looks or program.startswith("git ")
        words, skip = [], False
        for word in arguments:
            if not skip:
                words.append(word)
            skip = program.startswith(("git ", "gh")) and word.text in TEXT_OPTIONS
        pattern = words[:1] if program in CODE_FIRST and words and not words[0].text.startswith("-") else []
        for word in words[len(pattern) :]:
            if not word.literal and (program.startswith(("git ", "gh")) or ADDRESS.match(word.text)):
                continue
            names = dict.fromkeys(_names_in(word.text))
            yield from self._mention("read" if looks else "either", names, word.literal)
            if program in CODED and CODE_BREAK.search(word.text):
                for file in self._mention("either", dict.fromkeys(CODE_BREAK.split(word.text)), word.literal):
                    yield replace(file, perhaps=True)
        if here and program in CODED:
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

    def _behind(self, program: str, words: Sequence[Word], nested: int, *, surely: bool = False) -> Iterator[Run]:
        """The commands that the arguments of a program may be, for a program that may run its arguments."""
        if program in QUIET or program.startswith("git"):
            return
        surely = surely or program in LAUNCHERS or program in UNCLEAR - KEEPING
        found = 0
        for index in range(1, len(words)):
            word = words[index]
            name = basename(word.text)
            if found < MAX_SUFFIXES and program not in TELLERS and re.search(r"\s", word.text):
                found += 1
                text = word.text.partition("=")[2] if word.text.startswith("-") else word.text
                yield Run((text,), tuple(_segments(text)), behind="runs" if surely else "may run")
            if found < MAX_SUFFIXES and name and not word.text.startswith("-") and not ASSIGNMENT.match(word.text):
                found += 1
                behind: Literal["runs", "may run"] = "runs" if surely else "may run"
                inner = words[index:]
                if name in WRAPPERS or name in SHELLS or name in {"eval", "find", "busybox", "toybox", "ssh"}:
                    runs = [one for one in self._words(_run_of(inner), inner, nested + 1) if isinstance(one, Run)]
                else:
                    runs = [replace(_run_of(inner), inline=_runs_code(inner))]
                for run in runs:
                    yield replace(run, unclear="", exact=False, moves=False, behind=run.behind or behind)
            surely = surely or (word.text in RUN_WORDS and index <= MAX_VERB)

    def _operands(self, program: str, arguments: Sequence[Word]) -> Iterator[File]:
        """The files that the operands of a known program name; a change of the folder is followed."""
        if program == "popd" or (program in MOVERS and any(word.text == "-" for word in arguments)):
            self._lost = self._lost or program != "popd"
            return
        texts = " ".join(["", *(word.text for word in arguments)])
        edits = program in EDITORS or program in GIT_EDITS
        edits = edits or (program in IN_PLACE and re.search(IN_PLACE[program], texts) is not None)
        if program not in MOVERS and program not in READERS and not edits:
            return
        operands = [word for word in arguments if not word.text.startswith("-")]
        values = [Word(word.text.partition("=")[2], word.literal) for word in arguments if word.text.startswith("--")]
        operands += [word for word in values if word.text]
        coded = any(re.match(r"-[a-zA-Z]*[ef]|--(?:exp|regexp|file)", word.text) for word in arguments)
        if program in GIT_EDITS:
            operands = [word for word in operands if word.literal]
        if program in CODE_FIRST and not coded:
            operands = operands[1:]
        if program in {"uniq", "xxd"} and edits:
            operands = operands[1:]
        if program == "dd":
            operands = [Word(text[3:], plain) for text, plain in operands if text.startswith(("of=", "if="))]
        if program in MOVERS:
            operands = operands[:1] or [Word("~")]
        for number, word in enumerate(operands):
            copied = program in COPYING and number < len(operands) - 1
            yield from self._files(
                "edit" if edits and not copied else "read", word, redirected=program == "uniq" and edits
            )
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
    """What a wrapper runs; empty where it runs nothing, None where brim cannot tell."""
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
    if program in {"source", "."} and any(not word.literal or STDIN.match(word.text) for word in words[1:2]):
        return "the script that it reads is not plain"
    why = ""
    if program == "git":
        why = _why_git(words)
    elif program in EVALUATING or program in SETTING:
        why = _why_setting(program, words[1:])
    elif program in {"sed", "gsed"}:
        why = _why_sed(words)
    elif program in AWKS:
        why = _why_awk(words)
    elif program in {"make", "gmake"}:
        why = _steering(words[1:])
    elif program in CODE and any(CODE[program].search(word.text) or not word.literal for word in words[1:]):
        why = f"what {program} is given may run a program or open a file"
    return why or _acting_option(program, words)


TARS: Final = frozenset({"bsdtar", "gtar", "tar"})
OLD_VALUED: Final = "bfgCFHIKLNTVX"
"""Letters of tar that a value follows; behind letters without a dash the values come in the order of the letters."""
CHANGING: Final = re.compile(r" -?\w*[cruA]| --(?:create|append|update|(?:con)?catenate|delete)")


def _archives(program: str, arguments: Sequence[Word]) -> Iterator[Word]:
    """The archive that tar writes; one that is `-` is its output."""
    texts = [word.text for word in arguments]
    old = texts[0] if texts and re.fullmatch(r"[A-Za-z]+", texts[0]) else ""
    options = " ".join(["", *(text for n, text in enumerate(texts) if text.startswith("-") or (n == 0 and old))])
    if program not in TARS or not CHANGING.search(options):
        return
    valued = [letter for letter in old if letter in OLD_VALUED]
    bundled = [word for letter, word in zip(valued, arguments[1:], strict=False) if letter == "f"]
    yield from (word for word in (*bundled, *_values(arguments, ["-f", "--file"])) if word.text != "-")


def _made_by_git(program: str, arguments: Sequence[Word]) -> Iterator[Word]:
    """The file or the folder that `git bundle create` or `git worktree add` makes."""
    if (program, *(word.text for word in arguments[:1])) == ("git bundle", "create"):
        yield from arguments[1:2]
    elif (program, *(word.text for word in arguments[:1])) == ("git worktree", "add"):
        yield from (word for word in arguments[1:] if not word.text.startswith("-"))


def _runs_code(words: Sequence[Word]) -> bool:
    """Whether an interpreter runs code that is part of its command or of its input, and no file or module."""
    name = basename(words[0].text) if words else ""
    about = next((one for pattern, one in INTERPRETERS.items() if re.fullmatch(pattern, name)), None)
    if about is None:
        return False
    rest = iter(words[1:])
    for word in rest:
        text = word.text
        if re.fullmatch(about.code, text, re.DOTALL) or text == "-":
            return True
        if about.ends and re.fullmatch(about.ends, text, re.DOTALL):
            return False
        if text in about.valued.split():
            next(rest, None)
        elif not text.startswith("-"):
            return text in about.verbs.split() or STDIN.match(text) is not None or _may_be_option(word)
    return True


def _why_setting(program: str, words: Sequence[Word]) -> str:
    """Why a builtin that evaluates its words or sets variables may run something; empty where it does not."""
    if any((SUBSTITUTED if one.literal else QUOTED).search(one.text) for one in words):
        return "an argument of it may run a substitution"
    if program in DECLARING and any(re.match(r"-\w*n", one.text) for one in words):
        return f"{program} -n may set any variable"
    sets = words if program in SETTING or any(one.text.startswith("-v") for one in words) else ()
    return _steering(one if "=" in one.text else Word(f"{one.text}=x") for one in sets)


def _acting_option(program: str, words: Sequence[Word]) -> str:
    """Why an option may run a program; empty where none does."""
    verb = program_of(words)[0] if program == "git" else program
    names = f"{RUNS.get(program, '')} {RUNS.get(verb, '') if verb != program else ''}".split()
    if not names:
        return ""
    if any(_values(words[1:], names)) or (
        program in {"tar", "gtar", "bsdtar"} and len(words) > 1 and re.match(r"[a-zA-Z]*[IF]", words[1].text)
    ):
        return f"an option of {program} may run a program or write a file"
    valued = TEXT_OPTIONS if program == "git" else ()
    if any(_may_be_option(word) and before.text not in valued for before, word in pairwise(words)):
        return f"a word of {program} may become an option that runs a program"
    return ""


def _may_be_option(word: Word) -> bool:
    """Whether a word that is not literal may become an option: what is in front of its expansion may be empty."""
    begins = re.match(r"\"?(?:[$`{]|-.*[$`{*?\[])", word.text)
    return not word.literal and begins is not None and not FOUND.fullmatch(word.text)


def _values(words: Sequence[Word], names: Sequence[str]) -> list[Word]:
    """The values of the options with these names, each of which may be shortened or among other letters."""
    long = [name for name in names if name.startswith("--")]
    single = [name for name in names if not name.startswith("--") and len(name) > 2]  # noqa: PLR2004  "-exec"
    letters = {name[1] for name in names if len(name) == 2 and name[0] == "-"}  # noqa: PLR2004
    found = []
    for index, (text, literal) in enumerate(words):
        name, equals, value = text.partition("=")
        after = words[index + 1] if index + 1 < len(words) else Word("", literal=False)
        if "+" in names and text.startswith("+"):
            found.append(Word(text, literal))
        elif name.startswith("--") and len(name) > 2:  # noqa: PLR2004
            if any(one.startswith(name) for one in long) or any(one == name[1:] for one in single):
                found.append(Word(value, literal) if equals else after)
        elif text.startswith("-"):
            if name in single:
                found.append(Word(value, literal) if equals else after)
                continue
            cluster = CLUSTER.match(text)
            at = next((n for n, one in enumerate(cluster[1]) if one in letters), None) if cluster else None
            if at is not None:
                found.append(Word(text[at + 2 :], literal) if text[at + 2 :] else after)
    return found


def _steering(assignments: Iterable[Word]) -> str:
    """Why assignments may change what programs run; empty where they do not."""
    for text, literal in assignments:
        name = re.match(r"\w+(?=[\[+=])", text)
        if name and STEERING.match(name[0]) and not (literal and STILL.match(text)):
            return f"it sets {name[0]}, which may say which program runs"
    return ""


def _names_in(text: str) -> Iterator[str]:
    """What may be the name of a file in a word: all of it, and what is behind an option's letter or a sign."""
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


SED_SAFE_OPTION: Final = re.compile(
    r"-[nErsuzi]+(?:\.\w+)?|-i[^\s/]*|--(?:quiet|silent|regexp-extended|in-place(?:=[^/]*)?|separate|unbuffered|null-data|posix"
    r"|sandbox|debug|help|version)"
)


@lru_cache(maxsize=1)
def _sed_script() -> re.Pattern[str]:
    """The expression of code for sed that neither runs a program nor opens a file; by the manual of GNU sed."""

    def between(sign: str) -> str:
        return rf"(?:\\.|\[\^?\]?[^\]\\{sign}\n]*+\]|[^\\\[{sign}\n])*+"

    signs = [re.escape(sign) for sign in "/|#,@:!%~_;+"]
    address = rf"(?:\d+(?:~\d+)?|\$|/{between('/')}/[IM]*)"
    replacement = "|".join(rf"s{one}{between(one)}{one}(?:\\.|[^\\{one}])*+{one}[gpiIm0-9]*+" for one in signs)
    letters = r"y/(?:\\.|[^\\/])*+/(?:\\.|[^\\/])*+/"
    plain = r"[pdDPqQgGhHxnNlz=]|[qQ]\d+|[btT:] *\w*|\#[^\n]*|[aic](?: |\\)[^\n\\]*(?:\\.[^\n\\]*)*"
    command = f"(?:{replacement}|{letters}|{plain})"
    whole = rf"(?:[\s;{{}}]|(?:{address}(?:,(?:{address}|[+~]\d+))?[ ]*!?[ ]*)?(?:{command}[ ]*(?=[;}}\n]|\Z)|\{{))*+"
    return re.compile(whole, re.DOTALL)


def _why_sed(words: Sequence[Word]) -> str:
    """Why code for sed may run a program or open a file; empty where it does not."""
    why = "what sed is given may run a program or write a file"
    scripts: list[Word] = []
    operands: list[Word] = []
    rest = iter(words[1:])
    for word in rest:
        text = word.text
        if text in {"-e", "-ne", "-En", "-nE", "-Ee", "-ie", "--expression"} and text.endswith(("e", "expression")):
            scripts.append(next(rest, Word("")))
        elif text.startswith("--expression="):
            scripts.append(Word(text.partition("=")[2], word.literal))
        elif re.fullmatch(r"-[nErsuz]+e", text):
            scripts.append(next(rest, Word("")))
        elif text == "" or not text.startswith("-") or text == "-":
            operands.append(word)
        elif text != "--" and not SED_SAFE_OPTION.fullmatch(text):
            return why
    scripts = scripts or operands[:1]
    for script in scripts:
        text = (
            script.text if script.literal else SAFE_EXPANSION.sub("1", script.text.removeprefix('"').removesuffix('"'))
        )
        if (
            not script.literal and re.search(r"[$`]\W|[$`]\Z|`", re.sub(r"\$(?=[pd!,{/;]|\Z)", "", text))
        ) or not _sed_script().fullmatch(text):
            return why
    return ""


SAFE_EXPANSION: Final = re.compile(r"\$\{\w+\}|\$[A-Za-z_]\w*|\$\(\([^()]*\)\)")
AWKS: Final = frozenset({"awk", "gawk", "mawk", "nawk"})
AWK_VALUE: Final = re.compile(r'\w+="\$\{?\w+\}?"')
"""A value of the option -v that stays one word, whatever its variable holds."""
AWK_UNSURE: Final = re.compile(r'#[^\n]*"|/(?:\\.|[^/\\\n])*"(?:\\.|[^/\\\n])*/')
AWK_STRING: Final = re.compile(r'"(?:\\.|[^"\\])*"', re.DOTALL)
AWK_ACTS: Final = re.compile(
    r"system|getline|@|ARGV|ARGC|\bprintf?\b.*(?:>|(?<!\|)\|(?!\|))|\|&|\binplace\b", re.DOTALL
)
AWK_SAFE_OPTION: Final = re.compile(
    r"-F.*|-v.*|-e|-[bcPrnOtSk]|--(?:field-separator|assign|source|posix|traditional|re-interval|sandbox|csv|version)(?:=.*)?",
    re.DOTALL,
)


def _why_awk(words: Sequence[Word]) -> str:
    """Why code for awk may run a program or open a file; empty where it does not."""
    why = "what awk is given may run a program or write a file"
    code = next((n for n, word in enumerate(words) if n and not _is_awk_option(words, n)), len(words))
    if any(not word.literal and not AWK_VALUE.fullmatch(word.text) for word in words[1 : code + 1]):
        return why
    for word in words[1:]:
        text = word.text.replace("\\\n", "")
        if text.startswith("-") and text not in {"-", "--"} and not AWK_SAFE_OPTION.fullmatch(text):
            return why
        kept = _without_strings(text)
        if kept is None or AWK_ACTS.search(kept):
            return why
    return ""


def _is_awk_option(words: Sequence[Word], index: int) -> bool:
    """Whether a word of awk is an option or the value of one, and not its code."""
    text, before = words[index].text, words[index - 1].text
    valued = before in {"-F", "-v", "--field-separator", "--assign"}
    return valued or (text.startswith("-") and text != "-")


def _without_strings(code: str) -> str | None:
    """Code for awk without the texts of its strings; None where a quotation mark may be part of something else."""
    kept, at = [], 0
    while at < len(code):
        found = AWK_STRING.match(code, at)
        if found:
            kept.append('""')
            at = found.end()
            continue
        if code[at] in "/#" and AWK_UNSURE.match(code, at):
            return None
        kept.append(code[at])
        at += 1
    return "".join(kept)


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
    if verb == "git config" and named[:1] == ["set"]:
        named = named[1:]
    shows = named[:1] == ["get"] or named == ["list"]
    if verb == "git config" and len(named) > 1 and not shows and not GIT_SAFE.match(named[0]):
        return f"the setting {named[0]} of git may name a program"
    if GIT_RUNS.search(" ".join([verb, *options])) or any("ext::" in text for text in texts):
        return "git runs a program that its arguments name"
    return ""
