"""OAuth 2.1 for `/mcp`: clients, authorization codes, and grants that narrow an API key."""
