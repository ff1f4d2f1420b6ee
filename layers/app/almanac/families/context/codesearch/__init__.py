"""Search over the code of a project's repositories, as the contract of context has it."""
