"""A calendar that is kept here against a plain one in memory: any sequence of calls.

ALMANAC_MODEL_EXAMPLES=1000 tries more sequences.
"""

import tempfile
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from hypothesis import strategies as st
from hypothesis.stateful import Bundle as Named
from hypothesis.stateful import RuleBasedStateMachine, consumes, invariant, rule

from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import Conflict, NotFound
from tests.unit.families.calendar.sequences import SEQUENCES, STARTS
from tests.unit.families.calendar.services import NINE, NOW, connect_remote, draft, minutes_by_event, open_bookings

LENGTHS = st.sampled_from([15, 30, 45, 90, 60 * 24 * 3])
TTLS = st.sampled_from([30, 120, 600])


@dataclass
class Plain:
    """A model of a calendar: intervals by id, and holds with their ends."""

    bookings: dict[str, tuple[int, int]] = field(default_factory=dict[str, tuple[int, int]])
    holds: dict[str, tuple[int, int, float]] = field(default_factory=dict[str, tuple[int, int, float]])

    def is_free(self, start: int, end: int, now: float, *, but: str = "") -> bool:
        taken = [span for key, span in self.bookings.items() if key != but]
        taken += [(a, b) for key, (a, b, until) in self.holds.items() if until > now and key != but]
        return all(end <= a or b <= start for a, b in taken)


class NativeCalendar(RuleBasedStateMachine):
    """Compares every answer, and the contents after each step, with the plain model."""

    booked = Named("booked")
    held = Named("held")
    calendar = "primary"

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.clock = FixedClock(NOW)
        self.folder = Path(self._folder.name)
        # Two services with caches of their own: what one has cached, the other changes.
        self.rivals = [open_bookings(self.folder, self.clock), open_bookings(self.folder, self.clock)]
        self.turn = 0
        self.plain = Plain()
        connect_remote(self.bookings)

    def teardown(self) -> None:
        for bookings in self.rivals:
            bookings.calendars.store.close()  # type: ignore[attr-defined]
        self._folder.cleanup()

    @property
    def bookings(self):
        self.turn += 1
        return self.rivals[self.turn % 2]

    @property
    def seconds(self) -> float:
        return self.clock.instant.timestamp()

    @rule(target=booked, start=STARTS, length=LENGTHS)
    def book(self, start: int, length: int) -> str:
        free = self.plain.is_free(start, start + length, self.seconds)
        try:
            booking = self.bookings.book(draft(start, length, calendar=self.calendar)).event.id
        except Conflict:
            assert not free
            return "none"
        assert free
        self.plain.bookings[booking] = (start, start + length)
        return booking

    @rule(booking=booked)
    def cancel(self, booking: str) -> None:
        try:
            assert self.bookings.cancel(self.calendar, booking) == (booking in self.plain.bookings)
        except NotFound:
            assert booking == "none"
        self.plain.bookings.pop(booking, None)

    @rule(booking=booked, start=STARTS, length=st.none() | LENGTHS)
    def reschedule(self, booking: str, start: int, length: int | None) -> None:
        stands = self.plain.bookings.get(booking)
        begin = NINE + timedelta(minutes=start)
        try:
            self.bookings.reschedule(
                self.calendar, booking, begin, begin + timedelta(minutes=length) if length else None
            )
        except NotFound:
            assert booking == "none"
            return
        except Conflict:
            assert stands is None or not self._may_move(booking, stands, start, length)
            return
        assert stands is not None
        assert self._may_move(booking, stands, start, length)
        self.plain.bookings[booking] = (start, start + (length or stands[1] - stands[0]))

    def _may_move(self, booking: str, stands: tuple[int, int], start: int, length: int | None) -> bool:
        end = start + (length or stands[1] - stands[0])
        return self.plain.is_free(start, end, self.seconds, but=booking)

    @rule(target=held, start=STARTS, length=LENGTHS, ttl=TTLS)
    def hold(self, start: int, length: int, ttl: int) -> str:
        free = self.plain.is_free(start, start + length, self.seconds)
        begin = NINE + timedelta(minutes=start)
        try:
            key = self.bookings.hold(self.calendar, begin, begin + timedelta(minutes=length), "", ttl).id
        except Conflict:
            assert not free
            return "hold_none"
        assert free
        self.plain.holds[key] = (start, start + length, self.seconds + ttl)
        return key

    @rule(key=consumes(held))
    def release(self, key: str) -> None:
        live = key in self.plain.holds and self.plain.holds[key][2] > self.seconds
        assert self.bookings.release(self.calendar, key) == live
        self.plain.holds.pop(key, None)

    @rule(target=booked, key=held, start=STARTS, length=LENGTHS)
    def book_a_hold(self, key: str, start: int, length: int) -> str:
        free = self.plain.is_free(start, start + length, self.seconds, but=key)
        try:
            booking = self.bookings.book(draft(start, length, calendar=self.calendar, hold_id=key)).event.id
        except Conflict:
            assert not free
            return "none"
        assert free
        self.plain.holds.pop(key, None)
        self.plain.bookings[booking] = (start, start + length)
        return booking

    @rule(seconds=st.sampled_from([1, 31, 300]))
    def time_passes(self, seconds: int) -> None:
        self.clock.instant += timedelta(seconds=seconds)

    @invariant()
    def both_hold_the_same(self) -> None:
        assert minutes_by_event(self.bookings, self.calendar) == self.plain.bookings


TestNativeCalendar = NativeCalendar.TestCase
TestNativeCalendar.settings = SEQUENCES
