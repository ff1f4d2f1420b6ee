"""How a clock time and a part of the day fit: "8 in the evening" is 20:00, "tonight at 6:30" is 18:30."""

from datetime import time

from almanac.families.time.expressions.clock_times import Clock
from almanac.families.time.expressions.refusal import ambiguous, impossible
from almanac.families.time.expressions.vocabulary import NamedTime

# For each part: the hours of the 24-hour clock it covers, and the hours of the 12-hour clock that mean pm in it.
_COVERS = {
    "morning": (range(12), range(0)),
    "afternoon": (range(12, 19), range(1, 7)),
    "evening": (range(15, 24), range(3, 12)),
    "night": (range(18, 24), range(6, 12)),
}
_AFTER_MIDNIGHT = range(6)
_ON_24_HOURS = "no am or pm given: read as {:%H:%M} on the 24-hour clock"


def resolve_clock(clock: Clock | None, part: NamedTime | None) -> tuple[time | None, str]:
    """The time of day, if any is said, and what was decided for it.

    Raises InvalidInput where the two contradict each other.
    """
    if clock is None:
        return None if part is None else time(part.hour, part.minute, part.second), ""
    if part is None:
        if clock.name == "midnight":
            return clock.time(), "midnight read as 00:00, the start of that day"
        note = "" if clock.sure or clock.second is not None else _ON_24_HOURS.format(clock.time())
        return clock.time(), note
    return _within(clock, part), ""


def _within(clock: Clock, part: NamedTime) -> time:
    covered, afternoon = _COVERS[part.name]
    hour = clock.hour
    if not clock.sure and hour in afternoon:
        hour += 12
    if part.name == "night":
        if hour in _AFTER_MIDNIGHT and clock.sure:
            covered = _AFTER_MIDNIGHT
        elif hour in (12, *_AFTER_MIDNIGHT):
            raise ambiguous(f'"{clock.hour} at night" has two readings.', "Say am or pm and the day, or use midnight.")
    if hour not in covered or (part.name == "morning" and hour == 0 and clock.name):
        raise impossible(f"{clock.time():%H:%M} is not in the {part.name}.", "Leave out one of the two.")
    return time(hour, clock.minute, clock.second or 0, clock.microsecond)
