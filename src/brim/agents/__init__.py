"""Agents: what each may do, and how it is defined."""
