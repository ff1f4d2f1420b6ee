"""Faults of a provider, planned moment by moment, and whether it and the calendar agree afterwards."""

from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from almanac.families.calendar.booking.service import BookingService
from almanac.families.calendar.model.events import When, instant_of
from almanac.families.time.core.zones import UTC_ZONE
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Unavailable
from tests.unit.families.calendar.services import NINE, REMOTE, FolderProvider, minutes_by_event

LOCK = timedelta(seconds=31)


class ProcessKilled(BaseException):
    """Stands for the end of the process. No code after it runs."""


Failure = Callable[[], BaseException]


class Faults:
    """Raises the planned fault of a moment, as many times as planned."""

    def __init__(self) -> None:
        self.planned: dict[str, list[BaseException | Callable[[], None]]] = {}

    def __call__(self, moment: str) -> None:
        waiting = self.planned.get(moment)
        if waiting:
            what = waiting.pop(0)
            if isinstance(what, BaseException):
                raise what
            what()

    def plan(self, moment: str, *what: BaseException | Callable[[], None]) -> None:
        self.planned.setdefault(moment, []).extend(what)

    def heal(self) -> None:
        self.planned.clear()


def down() -> Unavailable:
    return Unavailable("google does not answer.", "Repeat the call in a moment.")


MOMENTS = ("before_create", "before_update", "before_delete", "before_find", "before_look")


def fall_silent(faults: Faults, moment: str | None = None, *, times: int = 1000) -> None:
    """The provider stops answering at this moment, or now, for so many requests."""

    def silence() -> None:
        for each in MOMENTS:
            faults.planned[each] = [down() for _ in range(times - 1)]
        raise down()

    if moment is not None:
        faults.plan(moment, silence)
    else:
        for each in MOMENTS:
            faults.plan(each, *(down() for _ in range(times)))


def at_provider(folder: Path) -> dict[str, tuple[int, int]]:
    def minutes(when: When) -> int:
        return int((instant_of(when, UTC_ZONE) - NINE).total_seconds() // 60)

    return {
        event.id: (minutes(event.start), minutes(event.end)) for event in FolderProvider(folder / "provider").events()
    }


def recover_repeatedly(bookings: BookingService, clock: FixedClock, times: int = 3) -> None:
    for _ in range(times):
        clock.instant += LOCK
        bookings.recover()


def agree(bookings: BookingService, folder: Path) -> dict[str, tuple[int, int]]:
    here = minutes_by_event(bookings, REMOTE)
    assert here == at_provider(folder)
    return here
