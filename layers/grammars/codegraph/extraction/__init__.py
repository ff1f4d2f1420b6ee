"""Extraction of the graph's facts from the text of one file: definitions, imports, calls, references."""
