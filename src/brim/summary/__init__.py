"""What stands for the rest: the summary of the turns that leave the window, and what it has to keep."""
