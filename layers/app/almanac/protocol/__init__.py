"""MCP: declare a tool, build its schemas, answer a message. Knows no family and no cloud."""
