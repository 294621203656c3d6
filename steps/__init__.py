"""What makes the features run: a folder of step modules a room, and beside them what they share.

rulebook reads features, faults and definitions say what is wrong with one, collector hands them to pytest,
verdicts closes the run; vocabulary, shared and implementation are for the steps themselves.
"""
