"""The tools of the planner, a noun to a file."""
