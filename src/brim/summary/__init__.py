"""The summary of the turns that are removed, and what it has to keep."""
