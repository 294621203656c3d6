"""Sessions on the disk of one machine."""
