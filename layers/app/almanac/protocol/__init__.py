"""MCP server core: tool declarations, their schemas, and answers to messages. It knows no family and no cloud."""
