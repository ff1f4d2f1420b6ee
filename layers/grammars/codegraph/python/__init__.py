"""The graph of Python code: a summary of each file, and what a set of summaries says of calls between them."""
