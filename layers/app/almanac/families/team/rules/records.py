"""Stored records of rules: installed and removed rules, their activity, and matched events.

Instants are milliseconds since 1970.
"""

from typing import Any

from almanac.kernel.caller import Scope
from almanac.platform.store.port import Store
from almanac.platform.store.records import Place, Record, Table, VersionedRecord

RING = "set-off-scheduled-rules"
"""Stored name of a job."""

KEPT_MS = 30 * 86_400_000
"""Time for which a matched event is kept for its firings. An operator should not leave one parked for longer."""


class RuleRecord(VersionedRecord, frozen=True, kw_only=True):
    """An installed rule. `where` is the JSON text of a predicate, None for every event; an action is `{"tool",
    "args"}`. `on_schedule` is the schedule of a time-triggered rule, in `timezone`."""

    name: str
    description: str | None
    on_kind: str
    where: str | None
    actions: list[dict[str, Any]]
    enabled: bool
    installed_by: str
    installed_at: int
    on_schedule: str | None = None
    timezone: str | None = None


class RuleSchedule(Record, frozen=True, kw_only=True):
    """The next time at which a schedule triggers its rule."""

    name: str
    due_at: int


class ListenedKinds(VersionedRecord, frozen=True, kw_only=True):
    """The kinds of events to which the project's rules listen. For all other events the rules need not be read."""

    kinds: list[str]


class RemovedRule(Record, frozen=True, kw_only=True):
    """A removed rule, kept for the record."""

    name: str
    removed_at: int
    removed_by: str
    on_kind: str
    where: str | None
    actions: list[dict[str, Any]]
    on_schedule: str | None = None
    timezone: str | None = None


class RuleActivity(Record, frozen=True, kw_only=True):
    """Statistics of a rule. `fired` counts events whose actions all succeeded, `failures` counts failed attempts."""

    name: str
    fired: int = 0
    failures: int = 0
    last_fired_at: int | None = None
    last_error: str | None = None
    last_error_at: int | None = None


class MatchedEvent(Record, frozen=True, kw_only=True):
    """An event that matched rules, kept for their firings. `payload` is a JSON text."""

    event_id: str
    kind: str
    key: str
    at: int
    actor: str
    payload: str
    expires_at: int


def stored_rules(store: Store, scope: Scope) -> list[RuleRecord]:
    """Return every rule of a project, by name."""
    rows = RULES.within(store, scope)
    page = rows.query(limit=1000)
    found = [*page.records]
    while page.cursor is not None:
        page = rows.query(limit=1000, cursor=page.cursor)
        found += page.records
    return found


LISTENED = Table(ListenedKinds, "rule_kinds")
RULES = Table(RuleRecord, "rules", sort=("name",))
REMOVED = Table(RemovedRule, "removed_rules", sort=("name", "removed_at"))
SCHEDULES = Table(
    RuleSchedule,
    "rule_schedules",
    sort=("name",),
    indexes={"gsi1": Place("rules_due", sort=("due_at",))},
    wakes={RING: "due_at"},
)
ACTIVITY = Table(RuleActivity, "rule_activity", sort=("name",))
MATCHED = Table(MatchedEvent, "matched_events", sort=("event_id",), expires="expires_at")
# Until 2026-11-26 each event had a partition of its own, which could not be listed.
EARLIER_MATCHED = Table(MatchedEvent, "matched_events", partition=("event_id",), expires="expires_at")
