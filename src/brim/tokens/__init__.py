"""How full it is: usage as reported, estimates where none is, and what the window holds now."""
