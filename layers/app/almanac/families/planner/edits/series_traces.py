"""What the planner keeps of instances of a series, under their ids: links to them, and marks of those that differ."""

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
    """To instances from `slot` on, or all, from `reached` on."""
    since, until = _ids(series, slot)
    if backwards:
        until = min(until, reached or until)
    else:
        since = max(since, reached)
    rows = agenda.planner.rows(LINKS)
    found = rows.query(since=since, until=until, reverse=backwards, limit=_LOOKED_AT).records
    return [one for one in found if read_located(one.item).calendar == agenda.calendar.id][:limit]


def marks_of_instances(agenda: Agenda, series: str, slot: When | None) -> Sequence[Mark]:
    """Of instances from `slot` on, or all, that differ from their series."""
    since, until = _ids(series, slot)
    rows = agenda.planner.rows(MARKS)
    found = rows.query(since=since, until=until, limit=_LOOKED_AT).records
    return [one for one in found if read_located(one.id).calendar == agenda.calendar.id]


def _ids(series: str, slot: When | None) -> tuple[str, str]:
    """Between which the ids of instances from `slot` on, or of all, lie: a colon sorts after every digit. Two calendars
    may hold the same file, and series of the same id."""
    return f"{series}_{slot_day(slot):%Y%m%d}" if slot is not None else f"{series}_", f"{series}_:"
