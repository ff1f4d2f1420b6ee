"""The context family: a coding agent's memory in three layers."""
