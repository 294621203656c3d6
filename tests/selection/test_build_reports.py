"""What says that something was built, compiled or installed, and what takes it back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brim.selection.evidence import LONGEST, says_it_built

SAID = """Successfully installed requests-2.31.0
successfully built parcel
Successfully compiled 3 files
Build succeeded
Build success
Build ok
build complete
Build completed successfully
The build was successful
Build is finished
Compilation finished in 2s
BUILD SUCCESSFUL in 3s
BUILD SUCCESS
installation complete
✓ built in 1.2s
Server: Compiled successfully in 1.35s
Compiled 4 modules, 0 failed
Compiled 4 modules with 0 errors
added 12 packages, and audited 13 packages in 2s
added 1 package
Installed 3 packages in 5ms
12 packages installed
10 built
Built target parcel
* Installed parcel-1.0
    Finished dev [unoptimized + debuginfo] target(s) in 0.52s
    Finished `release` profile [optimized] target(s) in 1m 02s
The package was installed
Two wheels were built there
parcel has been installed
All have been compiled
Package installed.
built ok
version 1.0 installed
webpack 5.9 compiled successfully in 900 ms
nothing to do¶Package installed"""

UNSAID = """not installed
0 built
zero packages installed
package parcel is not installed
installed 0 packages
0 packages installed
nothing was built
none were installed
no wheels were built
it was never built
go on without what was installed
Build failed
it failed; installation complete
unable to see whether it was installed
Failed to compile
parcel will be installed
it would have been installed
it has to be installed
it should be installed
it must be installed
it can be compiled
it could be compiled
it cannot be compiled
it isn't installed
already installed
if installed
when it is installed
once installed
until it is installed
unless it is built
not compiled successfully
Successfully uninstalled parcel
build was not successful
compiled with 3 errors
compiled 4 modules with errors
Compiled 4 modules, 1 failed
compiled successfully, then failed
Finished reading
added 12 lines
added packages
=== font path in built css ===
> docusaurus build
Build: 0 succeeded
Built in Go with smart caching
Built with care
Installed: (none)
built = 3
prebuilt
buildinfo
the builder said so"""


def cases(table):
    """The rows of a table; a pilcrow stands for a line break."""
    return [row.replace("¶", "\n") for row in table.split("\n")]


@pytest.mark.parametrize("text", cases(SAID))
def test_said(text):
    """It says that something was built."""
    assert says_it_built(text)


@pytest.mark.parametrize("text", cases(UNSAID))
def test_unsaid(text):
    """It does not, or it takes it back."""
    assert not says_it_built(text)


@given(st.text())
def test_any_text(text):
    """No text makes it stumble."""
    assert says_it_built(text) in {True, False}


def test_line_by_line():
    """A denial takes back its own line only."""
    assert says_it_built("parcel is not installed\nSuccessfully installed parcel")


def test_long_lines():
    """A line longer than any report is data."""
    assert not says_it_built("Successfully installed " + "x" * LONGEST)
