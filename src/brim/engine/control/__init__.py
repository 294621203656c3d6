"""Control: the tool runner under a compaction control, in a thread, in an event loop, streamed."""
