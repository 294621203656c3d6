"""Where conversations live: a log that only grows, a view of it that the model sees, and stores of many."""
