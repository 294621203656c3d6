"""What a machine lacks is left out of a run, and the run says so in one line."""

import pytest

from steps.prerequisites import NIGHTLY, REQUIRED, TRANSCRIPTS, sized

FILE = """
import pytest

@pytest.mark.transcripts
@pytest.mark.parametrize("number", range(1_200))
def test_a_transcript(number):
    pass

@pytest.mark.chromium
def test_a_page():
    pass

@pytest.mark.chromium
@pytest.mark.nightly
def test_every_page():
    pass

@pytest.mark.nightly
def test_for_long():
    pass

def test_anywhere():
    pass
"""
LINE = (
    "left out 1,203 tests: 1,200 for real transcripts (set BRIM_TRANSCRIPTS to their folder), "
    "1 for Chromium (install chromium), "
    "1 for Chromium and the long run (install chromium, run `make nightly`), 1 for the long run (run `make nightly`)"
)


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """A machine without programs and transcripts."""
    monkeypatch.setenv("PATH", str(tmp_path))
    for name in (TRANSCRIPTS, NIGHTLY, REQUIRED):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def run(pytester, monkeypatch):
    """Run tests with the real plugin, in this process or by workers."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    pytester.makepyfile(FILE)

    def in_this_process(*arguments):
        return pytester.runpytest_inprocess("-p", "steps.prerequisites", "-p", "xdist.plugin", *arguments)

    return in_this_process


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["one process", "two workers"])
def test_what_is_left_out_takes_one_line(bare, run, workers):
    """The line counts the tests by prerequisite and says how to have each; no test is skipped."""
    result = run(*workers)
    result.assert_outcomes(passed=1, deselected=0 if workers else 1_203)
    assert [line for line in result.outlines if "left out" in line] == [LINE]


def test_what_is_there_is_run(bare, run, monkeypatch, tmp_path):
    """A folder of transcripts, a browser on the path and the nightly run bring their tests back, and the line goes."""
    (tmp_path / "chromium").touch(mode=0o755)
    monkeypatch.setenv(TRANSCRIPTS, str(tmp_path))
    monkeypatch.setenv(NIGHTLY, "yes")
    result = run("--collect-only")
    result.stdout.fnmatch_lines(["*1204 tests collected*"])
    result.stdout.no_fnmatch_line("*left out*")


def test_a_folder_of_transcripts_that_is_not_there_is_none(bare, run, monkeypatch, tmp_path):
    """The variable has to name a folder."""
    monkeypatch.setenv(TRANSCRIPTS, str(tmp_path / "nowhere"))
    run().stdout.fnmatch_lines(["left out 1,203 tests: 1,200 for real transcripts*"])


@pytest.mark.parametrize(
    ("required", "told"),
    [
        ("node", "*BRIM_REQUIRED names 'node', and Node.js is not there: install nodejs*"),
        ("knode", "*BRIM_REQUIRED names 'knode'; there are transcripts, chromium, node, *"),
    ],
)
def test_a_run_that_lacks_what_is_required_does_not_begin(bare, run, monkeypatch, required, told):
    """One line says what is missing, and how to have it."""
    monkeypatch.setenv(REQUIRED, required)
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([told])


@pytest.mark.parametrize(("nightly", "size"), [(None, 10), ("yes", 1_000), ("no", 10), ("0", 10)])
def test_the_nightly_run_does_more(monkeypatch, nightly, size):
    """A test does its sample in every run, and all of its work where the nightly run is named."""
    monkeypatch.delenv(NIGHTLY, raising=False)
    if nightly:
        monkeypatch.setenv(NIGHTLY, nightly)
    assert sized(10, nightly=1_000) == size
