"""Whole folders run on all processors; each file goes to one worker, and so do the files that share a server."""

import pytest

from steps.workers import ByFile, pytest_cmdline_main


@pytest.fixture(autouse=True)
def no_other_plugins(monkeypatch):
    """Of the installed plugins, a run has those that it names."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")


@pytest.mark.parametrize(
    ("arguments", "parallel"),
    [
        (["."], True),
        ([".", "-x", "-q"], True),
        (["test_it.py"], False),
        (["test_it.py::test_one"], False),
        ([".", "-k", "one"], False),
        ([".", "-m", "peers"], False),
        ([".", "-s"], False),
        ([".", "--collect-only"], False),
        ([".", "--pdb"], False),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_folders_are_run_by_workers(pytester, arguments, parallel):
    """A file, a node id, a search, and what needs the terminal run in one process."""
    pytester.makepyfile(test_it="def test_one():\n    pass")
    config = pytester.parseconfig("-p", "xdist.plugin", *arguments)
    next(pytest_cmdline_main(config))
    assert bool(config.option.numprocesses) == parallel


@pytest.mark.parametrize("asked", ["0", "3"])
def test_the_command_line_has_the_last_word(pytester, asked):
    """A number of workers that is asked for stays."""
    config = pytester.parseconfig("-p", "xdist.plugin", ".", "-n", asked)
    next(pytest_cmdline_main(config))
    assert config.option.numprocesses == int(asked)


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        ("tests/a.py::test_one", "tests/a.py::test_two[x::y]", True),
        ("tests/a.py::test_one", "tests/b.py::test_one", False),
        ("tests/peers/test_postgres.py::test_one", "features/sessions/sql.feature::test_two", True),
    ],
    ids=["one file", "two files", "one server"],
)
def test_what_shares_a_set_up_goes_to_one_worker(pytester, one, other, together):
    """Two tests have one scope where they stand in one file, or in files that share a server."""
    scheduler = ByFile(pytester.parseconfig("-p", "xdist.plugin", "--tx", "popen"))
    assert (scheduler._split_scope(one) == scheduler._split_scope(other)) is together
