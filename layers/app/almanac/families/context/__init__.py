"""The context family: what a coding agent keeps in mind, in three layers over the one memory."""
