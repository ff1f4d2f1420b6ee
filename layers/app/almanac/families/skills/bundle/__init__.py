"""The files of a skill: their paths, their kinds, and zip files with whole skills."""
