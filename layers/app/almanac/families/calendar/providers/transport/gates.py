"""Limits on concurrent exchanges with a server. A server that hangs holds few threads, and is not called for a
while."""

import time
from collections import OrderedDict
from collections.abc import Callable, Generator
from contextlib import contextmanager
from threading import Condition, Lock

from almanac.kernel.errors import Unavailable

_SLOW = 2.0
"""Seconds after which a call stops waiting for its turn at a server."""
_LONGEST_TURN = 5.0
_MOST_WAITING = 16
_FAILURES = 3
_REST = 15.0
_KEPT = 1024


class Gate:
    """Limit of `most` concurrent exchanges, with a circuit breaker.

    Further exchanges wait for their turn while the others are answered quickly, and are refused otherwise. After 3
    failures in a row the gate refuses all exchanges for 15 seconds, then lets one try.
    """

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
    def admit(self, provider: str, seconds: float) -> Generator[None]:
        """Run one exchange in the block, which gets its turn within `seconds`.

        OSError in the block counts as a failure of the server; other exceptions do not. Raises Unavailable, with a wait
        in its hint, if the exchange is refused.
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
                raise _resting_error(provider, self._closed_until - now)
            latest = now + longest
            while len(self._begun) >= self._room():
                seconds = min(latest, min(self._begun.values()) + _SLOW) - now
                if seconds <= 0 or self._waiting >= _MOST_WAITING:
                    raise _crowded_error(provider)
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


def _resting_error(provider: str, seconds: float) -> Unavailable:
    return Unavailable(
        f"{provider} did not answer the last {_FAILURES} times, and is not called again for a while.",
        f"Try again in {max(1, round(seconds))} seconds.",
    )


def _crowded_error(provider: str) -> Unavailable:
    return Unavailable(f"{provider} answers slowly, and many calls are waiting for it.", "Try again in 10 seconds.")
