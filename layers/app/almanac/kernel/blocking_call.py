"""Surround what blocks a call, so that its host can let others compute meanwhile."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

Away = Callable[[], AbstractContextManager[None]]
Park = Callable[[], AbstractContextManager[bool]]


@contextmanager
def waiting_elsewhere() -> Generator[None]:
    """Surround an exchange with another machine, which uses next to no processor time here."""
    host = _HOST.get()
    if host is None:
        yield
    else:
        with host[0]():
            yield


@contextmanager
def parked() -> Generator[bool]:
    """Surround a pause in which the call waits for what other calls do. Yields False where the host has no room for
    one more call that waits: the call must then answer without waiting."""
    host = _HOST.get()
    if host is None:
        yield True
    else:
        with host[1]() as has_room:
            yield has_room


@contextmanager
def announce_blocking(away: Away, park: Park) -> Generator[None]:
    """Surround each exchange within this block, in this thread, with what `away` makes, and each pause with `park`."""
    before = _HOST.set((away, park))
    try:
        yield
    finally:
        _HOST.reset(before)


_HOST: ContextVar[tuple[Away, Park] | None] = ContextVar("host", default=None)
