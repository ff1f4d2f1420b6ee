"""Busy times of a Google calendar that shares nothing else."""

from datetime import datetime
from typing import Any

from almanac.families.calendar.model.availability import Interval
from almanac.families.calendar.providers.google.calls import NAME, GoogleCalls, decode_object, reasons
from almanac.kernel.errors import Forbidden, InvalidInput, Unavailable
from almanac.kernel.instants import instant_at, milliseconds

_DAY = 86_400_000
_LONGEST = 366 * _DAY
_AT_ONCE = 60 * _DAY


def busy_times(calls: GoogleCalls, calendar_id: str, window: Interval) -> list[Interval]:
    """Return the busy intervals that overlap `window`, by start. Raises InvalidInput for a window of over a year."""
    if window.end - window.start > _LONGEST:
        raise InvalidInput(
            f"{NAME} shares only free and busy times of {calendar_id[:80]}, for at most a year at a time.",
            "Split the window into shorter ones and call once for each.",
            path="end",
        )
    starts = range(window.start, window.end, _AT_ONCE)
    return [
        one for start in starts for one in _ask(calls, calendar_id, Interval(start, min(start + _AT_ONCE, window.end)))
    ]


def _ask(calls: GoogleCalls, calendar_id: str, window: Interval) -> list[Interval]:
    ends = {"timeMin": instant_at(window.start).isoformat(), "timeMax": instant_at(window.end).isoformat()}
    answer = calls.call("POST", "/freeBusy", body={**ends, "items": [{"id": calendar_id}]})
    if answer.status == 400 and "timeRangeTooLong" in reasons(answer) and window.end - window.start > _DAY:
        # Google does not document the limit.
        middle = (window.start + window.end) // 2
        halves = Interval(window.start, middle), Interval(middle, window.end)
        return [one for half in halves for one in _ask(calls, calendar_id, half)]
    if answer.status != 200:
        raise calls.refusal_of(answer, "the busy times")
    busy_times: dict[str, Any] = decode_object(answer).get("calendars", {}).get(calendar_id, {})
    if busy_times.get("errors"):
        # Google answers alike for a calendar that is no longer shared and for one that never was.
        if any(problem.get("reason") == "notFound" for problem in busy_times["errors"]):
            raise Forbidden(
                f"{NAME} does not share the busy times of {calendar_id[:80]}.", "Ask its owner to share them."
            )
        raise Unavailable(f"{NAME} cannot read the busy times of {calendar_id[:80]}.", "Try again in a moment.")
    return [Interval(_at(one["start"]), _at(one["end"])) for one in busy_times.get("busy", ())]


def _at(text: str) -> int:
    return milliseconds(datetime.fromisoformat(text))
