"""Facts asked for: by their parts, by time, by meaning."""
