"""`brim sessions`: what is recorded of conversations, and what can be done with it; a module a command."""
