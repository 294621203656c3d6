"""Adapters: compaction where agents are built on another library. Each module needs the extra of its library.

Nothing is imported here, so that whoever uses one library need not have the other.
"""
