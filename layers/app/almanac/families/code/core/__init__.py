"""Records and documents shared by all parts of the code family."""
