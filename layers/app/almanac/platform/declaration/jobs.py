"""Scheduled jobs: what a family does for projects that have something due, the same on a laptop and on AWS."""

from collections.abc import Callable

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.platform.due.next_due import NextDue
from almanac.platform.services import Services


def never(_: Services, __: Scope) -> None:
    """The `next_due` of jobs that no record wakes."""


class Job(Struct, frozen=True):
    """`run` does what is due in a project. Afterwards `next_due` tells when the project needs the job next, None where
    nothing waits: a record that is written later wakes it, as its table says (`Table.wakes`).

    `seconds`: it does not run again sooner in one project. `asks_others` says whether it may wait for providers of
    calendars. `everywhere`: no record wakes it, so it runs for all projects every so many seconds, on a laptop only.

    It is idempotent, and may be left out once: two processes may run it at the same time, and a machine may sleep. The
    name is stored.
    """

    name: str
    seconds: float
    run: Callable[[Services, Scope], object]
    next_due: NextDue = never
    asks_others: bool = False
    everywhere: bool = False
