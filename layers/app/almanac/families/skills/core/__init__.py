"""What every part of the skills family needs."""
