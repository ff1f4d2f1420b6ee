"""Summary of a Python file: how values flow in it, without its text."""
