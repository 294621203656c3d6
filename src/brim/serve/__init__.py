"""The proxy: compaction for any agent that takes a base URL, in any language (extra `serve`)."""
