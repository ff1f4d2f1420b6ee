"""Context managers around blocking code, so that the host can let other calls compute meanwhile."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

Away = Callable[[], AbstractContextManager[None]]
Park = Callable[[], AbstractContextManager[bool]]


@contextmanager
def remote_call() -> Generator[None]:
    """Surround a request to another machine. It uses next to no processor time here."""
    host = _HOST.get()
    if host is None:
        yield
    else:
        with host[0]():
            yield


@contextmanager
def pause_call() -> Generator[bool]:
    """Surround a pause in which the call waits for other calls.

    Yields False if the host has no room for another waiting call. The call must then answer without waiting.
    """
    host = _HOST.get()
    if host is None:
        yield True
    else:
        with host[1]() as has_room:
            yield has_room


@contextmanager
def announce_blocking(away: Away, park: Park) -> Generator[None]:
    """Register the host of this thread for the duration of the block.

    Each request to another machine then runs inside a context from `away`, and each pause inside one from `park`.
    """
    before = _HOST.set((away, park))
    try:
        yield
    finally:
        _HOST.reset(before)


_HOST: ContextVar[tuple[Away, Park] | None] = ContextVar("host", default=None)
