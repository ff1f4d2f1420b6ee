"""Dry run of a rule: the events on which it would fire, and the resulting actions."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from almanac.families.team.core.event_kinds import SCHEDULE_DUE
from almanac.families.team.core.project import Project
from almanac.families.team.rules.actions import fill_actions
from almanac.families.team.rules.effort import Effort, Exhausted, charge_to
from almanac.families.team.rules.event_filter import MAX_DEPTH, depth_of
from almanac.families.team.rules.paths import document
from almanac.families.team.rules.predicates import Predicate
from almanac.kernel.errors import InvalidInput
from almanac.kernel.events import Event, new_event
from almanac.platform.feed.log import Log

MAX_READ = 1000
_PAGE = 100


class Trial(Struct, frozen=True):
    """The result for one event. `actions` have their templates filled in, and are empty if the event does not match."""

    event: Event
    matches: bool
    actions: list[dict[str, Any]]


def sample_event(project: Project, kind: str, sample: Mapping[str, Any]) -> Event:
    """Build an event as a rule would see it from `{"payload": {...}, "event": {"key", "actor"}}`. All parts are
    optional."""
    about: Mapping[str, Any] = sample.get("event") or {}
    return new_event(
        kind,
        project.scope,
        key=str(about.get("key") or "sample"),
        actor=str(about.get("actor") or project.actor),
        at=project.now(),
        random_bytes=project.random_bytes,
        payload=sample.get("payload") or {},
    )


def last_events(project: Project, kind: str, limit: int, of_rule: str | None = None) -> list[Event]:
    """Return the last events of the kind, newest first, among the last 1000 of the project's last day. Of schedule
    events, return only those of the installed rule `of_rule`."""
    log, fields = Log(project.store), list[Event]()
    stop = head = log.head(project.scope)
    while stop > max(0, head - MAX_READ) and len(fields) < limit:
        start = max(0, stop - _PAGE)
        entries = log.after(project.scope, start, stop - start).entries
        fields += [
            entry.event
            for entry in reversed(entries)
            if entry.event.kind == kind and entry.sequence <= stop and _may_see(entry.event, of_rule)
        ]
        stop = start
    return fields[:limit]


def _may_see(event: Event, of_rule: str | None) -> bool:
    return of_rule is None or event.kind != SCHEDULE_DUE or event.payload.get("rule") == of_rule


def run_trials(predicate: Predicate, actions: list[dict[str, Any]], events: list[Event]) -> list[Trial]:
    """Try the rule on as many events as the effort of one call allows. Raises InvalidInput if it allows none."""
    effort, trials = Effort(), list[Trial]()
    for event in events:
        try:
            with charge_to(effort):
                trials.append(_trial(predicate, actions, event))
        except Exhausted:
            break
    if events and not trials:
        raise InvalidInput(
            "The condition (where) of the rule takes too many steps on this event.",
            "Use fewer and smaller patterns.",
            path="where",
        )
    return trials


def _trial(predicate: Predicate, actions: list[dict[str, Any]], event: Event) -> Trial:
    fields = document(event)
    matches = depth_of(event) < MAX_DEPTH and predicate(fields)
    return Trial(event, matches, fill_actions(actions, fields) if matches else [])
