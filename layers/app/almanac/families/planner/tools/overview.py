"""The tool that summarises days."""

from typing import Annotated

from msgspec import Meta

from almanac.families.planner.core.days import optional_day
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.results import Result, planner_tool, success
from almanac.families.planner.overview.overview import Overview, overview
from almanac.families.planner.tools.arguments import WhichCalendars, Zone, clamp
from almanac.protocol.tool import Effect


@planner_tool(title="Agenda of the day", effect=Effect.READS)
def daily_overview(
    start_date: Annotated[str | None, Meta(description="First day, YYYY-MM-DD or words. Default: today.")] = None,
    days: Annotated[float | None, Meta(description="1 to 31; default 7.")] = None,
    calendars: WhichCalendars = [],  # noqa: B006 - msgspec copies it
    timezone: Zone = None,
    *,
    planner: Planner,
) -> Result[Overview]:
    """Summarize the day or week at a glance, over all calendars: a briefing on today, tomorrow or the next days with
    the agenda, meetings, tasks due, what to get done, what is overdue, free time and progress. For a plain list use
    calendar_list_events.
    """
    planner = planner.in_zone(timezone, start_date)
    first = optional_day(start_date, "startDate", planner) or planner.today()
    return success(overview(planner, first, clamp(days, 7, 1, 31), calendars))
