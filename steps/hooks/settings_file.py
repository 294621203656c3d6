"""Steps of features/hooks/settings_file.feature."""

from __future__ import annotations

from pytest_bdd import given, parsers

from steps.file_cells import put


@given(parsers.re(r"the settings of Claude Code `(?P<text>(?s:.+))`"))
def write_settings(machine, text):
    put(machine.home / ".claude" / "settings.json", text, machine.root)
