"""What mutmut leaves alone: the constants of the pure rooms, each broken in turn."""
