"""What a tool use did, as far as its call and its output tell; read once."""
