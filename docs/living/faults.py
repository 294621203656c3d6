"""Faults in what a build is made from, each with the place where it is mended."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import NoReturn

from sphinx.errors import SphinxError
from sphinx.util import logging

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault: where it stands, and what it is."""

    path: Path
    line: int
    message: str


class Unfit(SphinxError):
    """What no site can be made from, fault by fault."""

    def __init__(self, *faults: Fault) -> None:
        super().__init__("\n".join(f"{one.path}:{one.line}: {one.message}" for one in faults))
        self.faults = faults


def warn(faults: Iterable[Fault], root: Path) -> None:
    """Tell of faults that the other pages can be made with; a build that takes warnings for errors fails."""
    for fault in faults:
        logger.warning(fault.message, location=_place(fault, root), type="living")


def stop(unfit: Unfit, root: Path) -> NoReturn:
    """End the build: a line a fault, with its path from the root, and no trace of the program."""
    for fault in unfit.faults:
        logger.error(fault.message, location=_place(fault, root))
    number = len(unfit.faults)
    raise SystemExit(f"The site is not built: {number} fault{'' if number == 1 else 's'} in what it is made from.")


def _place(fault: Fault, root: Path) -> str:
    path = fault.path.relative_to(root) if fault.path.is_relative_to(root) else fault.path
    return f"{path}:{fault.line}"
