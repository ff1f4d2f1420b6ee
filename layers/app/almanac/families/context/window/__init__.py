"""The context window: what matters now, for a session, a file and a command."""
