"""Port through which the calendar service calls the providers behind its calendars."""

from typing import Protocol

from almanac.families.calendar.entries.records import CalendarRecord
from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.providers.port import Provider
from almanac.kernel.errors import Unavailable


class ProviderGateway(Protocol):
    """Provider of each calendar that is not native, and the upkeep of its shadow (the stored copy of its events)."""

    def provider(self, calendar: CalendarRecord) -> Provider:
        """Return the provider. Raises Forbidden if it has no stored credentials."""
        ...

    def refresh(self, calendar: CalendarRecord, *, booking: bool) -> None:
        """Bring the shadow up to date unless that was done just now; always do it before a `booking`.

        Raises Unavailable with the provider and the age of the shadow.
        """
        ...

    def busy(self, calendar: CalendarRecord, window: Interval) -> list[Interval]:
        """Return the busy times in `window` of a calendar whose provider shares nothing else."""
        ...

    def discover(self, calendar_id: str) -> CalendarRecord | None:
        """Return a calendar that its provider has but the store does not know yet; None if there is none."""
        ...


class NoProviders:
    """Gateway for a process with native calendars only."""

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
