"""Permissions: what holds for every command, and how rules are read from files."""

import csv
import json
from itertools import product
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brim.agents.permissions import Decision, Place, Rule, decide, input_of, kind_of, match_pattern, read_permissions
from brim.errors import InvalidInput
from brim.portable.operations import perform
from steps.agents.permissions import READ, listed, written
from steps.prerequisites import sized

FOLDER = Path(__file__).parent
PLACE = Place("/project", home="/home/user", resolve=lambda path: path)
CLAUDE = read_permissions("claude-code", {"allow": ["Bash(pytest *)"], "deny": ["Bash(curl *)"]}).rules
OPEN = read_permissions("opencode", {"*": "allow", "bash": {"*": "allow", "rm *": "deny"}}).rules
STYLES = ("claude-code", "opencode")
SETS = json.loads((FOLDER / "rule_sets.json").read_text())
"""Rules of real users in both styles (careful, broad, middle), and those of the commands below."""


RULES = {
    (name, style): read_permissions(style, rules).rules for name, one in SETS.items() for style, rules in one.items()
}


def table(name):
    """The rows of a file of this folder; {U+000A} stands for a line break."""
    with (FOLDER / name).open(newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def judged(rules: tuple[Rule, ...], command: str, style="claude-code") -> Decision:
    """The decision about a shell command."""
    return decide(style, rules, "Bash", {"command": command}, place=PLACE)


@pytest.mark.parametrize("row", table("permission_rows.tsv"), ids=lambda row: row["description"])
def test_each_row_has_its_verdict(row):
    """Rules of OpenCode and of Claude Code, and uses of tools: the corpus of features/agents/permissions.feature."""
    about = {"mode": row["mode"], "directory": row["directory"]}
    if row["caller"]:
        about["callers"] = [READ[row["style"]](listed(one)) for one in row["caller"].split(" || ")]
    if row["link"]:
        about["links"] = dict([row["link"].split(" -> ")])
    rules, subject = READ[row["style"]](listed(row["rules"])), written(row["subject"])
    use = {"style": row["style"], "rules": rules, "tool": row["tool"], "subject": subject}
    use |= {name: value for name, value in about.items() if value}
    assert perform("evaluate_permission", use) == row["verdict"]


@pytest.mark.parametrize("row", table("pattern_rows.tsv"), ids=lambda row: row["description"])
def test_a_pattern_of_opencode_matches(row):
    """The corpus of the same feature for patterns."""
    assert match_pattern(row["pattern"], written(row["text"])) is (row["matches"] == "yes")


@pytest.mark.parametrize("row", table("permission_commands.tsv"), ids=lambda row: row["command"])
def test_each_command_has_its_verdict(row):
    """Commands that run programs, read and write files or hide either, and commands of every day."""
    for style in STYLES:
        assert judged(RULES[row["rules"], style], written(row["command"]), style).action == row[style]


HIDDEN = ("git push origin", "git push", "cat .env; git push", "true && git push -q")
"""What each text of the kinds below hides: a program that a rule denies."""
HERE = ("cat", "cat -n", "git commit -F -", "tee a.txt", "grep x", "cat > a.txt", "wc -l; cat")
BODIES = ("`{}`", "Fix `{}` now", "a\n`{}`\nb", "${{x:-`{}`}}", "$(echo `{}`)")
OPERATORS = ("#", "##", "%", "%%", "^", "^^", ",", ",,", "/a/", "//a/", ":-", ":=", ":+", "=", "-")
EVALUATING = (
    "for x in 'a[{}]'; do echo $((x)); done", "declare -i x='a[{}]'", "set -- 'a[{}]'; echo $(($1))",
    "x='a[{}]'; echo $((x + 1))", "x='a[{}]'; ((x++))", "let 'x=a[{}]'", "[[ 'a[{}]' -eq 0 ]]",
    "x='a[{}]'; [[ x -gt 1 ]]", "A=1 let 'a[{}]'", "time let 'a[{}]'", "git=1; push=1; echo $(( 'a[{}]' ))",
    "x='a[{}]'; echo ${{y:x}}", "x='a[{}]'; echo ${{y[x]}}", "unset 'a[{}]'", "printf -v 'a[{}]' x", "test -v 'a[{}]'",
    "read x <<< 'a[{}]'; echo $((x))", "x='a[{}]'; for ((i=x; i<1; i++)); do ls; done", "typeset -i x; x='a[{}]'",
)  # fmt: skip
"""Kind 3: texts in quotation marks that a shell evaluates."""
EARLY = ("--namespace x", "--attr-source HEAD", "--super-prefix x", "--shallow-file x", "--list-cmds x", "--x y")
ENDS = (
    "push origin",
    "push",
    "push -q",
    "-C sub push",
    "--no-pager push",
    "push origin main",
    "push --tags",
    "push -u o",
)
BETWEEN = ("--quiet", "-q", "--recursive", "--quiet --recursive", "-q --cached", "--x y")
RUNNING = (
    "git submodule {} foreach git push", "git submodule {} foreach 'git push'", "git bisect {} run git push",
    "git {} filter-branch --tree-filter 'git push'", "sudo {} env git push",
    "xargs {} git push", "sudo {} git push", "find . {} -exec git push ;",
    "find {} . -execdir git push +",
    "find . {} -ok git push ;",
)  # fmt: skip
EXPANDING = (
    "p{ush,}", "push{,}", "pu${x}sh", "pus?", "p*", "pu[s]h", "$x", "${x}", "${x:-push}", "$(echo push)", "`echo push`",
    '"$x"', "{push,}", "pu$x", "p'us'?",
)  # fmt: skip
ADDING = (
    "echo push origin | xargs {}", "xargs -I{{}} {} {{}} origin", "xargs -n1 {}", "xargs -0 {}", "fd x -x {} {{}}",
    "find . -exec {} {{}} +", "parallel {} ::: push", "xargs env {}", "echo push | xargs {} -C sub", "ls | xargs -r {}",
    "find . -execdir {} {{}} ;", "fd --exec {} {{}}", "xargs -a x {}", "xargs -L 1 {} -c a.b=c", "xargs sh -c '{} $0'",
)  # fmt: skip
KINDS = {
    1: [f"{one} <<E\n{body.format(what)}\nE" for one, body, what in product(HERE, BODIES, HIDDEN)],
    2: [f"echo {a}${{x{one}$({what})}}{a}" for a, one, what in product(("", '"'), OPERATORS, HIDDEN)],
    3: [one.format(f"$({what})") for one, what in product(EVALUATING, HIDDEN)],
    4: [f"git {one} {end}" for one, end in product((*EARLY, "-c a.b=c --namespace x", "--namespace=x --x y"), ENDS)],
    5: [one.format(option) for one, option in product(RUNNING, BETWEEN)],
    6: [f"{git} {one} {end}".strip() for git, one, end in product(("git", "git -C a"), EXPANDING, ("", "origin"))],
    7: [one.format(git) for one, git in product(ADDING, ("git", "/usr/bin/git", "'git'", "git --no-pager"))],
}
"""Seven ways to hide a command, at least 60 texts of each."""


@pytest.mark.parametrize("kind", KINDS)
def test_a_text_that_hides_a_command_is_not_allowed(kind):
    """Neither under a rule for each program that shows, nor under one for all commands and one that denies it."""
    texts = KINDS[kind]
    assert len(set(texts)) >= 60
    programs = ("cat *", "echo *", "git commit *", "git bisect *", "git submodule *", "grep *", "wc *")
    for style in STYLES:
        broad = {"deny": ["Bash(git push *)"], "allow": ["Bash"]}
        narrow = {"allow": [f"Bash({one})" for one in programs]}
        if style == "opencode":
            broad = {"*": "allow", "bash": {"*": "allow", "git push *": "deny"}}
            narrow = {"*": "allow", "bash": {"*": "ask"} | dict.fromkeys(programs, "allow")}
        for value in (broad, narrow):
            rules = read_permissions(style, value).rules
            assert [one for one in texts if judged(rules, one, style).action == "allow"] == []


WORDS = r"""
a rm git push -rf --force $x ${x} ${x#$(y)} $(y) `y` $((x))
' " \ ( ) { } [[ ]] ; ;; & && | || |& ! < > << <<E <<'E' <<-E
<<< >( <( # E if then else fi for in do done while case esac function time xargs sudo env bash -c eval find -exec + {}
{a,b} * ? ~ = x=1 a[1]=2 declare -i cd .. .env /etc/x
"""
PIECES = st.sampled_from([*WORDS.split(), "\n", "\nE\n", "é", "\u00a0", "\0", "\ud800"])
"""Pieces of shell scripts, of which most put together are none."""


@pytest.mark.timeout(3_600)
@settings(max_examples=sized(300, nightly=50_000))
@given(st.lists(PIECES, max_size=24), st.sampled_from([" ", "", "\n"]), st.sampled_from(["careful", "broad", "middle"]))
def test_every_script_has_a_verdict(pieces, between, name):
    """Whatever is put together, `decide` says something and never raises."""
    for style in STYLES:
        decision = judged(RULES[name, style], between.join(pieces), style)
        assert decision.action in {"allow", "ask", "deny"}
        assert "brim cannot read it" not in decision.reason


def test_what_raises_is_asked_about(monkeypatch):
    """A reader that fails allows nothing, whatever the mode."""

    def fail(*_arguments, **_named):
        raise IndexError

    monkeypatch.setattr("brim.agents.permissions.runs_of", fail)
    assert (judged(OPEN, "ls", "opencode").action, judged(CLAUDE, "pytest").action) == ("ask", "ask")
    assert judged(OPEN, "ls", "opencode").reason == "brim cannot read it: IndexError"
    assert decide("opencode", OPEN, "Bash", {"command": "ls"}, place=PLACE, mode="dontAsk").action == "deny"
    assert decide("opencode", OPEN, "Bash", {"command": "ls"}, place=PLACE, mode="bypassPermissions").action == "ask"


SPELLINGS = [
    ("rm -rf *", "rm -rf x; rm -fr x; rm -r -f x; rm -Rf x; rm -rfv x; rm x -rf; rm -f x -r; /bin/rm -fr x", "deny"),
    ("rm -rf *", "rm --recursive --force x; rm -r --force x; rm $X y; rm -f $X; rm --verbose x", "ask"),
    ("rm -rf *", "rm -f x; rm -r x; rm x; rm -- -rf; rm *.pyc; rm 'a -rf'", "allow"),
    ("git push --force *", "git push --force o; git push origin main --force; git -C x push o --force", "deny"),
    ("git push --force *", "git push -f; git push origin -f; git push --force-with-lease; git push --forc o", "ask"),
    ("git push --force *", "git push; git push -u origin main; git commit -m 'push --force'; git stash push", "allow"),
    ("git push --force", "git push --force", "deny"),
    ("git push --force", "git push origin --force; git push -f", "ask"),
    ("git reset --hard *", "git reset HEAD~1 --hard; git -C x reset --hard; git reset -q --hard", "deny"),
    ("git reset --hard *", "git reset $X; git $X --hard; git --namespace x reset --hard", "ask"),
    ("git reset --hard *", "git reset HEAD~1; git log --oneline; git reset", "allow"),
    ("git branch -D *", "git branch -D x; git branch -q -D x; git branch -Dq x", "deny"),
    ("git branch -D *", "git branch --delete --force x", "ask"),
    ("git branch -D *", "git branch -d x; git branch", "allow"),
    ("git checkout -- *", "git checkout -- a; git checkout -q -- a", "deny"),
    ("git checkout -- *", "git checkout main; git checkout -b x", "allow"),
    ("kubectl delete *", "kubectl delete pod x; kubectl --context=a delete x", "deny"),
    ("kubectl delete *", "kubectl -n prod delete pod x", "ask"),
    ("kubectl delete *", "kubectl get delete; kubectl get pods", "allow"),
    ("kubectl delete -n prod *", "kubectl delete pod x -n prod", "deny"),
    ("kubectl delete -n prod *", "kubectl -n prod delete pod x; kubectl delete pod x --namespace=prod", "ask"),
    ("kubectl delete -n prod *", "kubectl delete pod x -n dev", "allow"),
    ("curl -X POST *", "curl https://x -X POST", "deny"),
    ("curl -X POST *", "curl -XPOST x", "ask"),
    ("curl -X POST *", "curl https://x", "allow"),
    ("*rm -rf*", "rm -fr x; rm -r -f x", "deny"),
    ("make deploy-prod*", 'make deploy-"$ENV"', "ask"),
]  # fmt: skip


@pytest.mark.parametrize(("rule", "commands", "verdict"), SPELLINGS)
def test_a_rule_holds_for_another_spelling_of_its_options(rule, commands, verdict):
    """In another order, group or place it denies; what may be one of them, such as a long option, is asked about."""
    for style in STYLES:
        value = {"allow": ["Bash"], "deny": [f"Bash({rule})"]}
        value = {"*": "allow", "bash": {"*": "allow", rule: "deny"}} if style == "opencode" else value
        rules = read_permissions(style, value).rules
        assert {one: judged(rules, one, style).action for one in commands.split("; ")} == dict.fromkeys(
            commands.split("; "), verdict
        )


WRAPPERS = (
    "env A=1 ",
    "timeout 5 ",
    "sudo ",
    "nice -n 5 ",
    "nohup ",
    "xargs ",
    "command ",
    "A=1 ",
    "stdbuf -oL ",
)
SHELLS = (
    "bash -c '{}'",
    "eval '{}'",
    "({})",
    "{{ {}; }}",
    "echo $({})",
    "echo `{}`",
    "if true; then {}; fi",
    "f() {{ {}; }}",
)
LISTS = (
    "ls; {}",
    "ls && {}",
    "ls\n{}",
    "ls | {}",
    "{} &",
    "ls || {}",
    "! {}",
    "while {}; do ls; done",
    "cat <<E\n$({})\nE",
)


@given(
    st.sampled_from(LISTS),
    st.one_of(st.just("{}"), st.sampled_from(SHELLS)),
    st.lists(st.sampled_from(WRAPPERS), max_size=3),
)
def test_what_is_denied_is_denied_wherever_it_stands(place, shell, wrappers):
    """A command that a rule denies is denied behind any wrapper, in any shell and at any place of a list."""
    inner = shell.format("".join(wrappers) + "rm -rf x")
    assert judged(OPEN, place.format(inner), "opencode").action == "deny"


@given(st.text())
def test_no_text_allows_a_command_without_a_rule(text):
    """Whatever stands behind an allowed command, a program that no rule allows is not allowed."""
    decision = judged(CLAUDE, f"pytest {text}\nmake install")
    assert decision.action != "allow"


@given(st.text(max_size=50), st.sampled_from(["claude-code", "opencode"]))
def test_every_command_has_a_verdict(text, style):
    """No text makes the evaluator fail, and nothing is allowed without a rule unless it runs nothing."""
    rules = () if style == "opencode" else CLAUDE[1:]
    assert judged(rules, text, style).action in {"ask", "allow"}


PIECES = [
    *(("", piece, "") for piece in ("(", "{", "$(", "`", "a;", "env ", "sudo ", "'", "a=", "<<E\n", "cd a;", "x > y ")),
    *(("", piece, "") for piece in ("bash -c ", "\u00a0", "A=1|")),
    ("awk '", "printf ", "'"),
    ("bash -", "c", "!"),
    ("echo '", "${", "'"),
    ("declare -", "i", ""),
]
"""What a command begins with, what it repeats, and what it ends with."""


@pytest.mark.nightly
@pytest.mark.parametrize(("opening", "piece", "closing"), PIECES)
def test_a_long_command_takes_time_in_proportion(opening, piece, closing):
    """Four times the text takes at most some four times as long."""

    def seconds(count: int) -> float:
        start = process_time()
        judged(CLAUDE, opening + (piece * count)[: count - 20] + closing)
        return process_time() - start

    seconds(100)
    assert seconds(20_000) <= 8 * seconds(5_000) + 0.2


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("style", "rule", "tool", "subject"),
    [
        ("opencode", "*a" * 30 + "b", "Bash", "x" + "a" * 20_000),
        ("claude-code", f"Bash({'*a' * 30}b)", "Bash", "x" + "a" * 20_000),
        ("claude-code", f"Read({'*a' * 1_000}b)", "Read", "a" * 4_000),
        ("claude-code", f"Read({'*a*/' * 500}b)", "Read", "aa/" * 1_300),
        ("claude-code", f"Read({'**/a/' * 500}b)", "Read", "a/" * 2_000),
        ("claude-code", f"Read({'**/*a*/' * 500}b)", "Read", "aa/" * 1_300),
        ("claude-code", f"Read({'[' * 9_000})", "Read", "a" * 4_000),
        ("claude-code", f"WebFetch(domain:{'*a' * 1_000}b)", "WebFetch", "https://" + "a" * 20_000),
        ("claude-code", f"WebFetch(domain:*.{'*a.' * 1_000}b)", "WebFetch", "https://" + "a." * 20_000),
        ("claude-code", f"mcp__a__{'*a' * 1_000}b", "mcp__a__" + "a" * 20_000, ""),
    ],
)
def test_many_stars_take_time_in_proportion(style, rule, tool, subject):
    """A pattern with many stars is compared without trying every way to share the text out among them."""
    read = {"bash": {rule: "allow"}} if style == "opencode" else {"allow": [rule]}
    rules = read_permissions(style, read).rules
    start = process_time()
    assert decide(style, rules, tool, input_of(tool, subject), place=PLACE).action == "ask"
    assert process_time() - start < 5


@pytest.mark.nightly
@pytest.mark.parametrize("piece", ["x a b c; ", "uv run env env sh -c ", "x a,b=c:d ", "ls | ", "cd d; x abc abc "])
def test_rules_for_files_and_programs_take_time_in_proportion(piece):
    """Also where each word is compared with them, in each folder that it may be in."""
    rules = read_permissions("claude-code", SETS["denying"]["claude-code"]).rules
    length = 20_000
    start = process_time()
    judged(rules, (piece * length)[:length])
    assert process_time() - start < length / 4_000


def test_a_script_that_is_too_long_is_asked_about():
    """With the reason; what a rule denies in it stays denied."""
    decision = judged(OPEN, "ls; " * 20_000, "opencode")
    assert (decision.action, decision.reason) == ("ask", "it is longer than 20,000 characters")
    assert judged(OPEN, "ls; " * 20_000 + "rm x", "opencode").action == "deny"
    many = judged(OPEN, "ls\n" * 3_000, "opencode")
    assert (many.action, "more than 2,000 commands" in many.reason) == ("ask", True)


def test_a_decision_names_its_rule_and_the_part_of_the_command():
    """With the text of the rule, where it is from, and which command it is about."""
    text = json.dumps({"permissions": {"deny": ["Bash(curl *)"]}}, indent=2)
    rules = read_permissions("claude-code", json.loads(text)["permissions"], origin="s.json", text=text).rules
    decision = judged(rules, "ls; curl x")
    assert (decision.action, decision.part) == ("deny", "curl x")
    assert decision.rule == Rule("deny", "Bash", "curl *", "deny Bash(curl *)", "s.json:4")


@pytest.mark.parametrize(
    ("style", "value", "says"),
    [
        ("opencode", 1, "permission is 1; it is an action or a table of permissions"),
        ("opencode", {"bash": "alow"}, "the permission bash is 'alow'; it is one of allow, ask, deny"),
        ("opencode", {"bash": {"rm *": True}}, "the permission bash 'rm \\*' is True"),
        ("opencode", {"bash": {"": "ask"}}, "the permission bash has the pattern ''; write \\* for all"),
        ("opencode", {" ": "ask"}, "a permission is called ' '"),
        ("opencode", {"bash": {"rm\u00a0*": "deny"}}, "the permission bash has a pattern with NO-BREAK SPACE"),
        ("claude-code", [], "permissions is \\[\\]; it is a table"),
        ("claude-code", {"allow": "Bash"}, "permissions.allow is 'Bash'; it is a list of rules"),
        ("claude-code", {"allow": ["Bash(ls"]}, "the rule 'Bash\\(ls' does not parse"),
        ("claude-code", {"allow": [1]}, "the rule 1 does not parse"),
        ("claude-code", {"deny": ["Bash()"]}, "the rule 'Bash\\(\\)' names nothing in its brackets; write Bash"),
        ("claude-code", {"deny": ["Bash(rm\u00a0*)"]}, "holds NO-BREAK SPACE"),
        ("claude-code", {"deny": [f"Bash({'a' * 10_000})"]}, "has more than 10,000 characters; shorten it"),
        ("opencode", {"bash": {"a" * 10_000: "deny"}}, "the permission 'bash' has more than 10,000 characters"),
    ],
)
def test_a_rule_that_cannot_be_is_named(style, value, says):
    """With what it is, what it should be, and the file that it is from."""
    with pytest.raises(InvalidInput, match=f"^p.json.*{says}"):
        read_permissions(style, value, origin="p.json", text=json.dumps(value))


def test_an_unknown_style_and_a_tool_without_a_name_are_refused():
    """Before anything is compared."""
    with pytest.raises(InvalidInput, match="there is no style 'codex'"):
        decide("codex", (), "Bash", {}, place=PLACE)
    with pytest.raises(InvalidInput, match="there is no permission mode 'plans'; did you mean plan"):
        decide("opencode", (), "Bash", {}, place=PLACE, mode="plans")
    with pytest.raises(InvalidInput, match="the tool has no name"):
        decide("opencode", (), "", {}, place=PLACE)


@pytest.mark.parametrize(
    ("tool", "given", "kind"),
    [
        ("run_terminal_cmd", {}, "bash"),
        ("str_replace_editor", {"command": "view", "path": "a"}, "read"),
        ("str_replace_editor", {"command": "create", "path": "a"}, "edit"),
        ("move_file", {}, "edit"),
        ("mcp__files__write_file", {}, "mcp__files__write_file"),
        ("TodoWrite", {}, "todowrite"),
        ("Task", {}, "task"),
        ("Strange", {}, "Strange"),
    ],
)
def test_a_tool_is_known_by_what_it_does(tool, given, kind):
    """Of any agent, by the table of tools; a tool of an MCP server by its name."""
    assert kind_of(tool, given) == kind


def test_every_file_of_a_use_counts():
    """A patch names several files, and a file that is moved has two places."""
    rules = read_permissions("opencode", {"edit": {"*": "allow", "secret/*": "deny"}}).rules
    patch = "*** Begin Patch\n*** Update File: a.py\n*** Delete File: secret/b.py\n*** End Patch"
    assert decide("opencode", rules, "apply_patch", {"patchText": patch}, place=PLACE).action == "deny"
    moved = {"source": "a.py", "destination": "secret/a.py"}
    assert decide("opencode", rules, "move_file", moved, place=PLACE).action == "deny"
    assert decide("opencode", rules, "apply_patch", {"patchText": "nothing"}, place=PLACE).action == "ask"


def test_a_parameter_of_a_rule_is_compared_with_the_input():
    """Rules that ask or deny may name a field of the input and its value."""
    rules = read_permissions("claude-code", {"allow": ["Bash"], "deny": ["Bash(run_in_background:true)"]}).rules
    given = {"command": "ls", "run_in_background": True}
    assert decide("claude-code", rules, "Bash", given, place=PLACE).action == "deny"
    assert decide("claude-code", rules, "Bash", {"command": "ls"}, place=PLACE).action == "allow"


def test_links_are_followed_on_the_disk(tmp_path):
    """A path through a link out of the project is outside of it."""
    (tmp_path / "project").mkdir()
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "project" / "out").symlink_to(tmp_path / "elsewhere")
    place = Place(str(tmp_path / "project"))
    rules = read_permissions("opencode", {"*": "allow", "external_directory": "deny"}).rules
    verdicts = [
        decide("opencode", rules, "write", input_of("write", path), place=place).action for path in ("a", "out/a")
    ]
    assert verdicts == ["allow", "deny"]
    assert decide("opencode", rules, "bash", {"command": "cat out/../a"}, place=place).action == "deny"
