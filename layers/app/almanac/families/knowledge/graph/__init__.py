"""Edges between memories, facts and planner items."""
