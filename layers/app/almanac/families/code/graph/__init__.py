"""The graph of code: who imports, calls and references whom."""
