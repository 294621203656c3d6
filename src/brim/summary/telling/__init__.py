"""Telling: what became of turns and which facts there are, in lines and within a length."""
