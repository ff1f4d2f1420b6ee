"""Sessions and what is made of their turns."""
