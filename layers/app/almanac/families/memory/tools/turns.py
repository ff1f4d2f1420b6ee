"""Turns: what was said and done, word by word."""
