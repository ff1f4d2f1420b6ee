"""The tool that reads one event in full."""

from msgspec import UNSET, UnsetType
from msgspec.structs import asdict

from almanac.families.calendar.model.events import Event
from almanac.families.calendar.model.instance_ids import slot_day
from almanac.families.calendar.texts.secrets import visible
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.results import Result, planner_tool, success
from almanac.families.planner.edits.answers import edit_answer
from almanac.families.planner.events.native import find_event
from almanac.families.planner.events.rows import EventRow
from almanac.families.planner.texts.display_texts import display_texts
from almanac.families.planner.tools.arguments import Zone
from almanac.families.planner.tools.events import EventId
from almanac.families.planner.tools.links import LinkRow, link_rows
from almanac.protocol.tool import Effect

_LINKS = 100


class WholeEvent(EventRow, frozen=True, rename="camel", kw_only=True):
    """`links`: the first 100; if `more_links`, items_list_links returns the others. `exdates`: days that a series
    leaves out. `editable`: calendar_update_event can change it. Otherwise it is in a provider's calendar, where
    update_booking and reschedule_booking can."""

    organizer: str
    url: str | None
    links: list[LinkRow]
    more_links: bool
    exdates: list[str] | UnsetType = UNSET
    editable: bool
    created_at: str | None
    updated_at: str | None
    untrusted: bool = True


@planner_tool(title="Read an event or task", effect=Effect.READS)
def calendar_get_event(event_id: EventId, timezone: Zone = None, *, planner: Planner) -> Result[WholeEvent]:
    """Look up or open one event, appointment or task of the planner by its id and show everything about it: location,
    who is invited, how it recurs, linked items. For answers of guests use get_event.
    """
    planner = planner.in_zone(timezone)
    agenda, found = find_event(planner, event_id)
    event, mark = visible(found.event, agenda.calendar.provider), agenda.mark(found.event.id)
    row = edit_answer(agenda, event, mark, slot=None if found.is_exception else found.slot).row
    links, following = link_rows(planner, agenda.located_id_of(found.id), _LINKS, None)
    fields = asdict(row)
    if found.names_whole_series:
        fields["id"] = agenda.located_id_of(event.id)
    whole = WholeEvent(
        **fields,
        organizer=display_texts(organizer=event.organizer).text("organizer"),
        url=event.url,
        links=links,
        more_links=following is not None,
        exdates=_left_out(found.series or event) or UNSET,
        editable=agenda.calendar.is_native,
        created_at=event.created.astimezone(planner.zone).isoformat(timespec="seconds") if event.created else None,
        updated_at=event.updated.astimezone(planner.zone).isoformat(timespec="seconds") if event.updated else None,
    )
    return success(whole)


def _left_out(series: Event) -> list[str]:
    return sorted({slot_day(when).isoformat() for when in series.exdates})
