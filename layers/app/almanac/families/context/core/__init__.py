"""The layers, the memories in them, and how they are shown."""
