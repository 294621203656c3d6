"""A program is asked on lines of JSON; one that dies, hangs or talks nonsense is told of, and starts anew."""

from __future__ import annotations

import sys
from decimal import Decimal

import pytest

from steps.process import ProgramFault
from steps.program import Problem, Program

PREAMBLE = """\
import json, sys, time
def requests():
    for line in sys.stdin:
        yield json.loads(line)
def say(**told):
    print(json.dumps(told), flush=True)
"""

ECHO = """
for request in requests():
    say(id=request["id"], output=request["input"])
"""


@pytest.fixture
def program(tmp_path):
    """Make a program of Python code, ended when the test is."""
    made = []

    def make(code, patience_s=30.0):
        path = tmp_path / f"program{len(made)}.py"
        path.write_text(PREAMBLE + code, encoding="utf-8")
        made.append(Program([sys.executable, str(path)], patience_s=patience_s))
        return made[-1]

    yield make
    for one in made:
        one.close()


def fault_of(program, operation="usable_context"):
    """What is told of a program that does not answer."""
    with pytest.raises(ProgramFault) as fault:
        program.ask(operation, {"context_window": 200_000})
    return str(fault.value)


@pytest.mark.parametrize("given", [{}, {"text": "✓ \u2028 \n"}, {"size": 10**30}, {"none": None, "list": [1, [2]]}])
def test_what_is_given_arrives_as_it_is(program, given):
    """Texts of any language, large numbers and nested values cross both ways."""
    assert program(ECHO).ask("any", given) == given


def test_decimals_come_back_digit_by_digit(program):
    """0.29 is 29 hundredths, and a whole number stays whole."""
    shares = program(ECHO).ask("any", {"share": 0.29, "size": 100})
    assert shares == {"share": Decimal("0.29"), "size": 100}
    assert type(shares["size"]) is int


def test_a_long_line_crosses_both_ways(program):
    """Ten million characters are a line like another."""
    text = "x" * 10_000_000
    assert program(ECHO).ask("any", {"text": text}) == {"text": text}


def test_one_process_answers_the_whole_run(program):
    """The program is started once."""
    counting = program('\nfor number, request in enumerate(requests()):\n    say(id=request["id"], output=number)\n')
    assert [counting.ask("any", {}) for _ in range(3)] == [0, 1, 2]


@pytest.mark.parametrize("kind", ["refused", "invalid_input", "unknown_operation"])
def test_an_error_is_a_problem_with_its_kind(program, kind):
    """What the program refuses is an answer."""
    code = f'\nfor one in requests():\n    say(id=one["id"], error=dict(kind="{kind}", message="no"))\n'
    assert program(code).ask("any", {}) == Problem(kind, "no")


def test_a_null_is_an_output(program):
    """To find nothing is an answer, too."""
    assert program('\nfor one in requests():\n    say(id=one["id"], output=None)\n').ask("any", {}) is None


@pytest.mark.parametrize("output", ["None", "0", "False", "7"])
def test_an_error_of_null_counts_as_missing(program, output):
    """A program that writes both names in every answer has them read, and null, 0 and false stay outputs."""
    expected = {"None": None, "0": 0, "False": False, "7": 7}[output]
    answered = program(f'\nfor one in requests():\n    say(id=one["id"], output={output}, error=None)\n').ask("any", {})
    assert (type(answered), answered) == (type(expected), expected)


def test_an_output_of_null_beside_an_error_counts_as_missing(program):
    """The error is the answer."""
    code = '\nfor one in requests():\n    say(id=one["id"], output=None, error=dict(kind="refused", message="no"))\n'
    assert program(code).ask("any", {}) == Problem("refused", "no")


def test_the_last_request_and_its_answer_are_told_whole(program):
    """A line each, as they crossed; of a program that ends there is the request alone."""
    echo, text = program(ECHO), "x" * 1_000
    echo.ask("any", {"text": text})
    asked = f'→ {{"id": 1, "operation": "any", "input": {{"text": "{text}"}}}}'
    assert echo.exchanged == f'{asked}\n← {{"id": 1, "output": {{"text": "{text}"}}}}'
    dead = program("\nsys.exit(1)\n")
    fault_of(dead)
    assert dead.exchanged == '→ {"id": 1, "operation": "usable_context", "input": {"context_window": 200000}}'


def test_what_is_written_to_stderr_is_the_programs_own(program):
    """A program may talk to itself, and at length."""
    noisy = program("""
for one in requests():
    print("thinking " * 100_000, file=sys.stderr, flush=True)
    say(id=one["id"], output=1)
""")
    assert [noisy.ask("any", {}), noisy.ask("any", {})] == [1, 1]


def test_a_program_that_dies_at_once_is_told_with_its_last_words(program):
    """The exit status and the end of stderr say why."""
    told = fault_of(program('\nsys.exit("no such thing as a codelet")\n'))
    assert "ended with exit status 1 in place of an answer" in told
    assert "no such thing as a codelet" in told


def test_a_program_that_dies_in_the_middle_is_started_again(program):
    """The next question finds a new process."""
    mortal = program("""
for number, one in enumerate(requests()):
    if number == 1:
        print("half an ans", end="", flush=True)
        sys.exit(3)
    say(id=one["id"], output=number)
""")
    assert mortal.ask("any", {}) == 0
    assert "exit status 3 in place of an answer, after saying half an ans" in fault_of(mortal)
    assert mortal.ask("any", {}) == 0


def test_a_program_that_hangs_is_ended_and_started_again(program):
    """It is waited for so long and no longer."""
    slow = program("""
for number, one in enumerate(requests()):
    print("thinking hard", file=sys.stderr, flush=True)
    time.sleep(0 if number == 0 else 600)
    say(id=one["id"], output=number)
""")
    assert slow.ask("any", {}) == 0
    slow.patience_s = 0.3
    told = fault_of(slow)
    assert "gave no answer within 0.3 s" in told
    assert "thinking hard" in told
    slow.patience_s = 30.0
    assert slow.ask("any", {}) == 0


def test_a_program_that_does_not_read_is_not_waited_for(program):
    """A question larger than a pipe holds must not block the run."""
    deaf = program("\ntime.sleep(600)\n", patience_s=0.3)
    with pytest.raises(ProgramFault, match=r"gave no answer within 0\.3 s"):
        deaf.ask("any", {"text": "x" * 1_000_000})


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ('print("Listening on port 80", flush=True)', "no line of JSON: Listening on port 80"),
        ("print(flush=True)", "no line of JSON"),
        ("sys.stdout.buffer.write(b'\\xff\\xfe\\n'); sys.stdout.flush()", "no line of JSON: \\xff\\xfe"),
        ('print("[1]", flush=True)', "neither an output nor an error: [1]"),
        ('say(id=one["id"])', "neither an output nor an error"),
        ('say(id=one["id"], error=None)', "neither an output nor an error"),
        ('say(id=one["id"], output=1, error=dict(kind="refused", message="no"))', "both an output and an error"),
        ('say(id=one["id"], output=0, error=dict(kind="refused", message="no"))', "both an output and an error"),
        ('say(id=one["id"] + 1, output=1)', "another request than the one with the id 1"),
        ("say(id=None, output=1)", "another request than the one with the id 1"),
        ("say(id=True, output=1)", "another request than the one with the id 1"),
        ("say(output=1)", "another request than the one with the id 1"),
        ('say(id=one["id"], error="no")', "no known kind, or without a message"),
        ('say(id=one["id"], error=dict(kind="grumpy", message="no"))', "no known kind, or without a message"),
        ('say(id=one["id"], error=dict(kind="refused"))', "no known kind, or without a message"),
        ('say(id=one["id"], error=dict(kind="internal_error", message="oops"))', "met a fault of its own: oops"),
        ('print("x" * 1000, flush=True)', "(1000 characters)"),
    ],
)
def test_nonsense_is_told_as_it_was_said(program, code, told):
    """What is no answer to the question is shown, cut where it is long."""
    assert told in fault_of(program(f"\nfor one in requests():\n    {code}\n"))


def test_a_greeting_is_nonsense_once_and_every_time(program):
    """A program that speaks before it is asked is told so each time."""
    greeting = program(f'\nprint("hello", flush=True){ECHO}')
    assert "hello" in fault_of(greeting)
    assert "hello" in fault_of(greeting)


def test_a_command_that_cannot_be_started_is_told():
    """There may be no such program."""
    assert "cannot be started" in fault_of(Program(["/nowhere/at/all"]))


def test_a_program_is_asked_to_leave_before_it_is_made_to(program, tmp_path):
    """At the end of its lines it may put things away."""
    tidy = program(f'{ECHO}\nopen({str(tmp_path / "left")!r}, "w").close()\n')
    tidy.ask("any", {})
    tidy.close()
    assert (tmp_path / "left").exists()
