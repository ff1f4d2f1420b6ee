"""Entities of turns: the files, symbols, error codes, commands, URLs and tickets that turns name."""
