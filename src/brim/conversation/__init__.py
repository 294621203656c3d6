"""What is compacted: messages and their parts, turns, tool pairs, thinking, and where a conversation may be cut."""
