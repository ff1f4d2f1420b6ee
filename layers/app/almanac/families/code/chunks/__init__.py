"""Division of files into the chunks that search finds."""
