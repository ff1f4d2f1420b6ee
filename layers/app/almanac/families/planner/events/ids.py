"""Which event an id means that may or may not say its calendar: see `calendar/located_ids.py`."""

from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.records import POINTERS
from almanac.families.calendar.model.instance_ids import read_instance_id
from almanac.families.calendar.model.located_ids import AT, PRIMARY, Located, located_id, read_located
from almanac.kernel.errors import InvalidInput


def locate(calendars: Calendars, text: str) -> Located:
    """A short id of no calendar is taken for one of "primary". Raises InvalidInput where several calendars have an
    event of that id and "primary" has none."""
    wanted = text.strip()
    if not wanted:
        return Located(PRIMARY, wanted)
    others = [calendar.id for calendar in calendars.listed() if calendar.id != PRIMARY] if AT in wanted else []
    if AT in wanted and (located := read_located(wanted)).calendar in others:
        return located
    instance = read_instance_id(wanted)
    ids = [wanted, *([instance.series] if instance is not None else [])]
    rows = POINTERS.within(calendars.store, calendars.scope)
    if any(one is not None for one in rows.get_many([(PRIMARY, one) for one in ids])):
        return Located(PRIMARY, wanted)
    others = others or [calendar.id for calendar in calendars.listed() if calendar.id != PRIMARY]
    keys = [(calendar, one) for calendar in others for one in ids]
    found = dict.fromkeys(one.calendar for one in rows.get_many(keys) if one is not None and one.state == "stands")
    if len(found) > 1:
        several = ", ".join(located_id(calendar, wanted) for calendar in list(found)[:3])
        raise InvalidInput(
            f'Several calendars have an event "{wanted[:80]}".', f"Give the calendar too: {several}.", path="eventId"
        )
    return Located(next(iter(found), PRIMARY), wanted)
