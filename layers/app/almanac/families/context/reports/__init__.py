"""What happens while an agent works, reported by its program: what of it is kept, and in which layer."""
