"""The tools of the time family, a noun's verbs to a file."""
