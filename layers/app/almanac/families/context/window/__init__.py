"""The context window: memories that matter now for a session, a file and a command."""
