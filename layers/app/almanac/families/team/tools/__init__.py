"""The tools of the team family, one module per noun."""
