"""The skills of a project: installing, reading back with proof, listing, removing."""
