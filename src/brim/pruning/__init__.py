"""The cheap relief: old tool outputs are cleared, the conversation stays."""
