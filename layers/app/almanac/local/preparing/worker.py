"""A process that prepares files for the server that started it, and ends with it: `python -m` this module."""

import gc
import sys
import time
from collections.abc import Callable
from typing import BinaryIO

from msgspec.structs import replace

from almanac.composition.commands.code_preparation import Prepared, prepared
from almanac.local.preparing.frames import answer, asked

_COLLECTED = 50
"""So often garbage in circles is collected: Python would look for it many times in each syntax tree, which has none."""


def work(source: BinaryIO, sink: BinaryIO, cpu: Callable[[], float] = time.process_time) -> None:
    """Until nothing more is asked."""
    count = 0
    while (files := asked(source)) is not None:
        answer(sink, [_timed(path, text, cpu) for path, text in files])
        count += 1
        if count % _COLLECTED == 0:
            gc.collect()


def _timed(path: str, text: str, cpu: Callable[[], float]) -> Prepared:
    began = cpu()
    made = prepared(path, text)
    return replace(made, seconds=cpu() - began)


if __name__ == "__main__":
    gc.disable()
    work(sys.stdin.buffer, sys.stdout.buffer)
