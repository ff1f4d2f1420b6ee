"""Port by which the calendar service calls the providers behind its calendars."""

from typing import Protocol

from almanac.families.calendar.entries.records import CalendarRecord
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.providers.port import Provider
from almanac.kernel.errors import Unavailable


class ProviderGateway(Protocol):
    """The provider of each calendar that is not native, and how its shadow is kept."""

    def provider(self, calendar: CalendarRecord) -> Provider:
        """Raises Forbidden where no credentials are kept for it."""
        ...

    def refresh(self, calendar: CalendarRecord, *, booking: bool) -> None:
        """Brings the shadow up to date, as far as that was not done just now; always where a `booking` follows.

        Raises Unavailable, naming the provider and how old the shadow is.
        """
        ...

    def busy(self, calendar: CalendarRecord, window: Interval) -> list[Interval]:
        """Return the busy times in `window` of a calendar without a shadow, of which the provider shares nothing
        else."""
        ...

    def discover(self, calendar_id: str) -> CalendarRecord | None:
        """A calendar that is at its provider but not yet known here; None where there is none."""
        ...


class NoProviders:
    """For a place that has native calendars only."""

    def provider(self, calendar: CalendarRecord) -> Provider:
        raise Unavailable(
            f"{calendar.provider} cannot be reached from here: the calendar {calendar.id} is not connected.",
            "Connect it with `almanac calendar connect`, or use a native calendar.",
        )

    def refresh(self, calendar: CalendarRecord, *, booking: bool) -> None:  # noqa: ARG002 - the port's
        self.provider(calendar)

    def busy(self, calendar: CalendarRecord, window: Interval) -> list[Interval]:
        return self.provider(calendar).busy(calendar.at_provider(), window)

    def discover(self, calendar_id: str) -> CalendarRecord | None:  # noqa: ARG002 - the port's
        return None
