"""The errors of brim, one base and few kinds.

    BrimError
    ├── InvalidInput    what was handed in is not of the form that was asked for
    └── Refused         it is of the form, and a rule refuses it

A message says what was met, with its numbers, and what would cure it.
"""

from __future__ import annotations


class BrimError(Exception):
    """Anything that brim itself reports; never raised bare."""


class InvalidInput(BrimError):
    """Input that is not of the form asked for: names the place and the field."""


class Refused(BrimError):
    """A request that a rule of the rulebook refuses: names the numbers and the cure."""
