"""A process that prepares files for the server that started it, and ends with it: `python -m` this module."""

import gc
import sys
from collections.abc import Callable
from typing import BinaryIO

from msgspec.structs import replace

from almanac.composition.commands.code_preparation import PreparedFile, load, prepared, unparsed
from almanac.kernel.clock import process_seconds
from almanac.local.analysis_pool.frames import answer, asked

_COLLECTED = 50
"""Number of files between two collections of cyclic garbage. By itself Python would search every syntax tree for
cycles, which it has none of."""


CPU_SECONDS = 5
"""For one file, of which the largest take less than two. Who takes more is ended by the kernel, which waits for
nothing that the file keeps busy."""


def work(
    source: BinaryIO,
    sink: BinaryIO,
    cpu: Callable[[], float] = process_seconds,
    limit: Callable[[float], None] = lambda _: None,
) -> None:
    """Until nothing more is asked. `limit` is told, before each file, the seconds of CPU that this process has used."""
    count = 0
    while (question := asked(source)) is not None:
        parse, files = question
        answer(sink, [_timed(path, text, prepared if parse else unparsed, cpu, limit) for path, text in files])
        count += 1
        if count % _COLLECTED == 0:
            gc.collect()


def limit_cpu(used: float) -> None:
    """Have the kernel end this process where it uses CPU_SECONDS more; where there is no such limit, who asked ends it
    by the clock."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - Windows has none

    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(used) + 1 + CPU_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _timed(
    path: str,
    text: str,
    prepare: Callable[[str, str], PreparedFile],
    cpu: Callable[[], float],
    limit: Callable[[float], None],
) -> PreparedFile:
    began = cpu()
    limit(began)
    made = prepare(path, text)
    return replace(made, seconds=cpu() - began)


if __name__ == "__main__":
    gc.disable()
    load()
    work(sys.stdin.buffer, sys.stdout.buffer, limit=limit_cpu)
