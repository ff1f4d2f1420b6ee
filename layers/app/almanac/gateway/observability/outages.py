"""Recognition of outages, such as a full disk or an unreachable store. Each needs a log line, and no traceback."""

import errno
import sys
from collections.abc import Callable, Iterator

from almanac.gateway.observability.log_bound import LogBound
from almanac.kernel.errors import Unavailable

SECONDS = 60.0
_MOST = 20
"""Most outage texts that are remembered at once."""
_FULL = "The disk is full. Free some space."
_FULL_ERRORS = frozenset({errno.ENOSPC, errno.EDQUOT})


def outage_of(cause: BaseException) -> str | None:
    """Return the text for operators if `cause` or one of its causes is an outage, or None for any other defect."""
    for each in _chain(cause):
        if isinstance(each, Unavailable):
            return str(each)
        if isinstance(each, OSError) and each.errno in _FULL_ERRORS:
            return _FULL
        if _is_full(each):
            return _FULL
    return None


def _is_full(cause: BaseException) -> bool:
    """Return whether SQLite reports a full disk. A process that has not imported SQLite, such as a Lambda function,
    cannot have this error."""
    if "sqlite3" not in sys.modules:
        return False
    import sqlite3  # noqa: PLC0415 - only where it is loaded already

    return isinstance(cause, sqlite3.Error) and getattr(cause, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL


def _chain(cause: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    each: BaseException | None = cause
    while each is not None and id(each) not in seen:
        seen.add(id(each))
        yield each
        each = each.__cause__ or each.__context__


class OutageLines:
    """Allows one line a minute for each outage. `now` is a monotonic clock in seconds."""

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._bounds: dict[str, LogBound] = {}

    def line(self, outage: str, where: str) -> str | None:
        """Return the line to write, with the number of lines left out before it, or None if it must be left out."""
        # Two threads may both create the bound. One line too many does no harm.
        bound = self._bounds.get(outage)
        if bound is None:
            if len(self._bounds) >= _MOST:
                self._bounds.clear()
            bound = self._bounds[outage] = LogBound(self._now, 1, SECONDS)
        left_out = bound.take()
        if left_out is None:
            return None
        return (
            f"{outage} ({where})" if not left_out else f"{outage} ({where}; and {left_out} times since the last line)"
        )
