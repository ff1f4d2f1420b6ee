"""Scheduled jobs of families, for projects that have due work. They are the same on a laptop and on AWS."""

from collections.abc import Callable

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.platform.due.next_due import NextDue
from almanac.platform.services import Services


def never(_: Services, __: Scope) -> None:
    """Return None, as the `next_due` of jobs that no record wakes."""


class Job(Struct, frozen=True):
    """A scheduled job.

    `run` does the due work of a project. Afterwards `next_due` returns the instant of the project's next work, None if
    there is none. Later records wake the job, as their tables declare (`Table.wakes`). `seconds` is the shortest time
    between two runs in one project. `asks_others` is true if the job may wait for calendar providers. No record wakes a
    job with `everywhere`; it runs for all projects every `seconds`, on a laptop only.

    A job must be idempotent and may be skipped once, because two processes may run it at the same time, and a machine
    may sleep. The name is stored.
    """

    name: str
    seconds: float
    run: Callable[[Services, Scope], object]
    next_due: NextDue = never
    asks_others: bool = False
    everywhere: bool = False
