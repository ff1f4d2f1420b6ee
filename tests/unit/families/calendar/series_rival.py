"""Rivals like those of rival.py that want series, whole days and single slots of the same week."""

import random
import sys
from datetime import timedelta
from pathlib import Path

from msgspec.structs import replace

from almanac.families.calendar.booking.draft import Draft

sys.path.insert(0, str(Path(__file__).parents[4]))

from tests.unit.families.calendar.rival import main
from tests.unit.families.calendar.services import NINE, draft

DAY_MINUTES = 24 * 60
ROUND_DAYS = 7
_RULES = ("FREQ=DAILY;COUNT=4", "FREQ=DAILY;INTERVAL=2;COUNT=3", "FREQ=DAILY;INTERVAL=3;COUNT=2")


def draft_of_round(calendar: str, number: int) -> Draft:
    """Return a random draft that overlaps with every other client's draft on the fourth day of the round."""
    day = number * ROUND_DAYS + 3
    kind = random.randrange(5)
    if kind == 0:
        whole = (NINE + timedelta(days=day)).date()
        return replace(draft(0, calendar=calendar), start=whole, end=whole + timedelta(days=1))
    if kind == 1:
        return draft(day * DAY_MINUTES, calendar=calendar)
    rule = _RULES[kind - 2]
    before = {2: random.randrange(4), 3: random.choice((0, 2)), 4: random.choice((0, 3))}[kind]
    begins = draft((day - before) * DAY_MINUTES - random.randrange(20), calendar=calendar)
    return replace(begins, recurrence=rule)


if __name__ == "__main__":
    main(draft_of_round)
