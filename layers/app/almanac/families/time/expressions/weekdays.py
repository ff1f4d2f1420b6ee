"""Weekdays: "Friday", "next Friday", "Friday after next", and forms such as "first Monday of March"."""

from datetime import timedelta

from almanac.families.time.expressions.amounts import read_count, read_ordinal
from almanac.families.time.expressions.calendar_steps import ONE_DAY, SATURDAY, add_business_days, add_months
from almanac.families.time.expressions.context import Context
from almanac.families.time.expressions.days import Day, day_label
from almanac.families.time.expressions.durations import read_unit
from almanac.families.time.expressions.periods import Read, last_day, read_period, steps_beyond
from almanac.families.time.expressions.refusal import impossible
from almanac.families.time.expressions.vocabulary import WEEKDAYS, Tokens


def next_weekday(weekday: int, context: Context, *, today_counts: bool) -> Day:
    """Return the next such weekday."""
    ahead = (weekday - context.today.weekday()) % 7
    if ahead == 0 and not today_counts:
        ahead = 7
    day = context.today + timedelta(days=ahead)
    return Day(day, note=f"{WEEKDAYS[weekday]} read as the next one, {day.isoformat()}")


def read_weekday(tokens: Tokens, at: int, context: Context) -> Read | None:
    """ "next Friday", "this past Monday", "Friday after next", "3 Fridays from now"; not a bare weekday."""
    direction = tokens[at].direction
    if direction is not None:
        if direction == 0 and tokens[at + 1].direction:
            direction, at = tokens[at + 1].direction or 0, at + 1
        weekday = tokens[at + 1].weekday
        if weekday is None:
            return None
        day = weekday_by_direction(weekday, direction, context)
        if tokens[at].text in ("coming", "upcoming"):
            day.note = ""  # nobody reads these otherwise
        return day, at + 2
    weekday = tokens[at].weekday
    if weekday is not None:
        count = steps_beyond(tokens, at + 1)
        return (_nth_weekday(weekday, count, context), at + 3) if count else None
    return _read_counted(tokens, at, context)


def _read_counted(tokens: Tokens, at: int, context: Context) -> Read | None:
    """ "3 Fridays from now", "two Mondays ago"."""
    count = read_count(tokens, at)
    if count is None or not 1 <= count[0] <= 10_000 or (weekday := tokens[count[1]].weekdays) is None:
        return None
    after = count[1] + 1
    if tokens[after].text == "ago":
        return _nth_weekday(weekday, -count[0], context), after + 1
    if tokens[after].text == "from" and tokens[after + 1].text == "now":
        return _nth_weekday(weekday, count[0], context), after + 2
    return None


def _nth_weekday(weekday: int, count: int, context: Context) -> Day:
    """Return the count-th such weekday strictly after today (before it if negative)."""
    first = weekday_by_direction(weekday, 1 if count > 0 else -1, context).start
    day = first + timedelta(weeks=count - 1 if count > 0 else count + 1)
    return Day(day, note=f"counted from the nearest {WEEKDAYS[weekday]} on that side of today: {day_label(day)}")


def weekday_by_direction(weekday: int, direction: int, context: Context) -> Day:
    """Return the weekday strictly after today (next), strictly before (last), or in today's Monday-based week
    (this)."""
    today, name = context.today, WEEKDAYS[weekday]
    offset = weekday - today.weekday()
    if direction > 0:
        day = today + timedelta(days=offset if offset > 0 else offset + 7)
        note = f'"next {name}" read as the soonest {name} after today' if offset > 0 else ""
    elif direction < 0:
        day = today + timedelta(days=offset if offset < 0 else offset - 7)
        note = f'"last {name}" read as the latest {name} before today' if offset < 0 else ""
    else:
        day = today + timedelta(days=offset)
        note = f'"this {name}" read as that of the current week, already past' if offset < 0 else ""
    return Day(day, note=note)


def in_week(weekday: int, week: Day) -> Day:
    """Return the weekday of a week period."""
    return Day(week.start + timedelta(days=(weekday - week.start.weekday()) % 7), note=week.note)


def read_ordinal_of(tokens: Tokens, at: int, context: Context) -> Read | None:
    """ "first Monday of March", "last day of February 2028", "20th of next month", "third business day of Q3 2026"."""
    chosen = _read_choice(tokens, at)
    if chosen is None:
        return None
    ordinal, weekday, business, after = chosen
    joined = tokens[after].text in ("of", "in")
    if not joined and tokens[after].direction is None:
        return None
    period = read_period(tokens, after + joined, context)
    if period is None or period[0].unit == "day":
        return None
    of, after = period
    day = _pick(ordinal, weekday, business, of)
    if of.fixed:
        day.note = of.note
        return day, after
    if day.start < context.today:
        day = _pick(ordinal, weekday, business, Day(add_months(of.start, 12), of.unit))
    day.note = f"no year given: read as the next such day, {day_label(day.start)}"
    return day, after


def _read_choice(tokens: Tokens, at: int) -> tuple[int, int | None, bool, int] | None:
    """Read "third Friday", "last business day" or "20th" as (ordinal, weekday, whether business days count, next
    position)."""
    found = read_ordinal(tokens, at)
    if found is None and tokens[at].digits <= 2 and [tokens[at + 1].text, tokens[at + 2].unit] == ["of", None]:
        found = read_count(tokens, at)  # "20 of next month"
    if found is None:
        return None
    ordinal, after = found
    weekday = tokens[after].weekday
    if weekday is not None:
        return ordinal, weekday, False, after + 1
    unit = read_unit(tokens, after)
    if unit is not None and unit[0] in ("day", "business day"):
        return ordinal, None, unit[0] == "business day", unit[1]
    return (ordinal, None, False, after) if ordinal > 0 else None


def _pick(ordinal: int, weekday: int | None, business: bool, of: Day) -> Day:
    """Return the ordinal-th day, weekday or business day of a period. Raises InvalidInput if it has too few."""
    first, last = of.start, last_day(of)
    if ordinal < 0:
        day = last
        if weekday is not None:
            day -= timedelta(days=(last.weekday() - weekday) % 7)
        elif business and last.weekday() >= SATURDAY:
            day = add_business_days(last, -1)
    elif weekday is not None:
        day = first + timedelta(days=(weekday - first.weekday()) % 7, weeks=ordinal - 1)
    elif business:
        start = first if first.weekday() < SATURDAY else add_business_days(first, 1)
        day = add_business_days(start, ordinal - 1)
    else:
        day = first + ONE_DAY * (ordinal - 1)
    if not first <= day <= last:
        kind = WEEKDAYS[weekday] if weekday is not None else "business day" if business else "day"
        raise impossible(
            f"The {of.unit} of {first.isoformat()} to {last.isoformat()} has no {kind} number {ordinal}.",
            f'Ask for an earlier one, or for the "last {kind}".',
        )
    return Day(day)
