"""What stays word for word: anchors, the recent turns, the newest messages, and how much of them fits."""
