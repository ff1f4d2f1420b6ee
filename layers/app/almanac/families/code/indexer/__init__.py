"""Updates of the code index: files added, changed and removed."""
