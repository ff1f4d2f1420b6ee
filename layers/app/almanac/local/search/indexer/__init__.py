"""Background work of search, in a separate process, so that calls do not wait for it and it uses another core."""
