"""MCP clients: what to write into the configuration of each, and where that is."""
