"""What the tree layout is made with: its messages, its parts, and the way back."""
