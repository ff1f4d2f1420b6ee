"""A process of several clients that all want the same slot:

    rival.py FOLDER CALENDAR CLIENTS MILLISECONDS TENANT PROJECT [TECHNOLOGY ADDRESS]

For every number that comes in, each client tries at once to book a slot of that round; the event ids that were booked
go out as one line. The provider, in FOLDER, takes up to so many milliseconds before and after each of its writes. The
store is the one of FOLDER, or the one at ADDRESS.
"""

import random
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

from almanac.families.calendar.booking.draft import Draft
from almanac.families.calendar.booking.service import BookingService
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, SystemClock
from almanac.kernel.errors import Conflict
from almanac.platform.store.port import Store

sys.path.insert(0, str(Path(__file__).parents[4]))

from tests.unit.families.calendar.services import draft, open_bookings, open_store

ROUND_MINUTES = 180
AT_ONCE = 60
"""Every client of a round wants this minute of it, and some minutes before and after."""


RequestedAccess = Callable[[str, int], Draft]
"""What some client wants in the round of that number, in the calendar of that id."""


def slot(calendar: str, number: int) -> Draft:
    before, after = random.randrange(60), 1 + random.randrange(60)
    return draft(number * ROUND_MINUTES + AT_ONCE - before, before + after, calendar=calendar)


def compete(
    bookings: BookingService, calendar: str, number: int, barrier: Barrier, wish: RequestedAccess = slot
) -> str | None:
    """Return the id of the booked event, or None if another client was first."""
    wanted = wish(calendar, number)
    barrier.wait()
    try:
        return bookings.book(wanted).event.id
    except Conflict:
        return None


def main(wish: RequestedAccess = slot) -> None:
    folder, calendar, clients, milliseconds = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    scope = Scope(*sys.argv[5:7])
    clock = SystemClock()
    store = _store_at(*sys.argv[7:], clock=clock) if sys.argv[7:] else open_store(folder, clock)

    def slow(_: str) -> None:
        time.sleep(random.random() * milliseconds / 1000)

    rivals = [open_bookings(folder, clock, faults=slow, patient=True, store=store, scope=scope) for _ in range(clients)]
    barrier = Barrier(clients)
    with ThreadPoolExecutor(clients) as pool:
        print("ready", flush=True)
        for line in sys.stdin:
            tries = [pool.submit(compete, bookings, calendar, int(line), barrier, wish) for bookings in rivals]
            print(" ".join(filter(None, (one.result() for one in tries))), flush=True)


def _store_at(technology: str, address: str, *, clock: Clock) -> Store:
    from tests.contract.backends import Place  # noqa: PLC0415 - imports a client of AWS

    return Place(technology, address).open(clock)


if __name__ == "__main__":
    main()
