"""Waiting for another machine, so that the host of a call can let others compute meanwhile."""

from collections.abc import Callable, Generator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar

Away = Callable[[], AbstractContextManager[None]]


@contextmanager
def waiting_elsewhere() -> Generator[None]:
    """Surround an exchange that uses next to no processor time here."""
    away = _AWAY.get()
    if away is None:
        yield
    else:
        with away():
            yield


@contextmanager
def told_when_away(away: Away) -> Generator[None]:
    """Surround each exchange within this block, in this thread, with what `away` makes."""
    before = _AWAY.set(away)
    try:
        yield
    finally:
        _AWAY.reset(before)


_AWAY: ContextVar[Away | None] = ContextVar("away", default=None)
