"""Links to instances of a series, and marks of its exceptions."""

from collections.abc import Sequence

from almanac.families.calendar.model.events import When
from almanac.families.calendar.model.instance_ids import slot_day
from almanac.families.calendar.model.located_ids import read_located
from almanac.families.planner.core.records import LINKS, MARKS, Link, Mark
from almanac.families.planner.events.native import Agenda

_LOOKED_AT = 500


def links_to_instances(
    agenda: Agenda, series: str, slot: When | None, *, reached: str = "", backwards: bool = False, limit: int
) -> Sequence[Link]:
    """Return the links to instances from `slot` on, or all for None, after the link `reached`."""
    since, until = _id_range(series, slot)
    if backwards:
        until = min(until, reached or until)
    else:
        since = max(since, reached)
    rows = agenda.planner.rows(LINKS)
    found = rows.query(since=since, until=until, reverse=backwards, limit=_LOOKED_AT).records
    return [one for one in found if read_located(one.item).calendar == agenda.calendar.id][:limit]


def marks_of_instances(agenda: Agenda, series: str, slot: When | None) -> Sequence[Mark]:
    """Return the marks of exceptions from `slot` on, or all for None."""
    since, until = _id_range(series, slot)
    rows = agenda.planner.rows(MARKS)
    found = rows.query(since=since, until=until, limit=_LOOKED_AT).records
    return [one for one in found if read_located(one.id).calendar == agenda.calendar.id]


def _id_range(series: str, slot: When | None) -> tuple[str, str]:
    """Return the range of instance ids from `slot` on, or all for None. A colon sorts after every digit. Series in two
    calendars may have the same id."""
    return f"{series}_{slot_day(slot):%Y%m%d}" if slot is not None else f"{series}_", f"{series}_:"
