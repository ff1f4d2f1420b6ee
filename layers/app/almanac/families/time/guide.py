"""Guide to the time tools as a resource, and prompts for two frequent questions."""

from collections.abc import Mapping, Sequence

from almanac.families.time.core.zones import TZDB_VERSION, zone_names
from almanac.protocol.content import PromptMessage, ResourceContents, TextContent
from almanac.protocol.family import Prompt, PromptArgument, Resource

_URI = "almanac://time/guide"

_GUIDE = """\
# Telling time with Almanac

1. `get_temporal_context` first: it says what "now" is where the user is.
2. Words into a timestamp: `resolve_datetime` with `expression`. Read `interpretation` back to the user when it matters.
3. A local time that a user typed: `validate_local_datetime`; unless it is valid, ask, then `resolve_datetime` with
   `local_datetime` and a policy. Twice a year a local time happens twice or not at all.
4. Timestamp into another zone: `convert_timezone` (any offset) or `convert_datetime` (UTC in).
5. Arithmetic: `compute_duration` between timestamps, `adjust_timestamp` from one. "+1d" keeps the wall clock, "+24h" is
   exact; they differ on the days when clocks change.
6. Repetition: `expand_rrule`. Many at once: `batch_datetime_operations`.

## What expressions mean

| written | read as |
|---|---|
| next Friday | the soonest Friday after today |
| this Friday | Friday of this week (Monday first), even if it is past |
| last Friday | the most recent Friday before today |
| next week, next month | the first moment of that period |
| end of month | 23:59:59 of its last day |
| morning, noon, afternoon, eob, evening, night | 09:00, 12:00, 13:00, 17:00, 18:00, 21:00 |
| in 2 hours, +2h | exactly two hours from now |
| in 2 days, +2d | the same wall time in two days |
| in 3 business days | Monday to Friday only; holidays are not known |

## Words

- gap: wall times that clocks skip when they are set forward. overlap: wall times that happen twice when set back.
- Zones are IANA names. EST or UTC-5 are not zones: they do not say which rules hold.
- Zone rules here: IANA tz database, release {release}.
"""


def _read_guide() -> ResourceContents:
    return ResourceContents(_URI, "text/markdown", _GUIDE.format(release=TZDB_VERSION))


GUIDE = Resource(
    uri=_URI,
    name="time-guide",
    title="Guide to the time tools",
    description="Which time tool answers which question, and how expressions are read.",
    read=_read_guide,
)


def _complete_zone(argument: str, typed: str) -> Sequence[str]:
    """Return the zones whose name or city begins with the typed text."""
    if argument not in ("zone", "zones"):
        return ()
    start = typed.rsplit(",", 1)[-1].strip().lower().replace(" ", "_")
    return [name for name in zone_names() if name.lower().startswith(start) or _city(name).startswith(start)]


def _city(name: str) -> str:
    return name.rsplit("/", 1)[-1].lower()


def _when_is_it(arguments: Mapping[str, str]) -> Sequence[PromptMessage]:
    text = (
        f"What date and time is {arguments['when']} in {arguments['zone']}? Use resolve_datetime with that expression "
        "and zone, tell me the weekday, the date, the local time with its offset and the time in UTC, and say so if "
        "the clocks change close to it."
    )
    return [PromptMessage("user", TextContent(text))]


def _meeting_time(arguments: Mapping[str, str]) -> Sequence[PromptMessage]:
    text = (
        f"Find a time for a meeting on {arguments['when']} that falls into working hours (09:00 to 17:00) in all of "
        f"these zones: {arguments['zones']}. Resolve the day with resolve_datetime in each zone, convert the hours "
        "with convert_timezone, and show the two best times as each place's local time. If no hour suits all, say "
        "which zone bears the least bad one."
    )
    return [PromptMessage("user", TextContent(text))]


_WHEN = PromptArgument("when", 'Time in words, e.g. "next Tuesday at 2pm".', required=True)

WHEN_IS_IT = Prompt(
    name="when_is_it",
    title="When is it?",
    description="Turn a time in words into an exact date and time somewhere.",
    render=_when_is_it,
    arguments=(_WHEN, PromptArgument("zone", "IANA time zone, e.g. Europe/London.", required=True)),
    complete=_complete_zone,
)

MEETING_TIME = Prompt(
    name="meeting_time",
    title="A time that suits several places",
    description="Find hours on a day that are working hours in every zone.",
    render=_meeting_time,
    arguments=(
        PromptArgument("when", 'Day in words, e.g. "next Tuesday".', required=True),
        PromptArgument("zones", "IANA time zones, separated by commas.", required=True),
    ),
    complete=_complete_zone,
)
