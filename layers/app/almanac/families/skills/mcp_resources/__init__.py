"""The skills of a project as the protocol's own extension serves them."""
