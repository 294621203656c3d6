"""Where the rules come from: sources, claims, decisions, and what is planned."""
