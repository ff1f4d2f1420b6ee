"""Where a caller is in time, and what happened since he was last here."""
