"""What the commands of the laptop take of families, which they may not import themselves."""
