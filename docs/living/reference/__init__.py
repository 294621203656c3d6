"""The reference: the library, the command line, the settings and the portable pages, each from the code."""
