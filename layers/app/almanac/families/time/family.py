"""The time family: nine tools that store nothing and use no network."""
# ruff: noqa: PLC0415 - the tools are imported when they are first needed

from almanac.platform.declaration.family import FamilyDeclaration
from almanac.platform.services import Services
from almanac.protocol.family import Family, First, Icon, ToolModules

_INSTRUCTIONS = """\
Exact answers about time; never compute dates, weekdays or offsets yourself.
Start with get_temporal_context: it gives now, the weekday, the user's zone and the next clock change. If
timezone_configured is false, ask the user for their IANA time zone and pass it to every call.
resolve_datetime turns words ("next Tuesday at 2pm", "in 3 business days", "end of next quarter") into a timestamp; it
refuses words that it cannot read and suggests similar ones. For a local time that a user typed, call
validate_local_datetime before acting on it: twice a year a local time does not exist or happens twice; then ask, or
resolve it with a policy.
convert_timezone and convert_datetime show a timestamp in another zone. compute_duration measures, adjust_timestamp
shifts ("+1d" keeps the wall clock, "+24h" is exact). expand_rrule lists the instances of a recurrence rule.
batch_datetime_operations checks, resolves or converts up to 100 date-times in one call.
"""

# A clock face; an SVG so that it is sharp at any size and travels inside the listing.
_ICON = (
    "data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHZpZXdCb3g9IjAgMCAyNCAyNCI+PGNpcmNsZSBj"
    "eD0iMTIiIGN5PSIxMiIgcj0iMTAiIGZpbGw9Im5vbmUiIHN0cm9rZT0iIzJmNmZlYiIgc3Ryb2tlLXdpZHRoPSIyIi8+PHBhdGggZD0iTTEyIDZ2Nmw0"
    "IDIiIGZpbGw9Im5vbmUiIHN0cm9rZT0iIzJmNmZlYiIgc3Ryb2tlLXdpZHRoPSIyIiBzdHJva2UtbGluZWNhcD0icm91bmQiLz48L3N2Zz4="
)


def _open(_: Services) -> Family:
    from almanac.families.time.guide import GUIDE, MEETING_TIME, WHEN_IS_IT

    return Family(
        name="time",
        title="Time",
        instructions=_INSTRUCTIONS,
        summary="exact dates from words, zones, durations, recurrence. Never compute dates or weekdays yourself.",
        first=First("get_temporal_context", "it tells now, the weekday and the zone", rank=3),
        icon=Icon(_ICON, "image/svg+xml"),
        tools=ToolModules(
            "almanac.families.time.tools", "batch", "durations", "instants", "local_datetimes", "now", "recurrence"
        ),
        resources=(GUIDE,),
        prompts=(MEETING_TIME, WHEN_IS_IT),
    )


family = FamilyDeclaration(name="time", open=_open)
