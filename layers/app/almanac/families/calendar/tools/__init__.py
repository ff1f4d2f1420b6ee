"""The tools of the calendar family, a noun's verbs to a file."""
