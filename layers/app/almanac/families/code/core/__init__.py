"""What every part of the code family needs."""
