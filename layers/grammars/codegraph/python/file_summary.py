"""Summarize a Python file."""

import ast
import threading
import warnings

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
from codegraph.python.summary.recorder import FactRecorder, TooMuch

LARGEST = 600_000
"""Most characters of a file that is summarized."""
_PARSING = threading.Lock()
"""Lock for parsing, because the filter of warnings belongs to the whole process."""


def summarise(module: str, is_package: bool, path: str, source: str) -> PythonSummary:
    """Summarize how values flow in a file: `module` is its dotted name, `is_package` whether it is an `__init__`.

    If the file is too large, or is not Python of the running interpreter, `summarised` is false and `why` says the
    reason.
    """
    summary = PythonSummary(module=module, path=path, is_package=is_package)
    if len(source) > LARGEST:
        return _without(summary, f"larger than {LARGEST} characters")
    try:
        _walk(_parse(source), summary)
    except SyntaxError as broken:
        return _without(summary, f"line {broken.lineno or 1}: {broken.msg}"[:200])
    except (ValueError, MemoryError, RecursionError, OverflowError):
        return _without(summary, "nested too deeply, or holds characters that Python does not read")
    except TooMuch:
        return _without(summary, "has more in it than a summary holds")
    return summary


def _parse(source: str) -> ast.Module:
    with _PARSING, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(source.removeprefix("\ufeff"))


def _without(summary: PythonSummary, why: str) -> PythonSummary:
    return PythonSummary(
        module=summary.module, path=summary.path, is_package=summary.is_package, summarised=False, why=why
    )


_EXPRESSIONS = expressions.EXPRESSIONS | calls.EXPRESSIONS | displays.EXPRESSIONS | functions.EXPRESSIONS
_STATEMENTS = statements.STATEMENTS | assignments.STATEMENTS | blocks.STATEMENTS | definitions.STATEMENTS


def _walk(tree: ast.Module, summary: PythonSummary) -> None:
    """Fill a summary with the facts of a module. Raises `TooMuch`."""
    recording = FactRecorder(summary, _EXPRESSIONS, _STATEMENTS)
    recording.run(tree.body)
    recording.finish()
    summary.names_defined = sorted({*summary.names, *(each.rpartition(".")[2] for each in summary.scopes[1:])})
    summary.names_used = sorted(recording.used - {""})
    summary.imports = sorted(set(summary.imports))
