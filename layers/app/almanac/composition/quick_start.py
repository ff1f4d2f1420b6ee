"""Faster cold starts of Lambda functions, which neither compile patterns nor collect garbage.

Together these took a third of a cold start. A build compiles the patterns in advance, with the Python that runs the
function, as it does with the modules (`layers/app/patterns.py`).
"""

import gc
import marshal
import sys
from array import array
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

PATTERNS = Path(__file__).parents[1] / f"prepared/patterns.{sys.implementation.cache_tag}"

_OBJECTS_OF_A_START = 200_000
"""More objects than any function has after its first answer. Only a first call that creates more collects garbage."""

P = ParamSpec("P")
Event = TypeVar("Event")
Context = TypeVar("Context")
Answer = TypeVar("Answer")


def quick_start(
    open_handler: Callable[P, Callable[[Event, Context], Answer]],
) -> Callable[P, Callable[[Event, Context], Answer]]:
    """Decorate a function that opens a Lambda handler, so that the handler starts without either of them."""

    @wraps(open_handler)
    def open_quickly(*args: P.args, **named: P.kwargs) -> Callable[[Event, Context], Answer]:
        use_patterns(PATTERNS)
        return _first_call_keeps(open_handler(*args, **named))

    return open_quickly


def use_patterns(file: Path) -> None:
    """Make `re` use the patterns that a build compiled into `file`. Does nothing in a package that was not built.

    `re` has no interface for compiled patterns, so this replaces its compiler with one that knows some patterns. It
    compiles unknown patterns as usual, and all patterns if the file was made for another regex engine.
    """
    try:
        made_for, compiled = marshal.loads(file.read_bytes())  # noqa: S302 - as trusted as the bytecode beside it
    except FileNotFoundError:
        return
    # These modules are private, but the same in each Python version that a function may run on.
    compiler, engine = (cast("Any", import_module(name)) for name in ("re._compiler", "_sre"))
    if made_for == (engine.MAGIC, engine.CODESIZE):
        compiler.compile = _compiler_with(compiled, compiler.compile, engine.compile)


def _compiler_with(
    compiled: dict[tuple[str, int], tuple[Any, ...]], compile_anew: Callable[..., Any], make: Callable[..., Any]
) -> Callable[[Any, int], Any]:
    def compile_pattern(pattern: Any, flags: int = 0) -> Any:
        known = compiled.get((pattern, int(flags)))
        if known is None:
            return compile_anew(pattern, flags)
        all_flags, code, *groups = known
        return make(pattern, all_flags, array("I", code).tolist(), *groups)

    return compile_pattern


def _first_call_keeps(handler: Callable[[Event, Context], Answer]) -> Callable[[Event, Context], Answer]:
    """Collect garbage only after the first answer, and exclude the objects of that time, as most of them live on."""
    is_first = True

    def handle(event: Event, context: Context) -> Answer:
        nonlocal is_first
        if not is_first:
            return handler(event, context)
        is_first, thresholds = False, gc.get_threshold()
        gc.set_threshold(_OBJECTS_OF_A_START)
        try:
            return handler(event, context)
        finally:
            gc.freeze()
            gc.set_threshold(*thresholds)

    return handle
