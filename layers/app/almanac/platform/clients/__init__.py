"""MCP clients: the entries for their configuration files, and the places of these files."""
