"""Extract the facts of the code graph from the text of one file: definitions, imports, calls, references."""
