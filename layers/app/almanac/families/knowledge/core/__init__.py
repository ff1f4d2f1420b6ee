"""Records and computations that all parts of knowledge share."""
