"""Whether to act: usable context, profiles, the verdict, and what compaction aims at."""
