"""Background work of search, in a process of its own, so that no call waits for it and it uses another core."""
