"""Connect coding agents of this machine to a server: their configuration, their hooks, and the hooks' script."""
