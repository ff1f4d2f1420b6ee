"""Walk the statements of a module, and keep what they say."""

import ast

from codegraph.python.summary import (
    assignments,
    blocks,
    calls,
    definitions,
    displays,
    expressions,
    functions,
    statements,
)
from codegraph.python.summary.facts import PythonSummary
from codegraph.python.summary.recording import Recording

_EXPRESSIONS = expressions.EXPRESSIONS | calls.EXPRESSIONS | displays.EXPRESSIONS | functions.EXPRESSIONS
_STATEMENTS = statements.STATEMENTS | assignments.STATEMENTS | blocks.STATEMENTS | definitions.STATEMENTS


def walk(tree: ast.Module, summary: PythonSummary) -> None:
    """Fill a summary with the facts of a module. Raises `TooMuch`."""
    recording = Recording(summary, _EXPRESSIONS, _STATEMENTS)
    recording.run(tree.body)
    recording.finish()
    summary.names_defined = sorted({*summary.names, *(each.rpartition(".")[2] for each in summary.scopes[1:])})
    summary.names_used = sorted(recording.used - {""})
    summary.imports = sorted(set(summary.imports))
