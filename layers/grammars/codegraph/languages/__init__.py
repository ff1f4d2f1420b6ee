"""Which language a file is in, which files are not worth reading, and the parsers."""
