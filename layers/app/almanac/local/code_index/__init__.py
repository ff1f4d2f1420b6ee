"""Working trees, walked and sent to the index of a server."""
