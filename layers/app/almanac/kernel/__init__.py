"""Vocabulary of the whole package: clock, ids, errors, caller and events. It imports the standard library only."""
