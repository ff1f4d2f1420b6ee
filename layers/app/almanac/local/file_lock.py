"""Locks that a process holds on an open file until it closes the file or ends, also where it is killed."""

import os
from typing import BinaryIO


def try_lock(file: BinaryIO) -> bool:
    """Lock the file for this process; False where another has it."""
    return _locked(file, wait=False)


def wait_for_lock(file: BinaryIO) -> None:
    """Lock the file for this process as soon as no other has it."""
    while not _locked(file, wait=True):
        pass


def _locked(file: BinaryIO, *, wait: bool) -> bool:
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
