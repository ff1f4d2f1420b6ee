"""The skills of a project, served through MCP's skills extension."""
