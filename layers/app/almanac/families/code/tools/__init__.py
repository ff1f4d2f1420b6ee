"""The tools of the code family."""
