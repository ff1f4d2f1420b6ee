"""Languages of files, files that are not worth reading, and parsers."""
