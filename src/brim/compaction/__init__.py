"""The whole: the running account, the plan, and what a compaction came to."""
