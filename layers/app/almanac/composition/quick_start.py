"""Spare a function's start what Python does anew for every process: compile patterns, and look for garbage.

Together they took a third of a cold start. A build compiles the patterns with the Python that runs the function, as it
does with the modules (`layers/app/patterns.py`).
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
"""More than any function has after its first answer. A first call that makes so many more does look for garbage."""

P = ParamSpec("P")
Event = TypeVar("Event")
Context = TypeVar("Context")
Answer = TypeVar("Answer")


def quick_start(
    open_handler: Callable[P, Callable[[Event, Context], Answer]],
) -> Callable[P, Callable[[Event, Context], Answer]]:
    """Make what opens a Lambda handler spare its start both."""

    @wraps(open_handler)
    def opened(*args: P.args, **named: P.kwargs) -> Callable[[Event, Context], Answer]:
        use_patterns(PATTERNS)
        return _first_call_keeps(open_handler(*args, **named))

    return opened


def use_patterns(file: Path) -> None:
    """Take the patterns that a build compiled into `file` from there; a package that was not built has none.

    `re` has no way to hand in compiled patterns, so its compiler is replaced by one that knows some. What it does not
    know is compiled, and so is everything where the file was made for another engine of patterns.
    """
    try:
        made_for, compiled = marshal.loads(file.read_bytes())  # noqa: S302 - as trusted as the bytecode beside it
    except FileNotFoundError:
        return
    # Private, and the same in each version that a function may have.
    compiler, engine = (cast("Any", import_module(name)) for name in ("re._compiler", "_sre"))
    if made_for == (engine.MAGIC, engine.CODESIZE):
        compiler.compile = _knowing(compiled, compiler.compile, engine.compile)


def _knowing(
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
    """Look for garbage only after the first answer, and never among what stands then: most of it stays for good."""
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
