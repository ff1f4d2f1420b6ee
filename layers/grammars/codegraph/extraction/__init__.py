"""What the text of one file says of the graph: definitions, imports, calls, references."""
