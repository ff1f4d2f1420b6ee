"""What was taken out before it was stored."""
