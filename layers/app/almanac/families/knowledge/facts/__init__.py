"""Facts: recorded, found, ended."""
