"""expand_rrule itself: parsed, guarded, expanded and written out."""

from collections.abc import Callable

from phrases import DTSTART, FAR_WINDOW, NEVER, RULES, ZONE

from almanac.families.time.tools.recurrence import expand_rrule
from almanac.kernel.errors import InvalidInput


def calls() -> dict[str, Callable[[], object]]:
    return {
        **{name: lambda rule=rule: _expand(rule) for name, rule in (RULES | NEVER).items()},
        "a month, thirty years on": _far,
    }


def _far() -> object:
    rule, after, before = FAR_WINDOW
    return expand_rrule(rule, DTSTART, ZONE, after=after, before=before)


def _expand(rule: str) -> object:
    try:
        return expand_rrule(rule, DTSTART, ZONE)
    except InvalidInput as refused:
        return refused
