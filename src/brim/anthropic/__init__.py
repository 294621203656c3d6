"""The Anthropic SDK as a source of summaries, limits and prices; `anthropic` by itself is always the SDK."""
