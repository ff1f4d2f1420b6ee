"""Search over the parts of files: names first, then words and meaning."""
