"""Knowledge about a file or symbol: its code, and the project's records about it."""
