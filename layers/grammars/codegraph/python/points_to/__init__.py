"""Points-to analysis: the definitions that the expressions of a set of files may stand for."""
