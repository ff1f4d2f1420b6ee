"""Programs that Ctrl+C ends, also where the suite was started in the background.

A shell without job control starts what runs in the background with SIGINT ignored. That is inherited, and Python then
raises no KeyboardInterrupt.
"""

import signal
from collections.abc import Generator
from contextlib import contextmanager


@contextmanager
def interruptible() -> Generator[None]:
    """What is started inside the block gets SIGINT's default back. For the main thread."""
    before = signal.getsignal(signal.SIGINT)
    if before is not signal.SIG_IGN:
        yield
        return
    signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
