"""Records: the lines of a log as values, their ids, and what holds them."""
