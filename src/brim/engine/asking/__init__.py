"""Asking: one call of a summarizer, which whoever waits for it can leave, and what it answered."""
