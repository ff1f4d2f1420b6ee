"""Schedules of rules: what they may say, and the events that set such rules off when their time comes."""

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


def checked_schedule(
    on_kind: str, on_schedule: str | None, timezone: str | None, default_zone: str | None
) -> tuple[str, str] | None:
    """Return the schedule of a rule and its zone; None for a rule that other events set off.

    Raises InvalidInput for a schedule that is none or never comes, a kind of events that does not go with it, and
    where there is no zone (code TIMEZONE_NOT_CONFIGURED).
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
    """Return when a rule is set off next, after the instant `after` and after `now`; None where time sets it off no
    more. A rate keeps its beat over an outage."""
    if rule.on_schedule is None or not rule.enabled:
        return None
    schedule, zone = parse_schedule(rule.on_schedule), find_zone(rule.timezone or "UTC")
    if isinstance(schedule, Rate):
        every = schedule.every // timedelta(milliseconds=1)
        return after + every * max(1, -((after - now - 1) // every))
    instant = next_instant(schedule, instant_at(max(after, now)), zone)
    return None if instant is None else milliseconds(instant)


def when_changed(project: Project, before: RuleRecord | None, rule: RuleRecord | None, name: str) -> list[Change]:
    """The changes of the stored schedule when `rule` takes the place of `before`; None where there is none."""
    rows = SCHEDULES.within(project.store, project.scope)
    due_at = next_due(rule, rule.installed_at, rule.installed_at) if rule is not None else None
    if due_at is not None:
        return [rows.put(RuleSchedule(name=name, due_at=due_at))]
    return [rows.delete(name)] if before is not None and before.on_schedule is not None else []


def set_off_due(services: Services, scope: Scope) -> int:
    """Tell that the time of each rule that is due has come, once, and return how many. Any number of processes may call
    it at once."""
    project = system_project(services, scope)
    due = SCHEDULES.within(project.store, scope).every(until=project.now() + 1, index="gsi1")
    return sum(_set_off(project, schedule) for schedule in due)


def _set_off(project: Project, schedule: RuleSchedule) -> bool:
    """False where another process has told it meanwhile, or the rule has no schedule any more."""
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
        moved = (
            rows.delete(schedule.name, condition=unchanged)
            if following is None
            else rows.put(RuleSchedule(name=rule.name, due_at=following), unchanged)
        )
        told = project.event(SCHEDULE_DUE, f"rule/{rule.name}", payload, at=now, actor=rule.installed_by)
        changes = [moved, *outbox([told])]
    try:
        project.store.write(changes)
    except ConditionFailed:
        return False
    return len(changes) > 1
