"""What an agent reads when it begins."""
