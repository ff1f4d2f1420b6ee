"""Graph of Python code: a summary of each file, and the calls between files that a set of summaries shows."""
