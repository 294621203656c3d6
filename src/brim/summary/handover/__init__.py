"""Handing over: what is sent to a summarizer, as a warm prefix, rendered, or in pieces."""
