"""Rules: actions that run automatically when something happens in the project."""
# ruff: noqa: PT028 - test_rule is a tool, not a test

from collections.abc import Callable, Sequence
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from almanac.families.team.core.project import Project
from almanac.families.team.core.rule_sources import Installation
from almanac.families.team.rules import rule_registry
from almanac.families.team.rules.actions import MAX_ACTIONS
from almanac.families.team.rules.defaults import DEFAULT_RULES
from almanac.families.team.rules.dry_run import last_events, run_trials, sample_event
from almanac.families.team.rules.predicates import Predicate, compile_checked
from almanac.families.team.rules.records import RuleRecord
from almanac.families.team.rules.results import (
    DefaultRules,
    InstallRuleResult,
    RemoveRuleResult,
    RuleAction,
    RuleListing,
    RuleSource,
    RuleSources,
    TestRuleResult,
    rule_view,
    trial_view,
)
from almanac.families.team.rules.rule import check_rule, path_notes, where_object
from almanac.kernel.errors import Forbidden, InvalidInput
from almanac.protocol.tool import Effect, Tool, tool

RuleName = Annotated[
    str,
    Meta(
        description="Lower-case letters, digits and -, e.g. notify-errors.",
        examples=["error-pin"],
        pattern="^[a-z0-9][a-z0-9-]*$",
        max_length=64,
    ),
]
Description = Annotated[str, Meta(description="Purpose of the rule.", max_length=2000)]
Where = Annotated[
    dict[str, Any] | None,
    Meta(
        description="Paths (payload.x) with values or {$eq $in $gt $matches $exists}, $and $or $not.",
        examples=[{"payload.metadata.kind": "error"}],
    ),
]
Actions = Annotated[
    list[RuleAction],
    Meta(
        description="Actions to run, in order.",
        examples=[[{"tool": "set_broadcast", "args": {"key": "last_error", "value": "${payload.content_preview}"}}]],
        min_length=1,
        max_length=MAX_ACTIONS,
    ),
]


@tool(title="Install an automation rule", effect=Effect.SETS)
def install_rule(
    name: RuleName,
    on_kind: Annotated[str, Meta(description="Kind of event that triggers it.")],
    actions: Actions,
    where: Where = None,
    description: Description | None = None,
    enabled: Annotated[bool, Meta(description="False installs it switched off.")] = True,
    on_schedule: Annotated[
        str,
        Meta(
            description="Cron or rate(2 hours), for on_kind schedule_due.",
            examples=["0 9 * * MON-FRI"],
            max_length=100,
        ),
    ]
    | None = None,
    timezone: Annotated[str | None, Meta(description="Of on_schedule, IANA; default: the key's.")] = None,
    *,
    project: Project,
) -> InstallRuleResult:
    """Create an automation rule that fires by itself: if, when or whenever something happens, such as a card that is
    done, a lock that expires or an error, or by the clock, automatically alert, tell or announce it to everyone, post a
    notice, or set a value. Try it first with test_rule; list_event_kinds has the events.

    A missing path matches only {"$exists": false}. An argument that is only ${payload.x} becomes the value itself.
    """
    rule, replaced = rule_registry.install(
        project,
        name,
        description=description,
        on_kind=on_kind,
        where=where,
        actions=_plain(actions),
        enabled=enabled,
        on_schedule=on_schedule,
        timezone=timezone,
    )
    notes = path_notes(project.here, on_kind, where, rule.rule.actions)
    return InstallRuleResult(True, rule_view(project.here, rule), replaced, notes)


@tool(title="List installed rules", effect=Effect.READS)
def list_rules(*, project: Project) -> RuleListing:
    """List the automations (rules) of this project, active or switched off: which automation is running, why something
    happens by itself, how often a rule fired, its last error. For ready-made ones use list_default_rules.
    """
    return RuleListing([rule_view(project.here, each) for each in rule_registry.list_rules(project)])


@tool(title="Remove a rule", effect=Effect.REMOVES, aliases=("uninstall_rule", "delete_rule"))
def remove_rule(name: RuleName, *, project: Project) -> RemoveRuleResult:
    """Remove, uninstall, delete or turn off an automation rule (trigger) by its name and stop it. To pause it use
    install_rule with enabled false.
    """
    removed_at = rule_registry.remove(project, name)
    if removed_at is None:
        return RemoveRuleResult(False, name, reason="not_found")
    return RemoveRuleResult(True, name, removed_at)


@tool(title="List built-in rules", effect=Effect.READS)
def list_default_rules(*, here: Installation) -> DefaultRules:
    """List the default automations: ready-made rules that come with Almanac and that you can pass to install_rule. For
    the rules of this project use list_rules.
    """
    listed: list[dict[str, Any]] = []
    for rule in DEFAULT_RULES:
        reason = _reason_unavailable(here, rule["on_kind"], [action["tool"] for action in rule["actions"]])
        listed.append(rule if reason is None else {**rule, "available": False, "reason": reason})
    return msgspec.convert({"defaults": listed}, DefaultRules)


@tool(title="List event types for rules", effect=Effect.READS)
def list_event_kinds(
    on_kind: Annotated[str, Meta(description="Only this kind.", max_length=100)] | None = None,
    *,
    here: Installation,
) -> RuleSources:
    """List the kinds of events that an automation rule can react to: what can trigger it, such as an expired claim,
    with the fields and a sample payload of each, and the actions. install_rule writes rules.
    """
    if on_kind is not None and on_kind not in here.kinds:
        here.check(on_kind, [])
    kinds = [
        RuleSource(kind.name, kind.description, dict(kind.sample), kind.others)
        for kind in here.readable_kinds
        if on_kind in (None, kind.name)
    ]
    lacking = len(here.kinds) - len(here.readable_kinds)
    notes = (f"{lacking} kinds of events are left out, because this key has not their families.",) if lacking else ()
    return RuleSources(kinds, list(here.allowed_actions), notes)


@tool(title="Dry run of a rule", effect=Effect.READS)
def test_rule(
    name: Annotated[RuleName | None, Meta(description="Installed rule; or pass on_kind, where, actions.")] = None,
    on_kind: Annotated[str, Meta(description="As in install_rule.", max_length=100)] | None = None,
    where: Where = None,
    actions: Annotated[
        list[RuleAction] | None,
        Meta(description="As in install_rule."),
    ] = None,
    sample: Annotated[
        dict[str, Any] | None,
        Meta(
            description="Event to try it on, instead of past ones.",
            examples=[{"payload": {"metadata": {"kind": "error"}}, "event": {"actor": "ann"}}],
        ),
    ] = None,
    limit: Annotated[int, Meta(description="Number of past events to try it on.", ge=1, le=100)] = 20,
    *,
    project: Project,
) -> TestRuleResult:
    """Try out an automation rule without running it (dry run): would it have fired for yesterday's events or a sample
    event? install_rule switches it on.
    """
    kind, where, predicate, does = _rule_to_test(project, name, on_kind, where, actions)
    if sample is not None:
        _check_sample(sample)
        events = [sample_event(project, kind, sample)]
    else:
        events = last_events(project, kind, limit, of_rule=name)
    trials = run_trials(predicate, does, events)
    return TestRuleResult(
        source="last_events" if sample is None else "sample",
        tested=len(trials),
        matched=sum(trial.matches for trial in trials),
        trials=[trial_view(trial) for trial in trials],
        truncated=len(trials) < len(events),
        notes=path_notes(project.here, kind, where, does),
    )


def _reason_unavailable(here: Installation, on_kind: str, tools: list[str]) -> str | None:
    """Return the reason why the caller cannot install such a rule, or None if nothing prevents it."""
    try:
        here.check(on_kind, tools)
    except (Forbidden, InvalidInput) as refused:
        return refused.message
    return None


class _TestedRule(NamedTuple):
    kind: str
    where: dict[str, Any] | None
    predicate: Predicate
    actions: list[dict[str, Any]]


def _rule_to_test(
    project: Project,
    name: str | None,
    on_kind: str | None,
    where: dict[str, Any] | None,
    actions: list[RuleAction] | None,
) -> _TestedRule:
    """Return the rule to test: an installed rule if `name` is given, else a new one."""
    if (name is None) == (on_kind is None):
        raise InvalidInput(
            "Give either name or on_kind.",
            "name is an installed rule, e.g. error-pin; on_kind, where and actions describe a new one.",
            path="name",
        )
    if name is not None:
        if where is not None or actions is not None:
            raise InvalidInput("An installed rule has its own where and actions.", "Leave them out.", path="where")
        rule: RuleRecord = rule_registry.find(project, name)
        project.here.check_key(rule.on_kind, [])
        where = where_object(rule.where)
        return _TestedRule(rule.on_kind, where, compile_checked(where), rule.actions)
    kind, rule_actions = on_kind or "", _plain(actions or [])
    project.here.check(kind, [])
    predicate = check_rule(project.here, kind, where, rule_actions) if rule_actions else compile_checked(where)
    return _TestedRule(kind, where, predicate, rule_actions)


def _check_sample(sample: dict[str, Any]) -> None:
    for part, value in sample.items():
        if part not in ("payload", "event") or not isinstance(value, dict):
            raise InvalidInput(
                f"A sample has no {part[:40]} of this form.",
                'Send {"payload": {...}, "event": {"key": "...", "actor": "..."}}.',
                path=f"sample.{part[:40]}",
            )


def _plain(actions: list[RuleAction]) -> list[dict[str, Any]]:
    return [{"tool": action.tool, "args": action.args} for action in actions]


def limit_kinds(tool: Tool, kinds: Callable[[], Sequence[str]]) -> Tool:
    """Limit the kinds of events that install_rule accepts to `kinds`. Other tools stay as they are, to keep the listing
    short."""
    return tool.limit("on_kind", kinds) if tool is install_rule else tool
