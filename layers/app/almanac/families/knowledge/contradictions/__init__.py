"""Detection of facts that contradict each other."""
