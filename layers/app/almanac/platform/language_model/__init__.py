"""Language models, where an operator set one: for answers to read, never on the way of a write."""
