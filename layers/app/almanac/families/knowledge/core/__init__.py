"""Records and computations shared by all parts of knowledge."""
