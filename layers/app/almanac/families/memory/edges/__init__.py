"""What stands between things: what was made of what, and what somebody said of two of them."""
