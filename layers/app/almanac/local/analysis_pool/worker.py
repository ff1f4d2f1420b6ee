"""Worker process that prepares files for the server that started it (`python -m` this module), and ends with the
server."""

import gc
import sys
from collections.abc import Callable
from typing import BinaryIO

from msgspec.structs import replace

from almanac.composition.commands.code_preparation import PreparedFile, load, prepare_as_text, prepare_file
from almanac.kernel.clock import process_seconds
from almanac.local.analysis_pool.frames import answer, read_request

_COLLECTED = 50
"""Number of requests between two collections of cyclic garbage. Python's automatic collection would search every syntax
tree for cycles, and syntax trees have none."""


CPU_SECONDS = 5
"""Limit of CPU time for one file. The largest files take less than two seconds. The kernel ends a process that exceeds
the limit, even if the parser never returns."""


def work(
    source: BinaryIO,
    sink: BinaryIO,
    cpu: Callable[[], float] = process_seconds,
    limit: Callable[[float], None] = lambda _: None,
) -> None:
    """Answer requests until the server closes the pipe. Before each file, `limit` is called with the CPU seconds that
    this process has used."""
    count = 0
    while (question := read_request(source)) is not None:
        parse, files = question
        answer(
            sink,
            [
                _prepare_timed(path, text, prepare_file if parse else prepare_as_text, cpu, limit)
                for path, text in files
            ],
        )
        count += 1
        if count % _COLLECTED == 0:
            gc.collect()


def limit_cpu(used: float) -> None:
    """Have the kernel end this process after CPU_SECONDS more of CPU time. Windows has no such limit. There the server
    ends the process after LONGEST_SECONDS."""
    if sys.platform == "win32":
        return
    import resource  # noqa: PLC0415 - Windows has none

    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    soft = int(used) + 1 + CPU_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))


def _prepare_timed(
    path: str,
    text: str,
    prepare: Callable[[str, str], PreparedFile],
    cpu: Callable[[], float],
    limit: Callable[[float], None],
) -> PreparedFile:
    began = cpu()
    limit(began)
    prepared_file = prepare(path, text)
    return replace(prepared_file, seconds=cpu() - began)


if __name__ == "__main__":
    gc.disable()
    load()
    work(sys.stdin.buffer, sys.stdout.buffer, limit=limit_cpu)
