"""Memory: what agents remember between sessions."""
