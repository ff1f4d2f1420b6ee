"""The code family: search, symbols and the graph of repositories."""
