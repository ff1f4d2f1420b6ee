"""Connect the coding agents on this machine to a server, through their configuration, hooks and a hook script."""
