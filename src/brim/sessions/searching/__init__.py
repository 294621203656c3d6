"""What recall is made with: the index of what was said, and summaries opened."""
