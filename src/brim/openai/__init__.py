"""The OpenAI SDK: summaries (extra `openai`)."""
