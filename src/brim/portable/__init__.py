"""Other implementations: what can be asked of every one of them, how, and brim's own answers."""
