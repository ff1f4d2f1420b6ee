"""Gates before servers: one that hangs holds few threads of this process, and is left alone for a while."""

import time
from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Condition, Lock

from almanac.kernel.errors import Unavailable

_SLOW = 2.0
"""Seconds after which a call gives up waiting for its turn at a server."""
_LONGEST_TURN = 5.0
_MOST_WAITING = 16
_FAILURES = 3
_REST = 15.0
_KEPT = 1024


class Gate:
    """Lets `most` exchanges through at once. Others wait for their turn while those are answered quickly, and are
    turned away where they are not. After 3 exchanges in a row without an answer all are turned away for 15 seconds;
    then one is tried."""

    def __init__(self, most: int, *, breaks: bool = True, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._most = most
        self._breaks = breaks
        self._monotonic = monotonic
        self._turn = Condition()
        self._begun: dict[object, float] = {}
        self._waiting = 0
        self._failures = 0
        self._closed_until = 0.0

    @contextmanager
    def passing(self, provider: str, seconds: float) -> Generator[None]:
        """For one exchange, whose turn comes within `seconds`. What it raises as OSError counts as no answer; anything
        else says nothing of the server.

        Raises Unavailable, with a hint when to come back, for whoever is turned away.
        """
        mine = object()
        self._enter(provider, mine, min(seconds, _LONGEST_TURN))
        try:
            yield
        except OSError:
            self._leave(mine, failed=True)
            raise
        except BaseException:
            self._leave(mine, failed=None)
            raise
        self._leave(mine, failed=False)

    def _enter(self, provider: str, mine: object, longest: float) -> None:
        with self._turn:
            now = self._monotonic()
            if now < self._closed_until:
                raise _resting(provider, self._closed_until - now)
            latest = now + longest
            while len(self._begun) >= self._room():
                seconds = min(latest, min(self._begun.values()) + _SLOW) - now
                if seconds <= 0 or self._waiting >= _MOST_WAITING:
                    raise _crowded(provider)
                self._waiting += 1
                try:
                    self._turn.wait(seconds)
                finally:
                    self._waiting -= 1
                now = self._monotonic()
            self._begun[mine] = now

    def _room(self) -> int:
        return 1 if self._failures >= _FAILURES else self._most

    def _leave(self, mine: object, *, failed: bool | None) -> None:
        with self._turn:
            del self._begun[mine]
            if failed is False:
                self._failures = 0
            elif failed and self._breaks:
                self._failures += 1
                if self._failures >= _FAILURES:
                    self._closed_until = self._monotonic() + _REST
            self._turn.notify_all()


class Gates:
    """One gate for each server, shared by all accounts. Threads may share them."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._lock = Lock()
        self._held: OrderedDict[str, Gate] = OrderedDict()

    def of(self, server: str) -> Gate:
        with self._lock:
            gate = self._held.setdefault(server, Gate(self._most, breaks=False))
            self._held.move_to_end(server)
            if len(self._held) > _KEPT:
                self._held.popitem(last=False)
            return gate


def _resting(provider: str, seconds: float) -> Unavailable:
    return Unavailable(
        f"{provider} did not answer the last {_FAILURES} times, and is not called again for a while.",
        f"Try again in {max(1, round(seconds))} seconds.",
    )


def _crowded(provider: str) -> Unavailable:
    return Unavailable(f"{provider} answers slowly, and many calls are waiting for it.", "Try again in 10 seconds.")
