"""Back ends: who keeps a conversation within its window, behind one interface."""
