"""The driver: a compaction carried out, in a thread or in an event loop, and put where requests are made."""
