"""The declaration of a family, and the types of its parts."""
