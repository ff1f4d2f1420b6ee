"""Points-to analysis: the definitions that the expressions in a set of files may stand for."""
