"""Where the rules come from: sources, claims, and decisions."""
