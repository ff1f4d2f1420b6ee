"""The tools of the team family: a noun's verbs together."""
