"""Adapters: compaction where agents are built on another library. Each module needs the extra of its library.

Nothing is imported here, so that an application needs only the library that it uses.
"""
