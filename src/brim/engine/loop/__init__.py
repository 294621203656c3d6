"""The loop: which conversation a request belongs to, what is sent in its place, what a response reported."""
