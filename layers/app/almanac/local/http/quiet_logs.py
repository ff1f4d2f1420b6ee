"""A bound on what libraries log: clients that send rubbish, or take every connection, must not fill the disk too."""

import logging
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from almanac.gateway.observability.log_bound import LogBound

LOGGERS = ("asyncio", "uvicorn.error", "websockets")


class BoundedRecords(logging.Filter):
    """Lets some records of each window through, and says how many it did not."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._bound = LogBound(now)

    def filter(self, record: logging.LogRecord) -> bool:
        left_out = self._bound.take()
        if left_out is None:
            return False
        if left_out:
            record.msg = f"{record.getMessage()} ({left_out} others were left out before)"
            record.args = None
        return True


@contextmanager
def quiet_logs() -> Generator[None]:
    """Until the end of the block."""
    filters = [(logging.getLogger(name), BoundedRecords()) for name in LOGGERS]
    for logger, bounded in filters:
        logger.addFilter(bounded)
    try:
        yield
    finally:
        for logger, bounded in filters:
            logger.removeFilter(bounded)
