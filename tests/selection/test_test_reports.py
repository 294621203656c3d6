"""What tells of tests, runner by runner, and what only looks like it."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.selection.evidence import LONGEST
from brim.selection.evidence import test_outcome as outcome

PASSING = """12 passed
12 PASSED in 0.1s
===== 12 passed in 0.10s =====
12 passed, 1 xfailed
12 passed, 3 warnings
12 passed, 0 errors
pAsSeD
Passed!
PASS
pass.
  passed
All tests passed
all 12 tests pass
The tests are passing
Tests have all passed
All suites passed!
Tests PASSED
test passed
All passed
Tests: 12 passed, 12 total
Test Suites: 2 passed, 2 total
Tests  12 passed (12)
12 unit tests passed
5 integration specs have passed
1 case passed
test result: ok. 5 passed; 0 failed; 0 ignored
passed: 12, failed: 0
passed=12 failed=0
  12 passing (30ms)
12 examples, 0 failures
1 test, 0 failures
3 runs, 4 assertions, 0 failures, 0 errors
2 scenarios and 3 steps, 0 failed
Executed 5 tests, with 0 failures (0 unexpected)
Tests run: 5, Failures: 0, Errors: 0, Skipped: 0
# tests 5¶# pass 5¶# fail 0
ℹ pass 5¶ℹ fail 0
100% tests passed, 0 tests failed out of 5
100% of the tests passed
100.0% of the tests passed
12/12 tests passed
12 of 12 passed
12 out of 12 specs passed
Passed!  - Failed:     0, Passed:    12, Skipped:     0
ok | 5 passed | 0 failed
1,204 tests passed
Task 2 failed, tried again¶12 passed
1 item 3 failed: no matter¶12 passed
PASS src/a.test.js
PASS example.com/parcel
tests/a.py::test_b PASSED [ 50%]
SuiteTest > a PASSED
test_a ... passed
--- PASS: TestA (0.00s)
    --- PASS: TestA/inner (0.00s)
ok  \texample.com/parcel\t0.417s
ok  \texample.com/parcel\t(cached)
ok  \texample.com/parcel\t0.417s\tcoverage: 48.7% of statements
building¶ok  \texample.com/parcel\t0.417s
ok 1 - a
ok 12
OK (5 tests, 10 assertions)
OK (1 test, 1 assertion)
Ran 5 tests in 0.1s¶¶OK
Ran 1 test in 0.1s¶¶OK (skipped=1)
\x1b[32m12 passed\x1b[0m
\x1b[1;31m0 failed\x1b[0m, \x1b[32m12 passed\x1b[0m"""

FAILING = """3 failed, 12 passed
3 tests failed, 12 passed
12 passed, 3 failed
12 passed¶3 failed
1 failing
2 failures
1 fail
12 examples, 1 failure
FAILED (failures=1)
FAILED (errors=2)
12 passed¶FAILED (errors=2)
FAIL
12 passed¶FAIL
Failed!
FAILURES!
12 passed¶failure
FAIL\texample.com/a\t0.1s
FAIL: test_b (module)
FAIL src/a.test.js
FAILED tests/x.py::test_b - AssertionError
tests/x.py::test_b FAILED [ 50%]
test_b ... FAIL
test_b ... failed
--- FAIL: TestB (0.0s)
    --- FAIL: TestB/inner (0.0s)
test result: FAILED. 4 passed; 1 failed
Tests failed: 2, passed: 10
Tests: 1 failed, 3 passed, 4 total
Tests run: 5, Failures: 1, Errors: 0
Tests run: 5, Failures: 0, Errors: 1
passed: 11, failed: 1
# pass 4¶# fail 1
1 passed, 2 errors in 0.3s
1 passed, 1 error
=== 1 error in 0.12s ===
== 2 errors in 0.12s ==
11 of 12 tests passed
0/12 tests passed
80% tests passed, 1 tests failed out of 5
99% of the tests passed
99.5% of the tests passed
9% of tests passed
0% tests passed
The test failed
Some tests failed
All suites failed
\x1b[31m3 failed\x1b[0m, 12 passed
ok  \texample.com/a\t0.1s¶FAIL\texample.com/b\t0.1s"""

SILENT = """not passed
0 failed
0 passed
no tests ran in 0.1s
12 tests not passed
The tests have not passed
The tests haven't all passed
Not all tests passed
None of the tests passed
Never have the tests passed
The tests cannot have passed; no tests passed
Without the tests passing
Tests passed: 0
Tests failed: 0
0 tests passed
0 tests failed
no tests failed
Unless tests passed
if tests pass, commit
Until the tests pass
Once all tests pass
When tests pass
Whether all tests passed
All tests should pass; tests passed
The tests must have all passed: tests passed
Make sure all tests pass
Ensure all tests pass
Verify all tests pass
don't say all tests passed
some tests passed
A few tests passed
Most tests passed
Only two of the tests passed
The password was bypassed
the value is passed to the function
compass
Ran 0 tests in 0.0s¶¶OK
OK
ok
building¶ok
OK (0 tests, 0 assertions)
ok  \texample.com/a\t0.417s [no tests to run]
ok 1 - a¶not ok 2 - b
ok 0
okay then
token lookups¶okapi
test result: ok. 0 passed; 0 failed
failed to read config
fail: 0
# fail 0
5 xpassed
v1.12 passed
Task 2 failed
Task 2 failed: 84 of them
Request 3 failed
0 errors in 4 files
an error in the log¶
Found 3 errors in 2 files
Tests run: 0, Failures: 0, Errors: 0
0 examples, 0 failures"""


def cases(table):
    """The rows of a table; a pilcrow stands for a line break."""
    return [row.replace("¶", "\n") for row in table.split("\n")]


@pytest.mark.parametrize("text", cases(PASSING))
def test_passing(text):
    """It tells of passing tests."""
    assert outcome(text) == "passing"


@pytest.mark.parametrize("text", cases(FAILING))
def test_failing(text):
    """It tells of failing tests, however many passed."""
    assert outcome(text) == "failing"


@pytest.mark.parametrize("text", cases(SILENT))
def test_silent(text):
    """It tells of neither."""
    assert outcome(text) is None


@given(passed=st.integers(1, 9999), failed=st.integers(0, 9999), swap=st.booleans())
def test_counts(passed, failed, swap):
    """Whatever the counts, a single failure makes it failing, in either order."""
    counts = [f"{passed:,} passed", f"{failed:,} failed"]
    text = ", ".join(reversed(counts) if swap else counts)
    assert outcome(text) == ("failing" if failed else "passing")


@given(st.text())
def test_any_text(text):
    """No text makes it stumble, and letters of either case read the same."""
    assert outcome(text) in {"passing", "failing", None}
    if text.isascii():
        assert outcome(text.upper()) == outcome(text.lower())


@given(before=st.text("abc xyz\n", max_size=200), after=st.text("abc xyz\n", max_size=200))
def test_among_other_lines(before, after):
    """A report is found wherever its line stands."""
    assert outcome(f"{before}\n12 passed\n{after}") == "passing"


def test_long_lines():
    """A line longer than any report is data, and tells nothing."""
    assert outcome("12 passed" + "x" * (LONGEST - 9)) is None
    assert outcome("12 passed" + " " * (LONGEST - 9)) == "passing"
    assert outcome("12 passed" + " " * (LONGEST - 8)) is None
    assert outcome("12 passed" + " " * LONGEST + "\n3 passed") == "passing"
