"""Search over all that is remembered."""
