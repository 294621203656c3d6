"""The sessions that agents keep on a machine."""

from __future__ import annotations

from pytest_bdd import given

from steps.kept_sessions import TOOLS, at


@given("sessions on this machine", target_fixture="written")
def write_sessions(machine, datatable):
    written = {}
    for tool, name, project, changed, kind in datatable[1:]:
        make, root, _ = TOOLS[tool]
        written[name] = make(machine.home / root, name, project, child=kind == "sub-agent")
        at(written[name], changed)
    return written
