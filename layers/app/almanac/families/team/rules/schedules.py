"""Schedules of rules: their validation, and the events that trigger scheduled rules."""

from datetime import timedelta

from almanac.families.team.core.event_kinds import SCHEDULE_DUE
from almanac.families.team.core.project import Project, system_project
from almanac.families.team.rules.records import RULES, SCHEDULES, RuleRecord, RuleSchedule
from almanac.families.time.core.schedules import Rate, next_instant, parse_schedule
from almanac.families.time.core.timestamps import zone_among
from almanac.families.time.core.zones import find_zone
from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput
from almanac.kernel.instants import instant_at, milliseconds
from almanac.platform.bus.outbox import outbox
from almanac.platform.services import Services
from almanac.platform.store.conditions import Equals
from almanac.platform.store.port import Change, ConditionFailed


def check_schedule(
    on_kind: str, on_schedule: str | None, timezone: str | None, default_zone: str | None
) -> tuple[str, str] | None:
    """Return the schedule of a rule and its zone, or None for a rule triggered by other events.

    Raises InvalidInput for a schedule that is invalid or never occurs, for a kind of event that does not go with it,
    and without any zone (code TIMEZONE_NOT_CONFIGURED).
    """
    if (on_kind == SCHEDULE_DUE) != (on_schedule is not None):
        raise InvalidInput(
            f"on_schedule and the kind {SCHEDULE_DUE} go together.",
            f'Pass on_kind "{SCHEDULE_DUE}" with on_schedule, such as "0 9 * * MON-FRI"; for other kinds leave it out.',
            path="on_schedule",
        )
    if on_schedule is None:
        return None
    if isinstance(parse_schedule(on_schedule), Rate):
        return on_schedule.strip(), (find_zone(timezone).key if timezone else default_zone or "UTC")
    return on_schedule.strip(), zone_among(timezone, default_zone).key


def next_due(rule: RuleRecord, after: int, now: int) -> int | None:
    """Return the next time of a rule after both `after` and `now`, or None if there is none. A rate keeps its phase
    over an outage."""
    if rule.on_schedule is None or not rule.enabled:
        return None
    schedule, zone = parse_schedule(rule.on_schedule), find_zone(rule.timezone or "UTC")
    if isinstance(schedule, Rate):
        every = schedule.every // timedelta(milliseconds=1)
        return after + every * max(1, -((after - now - 1) // every))
    instant = next_instant(schedule, instant_at(max(after, now)), zone)
    return None if instant is None else milliseconds(instant)


def schedule_changes(project: Project, before: RuleRecord | None, rule: RuleRecord | None, name: str) -> list[Change]:
    """Return the changes of the stored schedule when `rule` replaces `before`. Either may be None."""
    rows = SCHEDULES.within(project.store, project.scope)
    due_at = next_due(rule, rule.installed_at, rule.installed_at) if rule is not None else None
    if due_at is not None:
        return [rows.put(RuleSchedule(name=name, due_at=due_at))]
    return [rows.delete(name)] if before is not None and before.on_schedule is not None else []


def trigger_due(services: Services, scope: Scope) -> int:
    """Emit an event for each rule that is due, once, and count them. Any number of processes may call this at once."""
    project = system_project(services, scope)
    due = SCHEDULES.within(project.store, scope).every(until=project.now() + 1, index="gsi1")
    return sum(_trigger(project, schedule) for schedule in due)


def _trigger(project: Project, schedule: RuleSchedule) -> bool:
    """Emit the event of one schedule. Returns False if another process did so meanwhile, or the rule no longer has a
    schedule."""
    rows, now = SCHEDULES.within(project.store, project.scope), project.now()
    rule = RULES.within(project.store, project.scope).get(schedule.name)
    unchanged = Equals("due_at", schedule.due_at)
    if rule is None or rule.on_schedule is None or not rule.enabled:
        changes: list[Change] = [rows.delete(schedule.name, condition=unchanged)]
    else:
        zone = find_zone(rule.timezone or "UTC")
        payload = {
            "rule": rule.name,
            "due_at": schedule.due_at,
            "local": instant_at(schedule.due_at).astimezone(zone).isoformat(timespec="seconds"),
            "timezone": zone.key,
        }
        following = next_due(rule, schedule.due_at, now)
        schedule_write = (
            rows.delete(schedule.name, condition=unchanged)
            if following is None
            else rows.put(RuleSchedule(name=rule.name, due_at=following), unchanged)
        )
        event = project.event(SCHEDULE_DUE, f"rule/{rule.name}", payload, at=now, actor=rule.installed_by)
        changes = [schedule_write, *outbox([event])]
    try:
        project.store.write(changes)
    except ConditionFailed:
        return False
    return len(changes) > 1
