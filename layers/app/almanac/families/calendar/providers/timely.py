"""Provider for one call, with one deadline for all exchanges."""

from collections.abc import Collection

from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.model.events import Event
from almanac.families.calendar.providers.port import (
    Answer,
    Changes,
    Provider,
    ProviderCopy,
    ProviderEvent,
    RemoteCalendar,
)
from almanac.families.calendar.providers.transport.deadlines import Deadline, all_by


class TimelyProvider:
    """Provider that raises Unavailable after the deadline, as if it were too slow."""

    def __init__(self, provider: Provider, deadline: Deadline) -> None:
        self.name = provider.name
        self._provider = provider
        self._deadline = deadline

    def create(self, calendar: RemoteCalendar, event: Event) -> ProviderCopy:
        with all_by(self._deadline):
            return self._provider.create(calendar, event)

    def update(
        self, calendar: RemoteCalendar, event: Event, etag: str | None, changed: Collection[str] = ()
    ) -> ProviderCopy:
        with all_by(self._deadline):
            return self._provider.update(calendar, event, etag, changed)

    def respond(self, calendar: RemoteCalendar, event: Event, etag: str | None, answer: Answer) -> ProviderCopy:
        with all_by(self._deadline):
            return self._provider.respond(calendar, event, etag, answer)

    def delete(self, calendar: RemoteCalendar, event_id: str, etag: str | None) -> None:
        with all_by(self._deadline):
            self._provider.delete(calendar, event_id, etag)

    def find(self, calendar: RemoteCalendar, event_id: str) -> Event | None:
        with all_by(self._deadline):
            return self._provider.find(calendar, event_id)

    def current_events(self, calendar: RemoteCalendar, window: Interval) -> list[ProviderEvent]:
        with all_by(self._deadline):
            return self._provider.current_events(calendar, window)

    def changes(self, calendar: RemoteCalendar, token: str | None) -> Changes:
        with all_by(self._deadline):
            return self._provider.changes(calendar, token)

    def busy(self, calendar: RemoteCalendar, window: Interval) -> list[Interval]:
        with all_by(self._deadline):
            return self._provider.busy(calendar, window)

    def calendars(self) -> list[RemoteCalendar]:
        with all_by(self._deadline):
            return self._provider.calendars()
