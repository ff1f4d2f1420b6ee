"""Almanac: time, calendars, planning, memory and coordination for AI agents, served as MCP tools."""

__version__ = "0.1.0"
