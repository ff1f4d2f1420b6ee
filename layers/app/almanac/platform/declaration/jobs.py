"""Scheduled jobs: what a family does again and again for every project, the same on a laptop and on AWS."""

from collections.abc import Callable

from msgspec import Struct

from almanac.kernel.caller import Scope
from almanac.platform.services import Services


class Job(Struct, frozen=True):
    """`seconds`: how often the laptop runs it; on AWS once a minute is the most that a schedule can do. `asks_others`
    says whether it may wait for providers of calendars.

    It is idempotent, and may be left out once: two processes may run it at the same time, and a machine may sleep.
    """

    name: str
    seconds: float
    run: Callable[[Services, Scope], object]
    asks_others: bool = False
