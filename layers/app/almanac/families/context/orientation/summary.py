"""The orientation in sentences: first the contract's own, word for word, then the items that are due."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from msgspec import Struct

from almanac.families.context.orientation.anchor import TimeAnchor, clock_of, short_day
from almanac.families.context.orientation.spans import count_text, span_text
from almanac.families.context.orientation.teamwork import Teamwork
from almanac.families.context.orientation.upcoming import UpcomingEvent, UpcomingEvents
from almanac.families.context.orientation.visits import OfflineGap
from almanac.kernel.instants import instant_at

_JUST_NOW_MS = 30_000
_TITLE = 60


class Since(Struct, frozen=True):
    """The caller's last visit. `at` is in milliseconds since 1970. It is None if it is not `known`, and on a first
    visit, when `gap` is None too."""

    at: int | None = None
    gap: OfflineGap | None = None
    known: bool = True


def summary(
    time: TimeAnchor, zone: ZoneInfo, project: str, since: Since, coming: UpcomingEvents, team: Teamwork
) -> str:
    return " ".join(
        [
            f"It is {time.time_of_day} on {time.date} ({time.timezone}, UTC{time.utc_offset}).",
            f"Project: {project}.",
            *_since(time, zone, since),
            *_upcoming_sentences(coming, zone),
            *_team(team),
        ]
    )


def _since(time: TimeAnchor, zone: ZoneInfo, since: Since) -> Iterator[str]:
    if not since.known:
        return
    if since.gap is None or since.at is None:
        yield "First session in this project."
        return
    if since.gap.duration_ms < _JUST_NOW_MS:
        yield "You were just here moments ago."
    else:
        yield f"Last session: {since.gap.duration_human} ago (since {_clock_then(since.at, time.epoch_ms, zone)})."
    yield _added_text(since.gap)


def _clock_then(then: int, now: int, zone: ZoneInfo) -> str:
    local, today = instant_at(then).astimezone(zone), instant_at(now).astimezone(zone).date()
    if local.date() == today:
        return clock_of(local)
    if local.date() == today - timedelta(days=1):
        return f"{clock_of(local)} yesterday"
    year = f", {local.year}" if local.year != today.year else ""
    return f"{clock_of(local)} on {short_day(local)}{year}"


def _added_text(gap: OfflineGap) -> str:
    if not gap.memories_added:
        return "No new memories were added while offline."
    number = f"Over {gap.memories_added}" if gap.at_least else str(gap.memories_added)
    return f"{number} new {'memory was' if number == '1' else 'memories were'} added while offline."


def _upcoming_sentences(coming: UpcomingEvents, zone: ZoneInfo) -> Iterator[str]:
    timed = [event for event in coming.events if not event.all_day]
    going_on = [event for event in timed if event.in_ms <= 0]
    ahead = next((event for event in timed if event.in_ms > 0), None)
    for event in going_on[:1]:
        ends = clock_of(datetime.fromisoformat(event.end).astimezone(zone))
        yield f"Now, until {ends}: {_title_of(event)}."
    if ahead is not None:
        yield f"In {span_text(ahead.in_ms)}: {_title_of(ahead)}."


def _title_of(event: UpcomingEvent) -> str:
    title = event.title
    short = (title if len(title) <= _TITLE else f"{title[:_TITLE].rstrip()}…").rstrip(".")
    if event.held_until is not None:
        return f"held for {short}" if short else "a slot that is held"
    return short or "an event without a title"


def _team(team: Teamwork) -> Iterator[str]:
    if team.broadcast_count:
        yield f"{count_text(team.broadcast_count, 'unread broadcast')}."
    if team.claim_count:
        yield f"You hold {count_text(team.claim_count, 'claim')}."
