"""A calendar at a provider that fails at any moment: any sequence of calls and crashes.

ALMANAC_MODEL_EXAMPLES=1000 tries more sequences.
"""

import tempfile
from datetime import timedelta
from itertools import pairwise
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import Bundle as Named
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from almanac.families.calendar.booking.refusals import OutcomeUnknown
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict, NotFound, Unavailable
from tests.unit.families.calendar.failing_provider.faults import ProcessKilled, at_provider
from tests.unit.families.calendar.sequences import SEQUENCES, STARTS
from tests.unit.families.calendar.services import (
    NINE,
    NOW,
    REMOTE,
    connect_remote,
    draft,
    minutes_by_event,
    open_bookings,
)

MOMENTS = (
    *("before_create", "after_create", "before_update", "after_update", "before_delete", "after_delete"),
    "before_look",
)


class CalendarAtAProvider(RuleBasedStateMachine):
    """Calls and crashes in any order.

    Events never overlap, and after recovery calendar and provider agree. Successful answers are kept, and failed ones
    have no effect.
    """

    booked = Named("booked")

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.clock = FixedClock(NOW)
        self.folder = Path(self._folder.name)
        self.planned: list[tuple[str, BaseException]] = []
        self.silent_from: str | None = None
        self.silent = False
        self.bookings = open_bookings(self.folder, self.clock, faults=self._fail)
        self.confirmed: dict[str, tuple[int, int]] = {}
        self.unsure = False
        connect_remote(self.bookings)

    def teardown(self) -> None:
        self.bookings.calendars.store.close()  # type: ignore[attr-defined]
        self._folder.cleanup()

    def _fail(self, moment: str) -> None:
        if self.planned and self.planned[0][0] == moment:
            raise self.planned.pop(0)[1]
        self.silent = self.silent or self.silent_from == moment
        if self.silent:
            raise Unavailable("google is silent.")

    @rule(moment=st.sampled_from(MOMENTS), kill=st.booleans())
    def plan_a_fault(self, moment: str, kill: bool) -> None:
        self.planned = [(moment, ProcessKilled() if kill else Unavailable("google is down."))]

    @rule(moment=st.sampled_from(MOMENTS))
    def fall_silent(self, moment: str) -> None:
        """Let the provider stop answering at this moment, until recovery."""
        self.silent_from = moment

    @rule(target=booked, start=STARTS, length=st.sampled_from([15, 30, 90]))
    def book(self, start: int, length: int) -> str:
        try:
            booking = self.bookings.book(draft(start, length, calendar=REMOTE)).event.id
        except OutcomeUnknown:
            self.unsure = True
            return "none"
        except (Conflict, Unavailable):
            return "none"
        except ProcessKilled:
            self.unsure = True
            return "none"
        self.confirmed[booking] = (start, start + length)
        return booking

    @precondition(lambda self: self.confirmed)
    @rule(booking=booked, start=STARTS)
    def reschedule(self, booking: str, start: int) -> None:
        try:
            self.bookings.reschedule(REMOTE, booking, NINE + timedelta(minutes=start), None)
        except (OutcomeUnknown, ProcessKilled):
            self.confirmed.pop(booking, None)
            self.unsure = True
            return
        except (Conflict, NotFound, Unavailable):
            return
        if booking in self.confirmed:
            old = self.confirmed[booking]
            self.confirmed[booking] = (start, start + old[1] - old[0])

    @rule(booking=booked)
    def cancel(self, booking: str) -> None:
        try:
            self.bookings.cancel(REMOTE, booking)
        except (NotFound, Conflict):
            return
        except (Unavailable, ProcessKilled):
            pass
        self.confirmed.pop(booking, None)

    @rule(seconds=st.sampled_from([1, 31]))
    def time_passes(self, seconds: int) -> None:
        self.clock.instant += timedelta(seconds=seconds)

    @rule()
    def recover(self) -> None:
        self.planned, self.silent_from, self.silent = [], None, False
        for _ in range(3):
            self.clock.instant += timedelta(seconds=31)
            assert not self.bookings.recover().failed
        assert minutes_by_event(self.bookings, REMOTE) == at_provider(self.folder)
        if not self.unsure:
            assert minutes_by_event(self.bookings, REMOTE) == self.confirmed

    @invariant()
    def what_was_confirmed_stands(self) -> None:
        stands = minutes_by_event(self.bookings, REMOTE)
        assert self.confirmed.items() <= stands.items()

    @invariant()
    def nothing_overlaps(self) -> None:
        spans = sorted(minutes_by_event(self.bookings, REMOTE).values())
        assert all(first[1] <= second[0] for first, second in pairwise(spans))


TestCalendarAtAProvider = CalendarAtAProvider.TestCase
TestCalendarAtAProvider.settings = SEQUENCES
