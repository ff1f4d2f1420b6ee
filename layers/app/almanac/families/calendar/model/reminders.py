"""Reminders of an event, as minutes before its start."""

from collections.abc import Iterable

from almanac.families.calendar.model.event_parts import Alarm
from almanac.families.calendar.model.events import Event


def reminders_of(event: Event) -> list[int]:
    """Return the reminders before the start, in whole minutes, the earliest first."""
    before = {-alarm.offset // 60 for alarm in event.alarms if alarm.related == "start" and alarm.offset is not None}
    return sorted((minutes for minutes in before if minutes >= 0), reverse=True)


def alarms_at(minutes: Iterable[int]) -> tuple[Alarm, ...]:
    """Return alarms that show the event's title, one for each number of minutes before the start."""
    return tuple(Alarm(offset=-60 * each, description="Reminder") for each in sorted(set(minutes), reverse=True))
