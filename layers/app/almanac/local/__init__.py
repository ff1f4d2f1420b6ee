"""The laptop: one server with every family, and the command line."""
