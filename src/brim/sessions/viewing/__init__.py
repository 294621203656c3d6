"""What the view is made with: records found from the newest on, gathered, and cleared."""
