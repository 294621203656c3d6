"""The parts of the strict Messages API server: what it refuses, counts, signs, edits and writes."""
