"""The rules of one project: install, list and remove them."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from msgspec import Struct

from almanac.content.redaction import redact_value
from almanac.families.team.core.project import Project
from almanac.families.team.rules.records import (
    ACTIVITY,
    LISTENED,
    REMOVED,
    RULES,
    SCHEDULES,
    ListenedKinds,
    RemovedRule,
    RuleActivity,
    RuleRecord,
    stored_rules,
)
from almanac.families.team.rules.rule import check_rule, where_text
from almanac.families.team.rules.schedules import check_schedule, next_due, schedule_changes
from almanac.kernel.errors import LimitExceeded, NotFound
from almanac.platform.redactions.rows import redaction_changes
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.port import Change
from almanac.platform.store.records import replace

MAX_RULES = 80
"""Limit per project: as many as one event can trigger in one write."""


class InstalledRule(Struct, frozen=True):
    """An installed rule and its activity. `next_at` is the next time of its schedule, None for a rule without one."""

    rule: RuleRecord
    activity: RuleActivity
    next_at: int | None = None


def install(
    project: Project,
    name: str,
    *,
    description: str | None,
    on_kind: str,
    where: Mapping[str, Any] | None,
    actions: Sequence[dict[str, Any]],
    enabled: bool,
    on_schedule: str | None = None,
    timezone: str | None = None,
) -> tuple[InstalledRule, bool]:
    """Install a rule, and return it with whether it replaced another. A replacement keeps the activity.

    Raises InvalidInput for a rule that could not run, LimitExceeded for the 81st rule.
    """
    schedule = check_schedule(on_kind, on_schedule, timezone, project.zone)
    redacted = redact_value({"description": description, "actions": list(actions)})
    redacted_input = cast("dict[str, Any]", redacted.value)
    description, actions = redacted_input["description"], redacted_input["actions"]
    check_rule(project.here, on_kind, where, actions)
    rows, activities = RULES.within(project.store, project.scope), ACTIVITY.within(project.store, project.scope)

    def attempt() -> tuple[InstalledRule, bool]:
        listened = LISTENED.within(project.store, project.scope).get()
        stored = stored_rules(project.store, project.scope)
        before = next((each for each in stored if each.name == name), None)
        if before is None and len(stored) >= MAX_RULES:
            raise LimitExceeded(f"The project has {MAX_RULES} rules already.", "Remove one with remove_rule.")
        rule = RuleRecord(
            version=before.version if before else 1,
            name=name,
            description=description,
            on_kind=on_kind,
            where=where_text(where),
            actions=list(actions),
            enabled=enabled,
            installed_by=project.actor,
            installed_at=project.now(),
            on_schedule=schedule and schedule[0],
            timezone=schedule and schedule[1],
        )
        activity = activities.get(name)
        others = [each for each in stored if each.name != name]
        changes: list[Change] = [
            replace(rows, rule) if before else rows.insert(rule),
            _listened_kinds_write(project, listened, [*others, rule]),
            *schedule_changes(project, before, rule, name),
        ]
        changes += redaction_changes(project, name, "rule", redacted.findings, project.now())
        if activity is None:
            activity = RuleActivity(name=name)
            changes.append(activities.put(activity, Absent()))
        project.store.write(changes)
        return InstalledRule(rule, activity, next_due(rule, rule.installed_at, rule.installed_at)), before is not None

    return project.retry_on_conflict(attempt)


def _listened_kinds_write(project: Project, before: ListenedKinds | None, rules: Sequence[RuleRecord]) -> Change:
    """Return the change of the kinds that rules listen to. Every change of the rules reads this record first and writes
    it, so concurrent changes exclude each other."""
    rows = LISTENED.within(project.store, project.scope)
    kinds = sorted({rule.on_kind for rule in rules})
    if before is None:
        return rows.insert(ListenedKinds(kinds=kinds))
    return replace(rows, ListenedKinds(kinds=kinds, version=before.version))


def list_rules(project: Project) -> list[InstalledRule]:
    """Return every installed rule, by name."""
    activities = {each.name: each for each in ACTIVITY.within(project.store, project.scope).query(limit=1000).records}
    rules = stored_rules(project.store, project.scope)
    timed = SCHEDULES.within(project.store, project.scope).every() if any(rule.on_schedule for rule in rules) else ()
    due = {schedule.name: schedule.due_at for schedule in timed}
    return [
        InstalledRule(rule, activities.get(rule.name) or RuleActivity(name=rule.name), due.get(rule.name))
        for rule in rules
    ]


def find(project: Project, name: str) -> RuleRecord:
    """Return a rule. Raises NotFound that names the installed rules."""
    rule = RULES.within(project.store, project.scope).get(name)
    if rule is None:
        names = ", ".join(each.rule.name for each in list_rules(project)[:20])
        raise NotFound(
            f'There is no rule "{name}".',
            f"Installed rules: {names}." if names else "No rule is installed; list_default_rules has templates.",
            untrusted=bool(names),
        )
    return rule


def remove(project: Project, name: str) -> int | None:
    """Remove a rule and keep a record of it. Returns the instant in milliseconds, or None if there is no such rule."""
    rows = RULES.within(project.store, project.scope)

    def attempt() -> int | None:
        rule = rows.get(name)
        if rule is None:
            return None
        removed = RemovedRule(
            name=name,
            removed_at=project.now(),
            removed_by=project.actor,
            on_kind=rule.on_kind,
            where=rule.where,
            actions=rule.actions,
            on_schedule=rule.on_schedule,
            timezone=rule.timezone,
        )
        listened = LISTENED.within(project.store, project.scope).get()
        others = [each for each in stored_rules(project.store, project.scope) if each.name != name]
        changes: list[Change] = [
            rows.delete(name, condition=Equals("version", rule.version)),
            _listened_kinds_write(project, listened, others),
            REMOVED.within(project.store, project.scope).put(removed),
            ACTIVITY.within(project.store, project.scope).delete(name),
            *schedule_changes(project, rule, None, name),
        ]
        project.store.write(changes)
        return removed.removed_at

    return project.retry_on_conflict(attempt)
