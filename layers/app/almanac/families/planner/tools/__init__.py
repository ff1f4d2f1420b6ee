"""The tools of the planner, one file per noun."""
