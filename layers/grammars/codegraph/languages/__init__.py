"""Languages of files, the files that are not worth reading, and the parsers."""
