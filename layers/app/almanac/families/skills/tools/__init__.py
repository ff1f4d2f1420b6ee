"""The tools of the skills family."""
