"""Walk of a working tree, and its upload to the code index of a server."""
