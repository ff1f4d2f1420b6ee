"""What of a file is found by search."""
