"""The configuration of clients: made, previewed, and written where that may be."""
