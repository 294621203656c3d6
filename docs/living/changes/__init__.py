"""What changed in the rulebook from one revision to another: on a page, and as `python -m living.changes OLD NEW`."""

from living.changes.page import setup

__all__ = ["setup"]
