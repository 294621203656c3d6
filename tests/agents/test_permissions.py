"""Permissions: what holds for every command, and how rules are read from files."""

import json
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.agents.permissions import Decision, Place, Rule, decide, input_of, kind_of, read_permissions
from brim.errors import InvalidInput

PLACE = Place("/project", home="/home/user", resolve=lambda path: path)
CLAUDE = read_permissions("claude-code", {"allow": ["Bash(pytest *)"], "deny": ["Bash(curl *)"]}).rules
OPEN = read_permissions("opencode", {"*": "allow", "bash": {"*": "allow", "rm *": "deny"}}).rules
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


def judged(rules: tuple[Rule, ...], command: str, style="claude-code") -> Decision:
    """The decision about a shell command."""
    return decide(style, rules, "Bash", {"command": command}, place=PLACE)


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


@pytest.mark.parametrize(
    "piece", ["(", "{", "$(", "`", "a;", "env ", "sudo ", "'", "a=", "<<E\n", "cd a;", "x > y ", "bash -c ", "\u00a0"]
)
def test_a_long_command_takes_time_in_proportion(piece):
    """Four times the text takes at most some four times as long."""

    def seconds(count: int) -> float:
        start = process_time()
        judged(CLAUDE, (piece * count)[:count])
        return process_time() - start

    seconds(100)
    assert seconds(40_000) <= 8 * seconds(10_000) + 0.2


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
        ("claude-code", {"deny": ["Read([z-a].env)"]}, "the rule 'Read\\(\\[z-a\\].env\\)' has the empty range z-a"),
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
