"""Notes and journal entries as they are listed: under headings, the newest first, and found by several at once."""
