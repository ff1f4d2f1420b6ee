"""Links to instances that stand only as a rule: they follow when the series is cut, and go when the instances go."""

from collections.abc import Collection

from almanac.families.calendar.events import Event, When
from almanac.families.planner.event_changes import EventChanges
from almanac.families.planner.link_changes import MAX_LINKS
from almanac.families.planner.records import LINKS, Link
from almanac.families.planner.series import read_instance_id, slot_day


def move_links(changes: EventChanges, series: Event, slot: When, rest: Event, exceptions: Collection[str]) -> None:
    """What links to an instance of `series` from `slot` on links to that of `rest`; to `rest` itself if it is alone."""
    for link in _links(changes, series, slot):
        named = read_instance_id(link.item)
        if named is None or link.item in exceptions:
            continue
        day_id = f"{named.day:%Y%m%d}"
        clock = f"T{named.clock:%H%M%S}" if named.clock is not None else ""
        changes.links.rename(link, f"{rest.id}_{day_id}{clock}" if rest.is_series else rest.id)


def drop_links(changes: EventChanges, series: Event, slot: When | None) -> None:
    """What links to an instance of `series` from `slot` on, or to any."""
    for item in dict.fromkeys(link.item for link in _links(changes, series, slot)):
        changes.links.drop(item)


def _links(changes: EventChanges, series: Event, slot: When | None) -> tuple[Link, ...]:
    rows = LINKS.within(changes.planner.store, changes.planner.scope)
    since = f"{series.id}_{slot_day(slot):%Y%m%d}" if slot is not None else f"{series.id}_"
    # A colon sorts after every digit.
    return rows.query(since=since, until=f"{series.id}_:", limit=MAX_LINKS).records
