"""Locks on open files. A process holds one until it closes the file or ends, even if it is killed."""

import os
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO


@contextmanager
def alone(file: Path, waits: Callable[[], None]) -> Generator[None]:
    """Hold the lock on the file, which is created if missing. Calls `waits` if another process holds the lock."""
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with file.open("ab") as lock:
        if not try_lock(lock):
            waits()
            wait_for_lock(lock)
        yield


def try_lock(file: BinaryIO) -> bool:
    """Lock the file for this process. Return False if another process holds the lock."""
    return _lock(file, wait=False)


def wait_for_lock(file: BinaryIO) -> None:
    """Wait until no other process holds the lock, and lock the file for this process."""
    while not _lock(file, wait=True):
        pass


def _lock(file: BinaryIO, *, wait: bool) -> bool:
    try:
        if os.name == "nt":
            import msvcrt  # noqa: PLC0415 - Windows has it alone

            # Waiting ends there after ten seconds.
            msvcrt.locking(file.fileno(), msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # noqa: PLC0415 - Windows lacks it

            fcntl.flock(file, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        if wait and os.name != "nt":
            raise
        return False
    return True
