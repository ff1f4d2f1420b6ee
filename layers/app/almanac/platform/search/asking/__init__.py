"""What a family asks of search."""
