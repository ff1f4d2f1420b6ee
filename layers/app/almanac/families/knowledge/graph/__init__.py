"""Edges between memories, facts and the things of the planner."""
