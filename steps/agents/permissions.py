"""Steps of features/agents/permissions.feature."""

from __future__ import annotations

import re

import pytest
from pytest_bdd import given, parsers, then, when

from steps.vocabulary import ACTIONS, TERMS, quoted


def written(text: str) -> str:
    r"""A text between quotation marks; \n is a line break, and {U+00A0} the character of this number."""
    return re.sub(r"\{U\+([0-9A-F]+)\}", lambda met: chr(int(met[1], 16)), quoted(text))


written.pattern = r"[^\"]*"


def verdict(text: str) -> str:
    """Allowed, asked about or denied."""
    return ACTIONS[text]


verdict.pattern = "allowed|asked about|denied"


def listed(text: str) -> list[str]:
    """Rules, separated by semicolons, each with its action in front."""
    return [one.strip() for one in text.split("; ") if one.strip()]


listed.pattern = r"[^\"]*"
OWN = {**TERMS, "Written": written, "Decision": verdict, "Rules": listed}


def phrase(text: str) -> parsers.cfparse:
    """A step's wording with the terms of permissions."""
    return parsers.cfparse(text, extra_types=OWN)


def of_opencode(rules):
    """Rules such as "deny bash rm *": an action, a permission and, unless all are meant, a pattern."""
    words = (one.split(" ", 2) for one in rules)
    return [dict(zip(("action", "permission", "pattern"), one, strict=False)) for one in words]


def of_claude_code(rules):
    """Rules such as "deny Bash(rm *)", in the lists that Claude Code has."""
    pairs = [one.split(" ", 1) for one in rules]
    return {action: [rule for act, rule in pairs if act == action] for action in ACTIONS.values()}


READ = {"opencode": of_opencode, "claude-code": of_claude_code}


@pytest.fixture
def place():
    """Where the tool is used, besides what is always so: the project /project and the home folder /home/user."""
    return {}


@given(phrase('the rules of OpenCode "{rules:Rules}"'), target_fixture="rules")
def rules_of_opencode(rules):
    return {"style": "opencode", "rules": of_opencode(rules)}


@given(phrase('the rules of Claude Code "{rules:Rules}"'), target_fixture="rules")
def rules_of_claude_code(rules):
    return {"style": "claude-code", "rules": of_claude_code(rules)}


@given(phrase('the agent that called it has the rules "{theirs:Rules}"'), target_fixture="rules")
def rules_of_the_caller(rules, theirs):
    return rules | {"callers": [*rules.get("callers", ()), READ[rules["style"]](theirs)]}


@given(phrase('the permission mode "{mode:Quoted}"'), target_fixture="place")
def permission_mode(place, mode):
    return place | {"mode": mode}


@given(phrase('a link "{link:Quoted}" that leads to "{target:Quoted}"'), target_fixture="place")
def link(place, link, target):
    return place | {"links": {link: target}}


@given(phrase('the agent works in "{directory:Quoted}"'), target_fixture="place")
def works_in(place, directory):
    return place | {"directory": directory}


@when(phrase('the tool "{tool:Quoted}" is used with "{subject:Written}"'), target_fixture="outcome")
def use(implementation, rules, place, tool, subject):
    return implementation("evaluate_permission", **rules, **place, tool=tool, subject=subject)


@then(phrase("the use is {expected:Decision}"))
def check(outcome, expected):
    assert outcome == expected


@when(phrase('the pattern "{pattern:Quoted}" is compared with "{text:Written}"'), target_fixture="outcome")
def compare(implementation, pattern, text):
    return implementation("match_pattern", pattern=pattern, text=text)
