"""A lock for tests that install programs into .tools, so that parallel processes install each only once."""

import fcntl
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def installation_lock(folder: Path) -> Generator[None]:
    """Let a single process at a time install into `folder`."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with folder.with_name(f"{folder.name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
