"""The knowledge about a file or symbol: its code, and what the project says and does about it."""
