"""The summary of the turns that leave the window, and what it has to keep."""
