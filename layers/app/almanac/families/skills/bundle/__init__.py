"""The files of a skill: their paths, their kinds, and the archives that they come in."""
