"""Results of the tools for rules. Instants are milliseconds since 1970."""

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from almanac.families.team.core.rule_sources import Installation
from almanac.families.team.rules.dry_run import Trial
from almanac.families.team.rules.rule import where_object
from almanac.families.team.rules.rule_registry import InstalledRule


class RuleAction(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A derived write."""

    tool: Annotated[
        Literal["set_broadcast", "send_message", "pin_memory", "record_turn"],
        Meta(description="The tool that is called."),
    ]
    args: Annotated[
        dict[str, Any],
        Meta(description="${payload.x} and ${event.x} are filled in; $${ stands for ${."),
    ]


class Rule(msgspec.Struct, frozen=True, omit_defaults=True):
    """A rule and its activity. Instants are milliseconds since 1970; `failures` counts attempts. `runnable` is false if
    this installation lacks its events or an action; `not_runnable_because` says which. A rule with a schedule has
    `on_schedule`, its `timezone` and `next_at`."""

    name: str
    description: str | None
    on_kind: str
    where: dict[str, Any] | None
    actions: list[RuleAction]
    enabled: bool
    installed_by: str
    installed_at: int
    fired: int
    failures: int
    last_fired_at: int | None
    last_error: str | None
    last_error_at: int | None
    runnable: bool
    not_runnable_because: str | None
    on_schedule: str | None = None
    timezone: str | None = None
    next_at: int | None = None


class InstallRuleResult(msgspec.Struct, frozen=True, omit_defaults=True):
    """`notes` name paths that no event of the kind has, and those that exist."""

    ok: bool
    rule: Rule
    replaced: bool
    notes: tuple[str, ...] = ()


class RuleListing(msgspec.Struct, frozen=True):
    """`untrusted`: teammates wrote the rules."""

    rules: list[Rule]
    untrusted: bool = True


class RemoveRuleResult(msgspec.Struct, frozen=True):
    """`ok` is false, with reason `not_found`, if there is no such rule."""

    ok: bool
    name: str
    removed_at: int | None = None
    reason: str | None = None


class DefaultRule(msgspec.Struct, frozen=True, omit_defaults=True):
    """The arguments of install_rule. If `available` is false, the rule cannot run here, and a reason is given."""

    name: str
    description: str
    on_kind: str
    where: dict[str, Any] | None
    actions: list[RuleAction]
    enabled: bool
    available: bool = True
    reason: str | None = None


class RuleSource(msgspec.Struct, frozen=True, omit_defaults=True):
    """A kind of event. `sample` is an example payload; paths of where and of templates lead into it, as payload.x.
    `others` are fields that only events about other things have."""

    on_kind: str
    description: str
    sample: dict[str, Any]
    others: tuple[str, ...] = ()


class RuleSources(msgspec.Struct, frozen=True, omit_defaults=True):
    """`tools` are the actions that rules can run here. `notes` say what was left out because of the key."""

    kinds: list[RuleSource]
    tools: list[str]
    notes: tuple[str, ...] = ()


class DefaultRules(msgspec.Struct, frozen=True):
    defaults: list[DefaultRule]


class RuleTrial(msgspec.Struct, frozen=True):
    """The trial on one event; `actions` are those that the rule would run, filled in. `at` is milliseconds since
    1970."""

    event_id: str
    kind: str
    key: str
    at: int
    matches: bool
    actions: list[RuleAction]


class TestRuleResult(msgspec.Struct, frozen=True):
    """`source` of the events: `sample` or `last_events`, the newest first. `truncated`: trying all of them would take
    too long. `notes` name paths that no event of the kind has, and those that exist. `untrusted`: others may have
    written the texts of the events."""

    source: str
    tested: int
    matched: int
    trials: list[RuleTrial]
    truncated: bool
    notes: tuple[str, ...] = ()
    untrusted: bool = True


def rule_view(here: Installation, each: InstalledRule) -> Rule:
    """Return a rule as a caller sees it."""
    rule, activity = each.rule, each.activity
    missing = here.reason_not_runnable(rule.on_kind, [str(action["tool"]) for action in rule.actions])
    return Rule(
        name=rule.name,
        description=rule.description,
        on_kind=rule.on_kind,
        where=where_object(rule.where),
        actions=msgspec.convert(rule.actions, list[RuleAction]),
        enabled=rule.enabled,
        installed_by=rule.installed_by,
        installed_at=rule.installed_at,
        fired=activity.fired,
        failures=activity.failures,
        last_fired_at=activity.last_fired_at,
        last_error=activity.last_error,
        last_error_at=activity.last_error_at,
        runnable=missing is None,
        not_runnable_because=missing,
        on_schedule=rule.on_schedule,
        timezone=rule.timezone,
        next_at=each.next_at,
    )


def trial_view(trial: Trial) -> RuleTrial:
    return RuleTrial(
        event_id=trial.event.id,
        kind=trial.event.kind,
        key=trial.event.key,
        at=trial.event.at,
        matches=trial.matches,
        actions=msgspec.convert(trial.actions, list[RuleAction]),
    )
