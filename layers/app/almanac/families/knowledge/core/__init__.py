"""What every part of knowledge needs."""
