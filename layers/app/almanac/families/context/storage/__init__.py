"""Storage of memories in the three layers: routing, editing, moving and removal."""
