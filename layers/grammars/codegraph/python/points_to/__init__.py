"""Which definitions the expressions of a set of files may stand for."""
