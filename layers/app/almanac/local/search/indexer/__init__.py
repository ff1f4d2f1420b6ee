"""What search does in the background, in a process of its own: no call waits for it, and it uses another core."""
