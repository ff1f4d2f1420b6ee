"""Rules: what is done by itself when something happens in the project."""
# ruff: noqa: PT028 - test_rule is a tool, not a test

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from almanac.families.team.core.project import Project
from almanac.families.team.core.rule_sources import CATALOGUE, HERE, RuleEventKind
from almanac.families.team.rules import installed
from almanac.families.team.rules.actions import MAX_ACTIONS
from almanac.families.team.rules.defaults import DEFAULT_RULES
from almanac.families.team.rules.predicates import check_predicate, predicate
from almanac.families.team.rules.records import RuleRecord
from almanac.families.team.rules.results import (
    DefaultRules,
    RuleAction,
    RuleInstalled,
    RuleListing,
    RuleRemoved,
    RuleSource,
    RuleSources,
    RuleTested,
    told,
    told_trial,
)
from almanac.families.team.rules.rule import check_rule, where_object
from almanac.families.team.rules.trying import last_events, sample_event, tried_all
from almanac.kernel.errors import InvalidInput
from almanac.protocol.tool import Effect, tool

RuleName = Annotated[
    str,
    Meta(
        description="Lowercase letters, digits and dashes; unique in the project.",
        examples=["error-pin"],
        pattern="^[a-z0-9][a-z0-9-]*$",
        max_length=64,
    ),
]
Description = Annotated[str, Meta(description="What it is for.", max_length=2000)]
Where = Annotated[
    dict[str, Any] | None,
    Meta(
        description="Which events: dotted paths (payload.…, event.…) with values, or with operators $eq $ne $in $nin "
        "$matches $exists $gt $gte $lt $lte $not; $and $or $not join predicates. Left out: all of the kind.",
        examples=[{"payload.metadata.kind": "error"}],
    ),
]
Actions = Annotated[
    list[RuleAction],
    Meta(
        description="What is done, in this order.",
        examples=[[{"tool": "set_broadcast", "args": {"key": "last_error", "value": "${payload.content_preview}"}}]],
        min_length=1,
        max_length=MAX_ACTIONS,
    ),
]


@tool(title="Install a rule", effect=Effect.SETS)
def install_rule(
    name: RuleName,
    on_kind: Annotated[RuleEventKind, Meta(description="The kind of event that it listens to.")],
    actions: Actions,
    where: Where = None,
    description: Description | None = None,
    enabled: Annotated[bool, Meta(description="False installs it switched off.")] = True,
    *,
    project: Project,
) -> RuleInstalled:
    """Install or replace a rule: when an event of on_kind satisfies where, its actions are done.

    Actions write broadcasts, memories and turns only, and what they cause sets off no further rule. A path that leads
    nowhere satisfies {"$exists": false} and nothing else, and leaves nothing in a text. Patterns look at the first 4 KB
    of a text. Refused where this installation has no such events or no such action: list_event_kinds shows what there
    is, with payloads. Install it again with enabled false to switch it off. Try it first with test_rule; the counters
    of list_rules show whether it works.
    """
    stands, replaced = installed.install(
        project,
        name,
        description=description,
        on_kind=on_kind,
        where=where,
        actions=_plain(actions),
        enabled=enabled,
    )
    return RuleInstalled(True, told(project.here, stands), replaced)


@tool(title="List rules", effect=Effect.READS)
def list_rules(*, project: Project) -> RuleListing:
    """List the rules of this project (at most 80), with how often each has fired and its last error. Removed ones are
    left out.
    """
    return RuleListing([told(project.here, each) for each in installed.installed(project)])


@tool(title="Remove a rule", effect=Effect.REMOVES, aliases=("uninstall_rule", "delete_rule"))
def remove_rule(name: RuleName, *, project: Project) -> RuleRemoved:
    """Remove a rule: it fires no more, also not on events that it has matched already. It is kept for the record."""
    removed_at = installed.remove(project, name)
    if removed_at is None:
        return RuleRemoved(False, name, reason="not_found")
    return RuleRemoved(True, name, removed_at)


@tool(title="List default rules", effect=Effect.READS)
def list_default_rules() -> DefaultRules:
    """List the rules that come with Almanac: error-pin, claim-watchdog, review-router.

    Each is ready to be passed to install_rule as it stands, but for those with available false: they wait for events or
    actions that this installation does not have. Nothing of the project is read.
    """
    listed: list[dict[str, Any]] = []
    for rule in DEFAULT_RULES:
        missing = HERE.missing(rule["on_kind"], [action["tool"] for action in rule["actions"]])
        listed.append(rule if missing is None else {**rule, "available": False, "reason": missing})
    return msgspec.convert({"defaults": listed}, DefaultRules)


@tool(title="List kinds of events", effect=Effect.READS)
def list_event_kinds(
    on_kind: Annotated[RuleEventKind | None, Meta(description="Only this one.")] = None,
) -> RuleSources:
    """List the kinds of events that rules may listen to here, each with the payload of one as a sample, and the tools
    that their actions may call. Nothing of the project is read.
    """
    kinds = [
        RuleSource(name, kind.description, dict(kind.sample))
        for name, kind in CATALOGUE.items()
        if name in HERE.kinds and on_kind in (None, name)
    ]
    return RuleSources(kinds, sorted(HERE.tools))


@tool(title="Test a rule", effect=Effect.READS)
def test_rule(
    name: Annotated[RuleName | None, Meta(description="An installed rule; or give on_kind, where, actions.")] = None,
    on_kind: Annotated[RuleEventKind | None, Meta(description="Of a rule that is not installed.")] = None,
    where: Where = None,
    actions: Annotated[
        list[RuleAction] | None, Meta(description="Of a rule that is not installed; left out: only whether it matches.")
    ] = None,
    sample: Annotated[
        dict[str, Any] | None,
        Meta(
            description="An event to try it on, instead of the last ones.",
            examples=[{"payload": {"metadata": {"kind": "error"}}, "event": {"actor": "ann"}}],
        ),
    ] = None,
    limit: Annotated[int, Meta(description="How many of the last events to try it on.", ge=1, le=100)] = 20,
    *,
    project: Project,
) -> RuleTested:
    """Try a rule without doing anything: on a sample event, or on the project's last events of its kind.

    Answers for each event whether the rule would fire, and with what its actions would be called.
    """
    kind, tested, does = _rule_to_test(project, name, on_kind, where, actions)
    wanted = predicate(tested)
    check_predicate(tested)
    if sample is not None:
        _check_sample(sample)
        events = [sample_event(project, kind, sample)]
    else:
        events = last_events(project, kind, limit)
    trials = tried_all(wanted, does, events)
    return RuleTested(
        source="last_events" if sample is None else "sample",
        tested=len(trials),
        matched=sum(trial.matches for trial in trials),
        trials=[told_trial(trial) for trial in trials],
        truncated=len(trials) < len(events),
    )


def _rule_to_test(
    project: Project,
    name: str | None,
    on_kind: str | None,
    where: dict[str, Any] | None,
    actions: list[RuleAction] | None,
) -> tuple[str, dict[str, Any] | None, list[dict[str, Any]]]:
    """Kind, predicate and actions, those of an installed rule where it is named."""
    if (name is None) == (on_kind is None):
        raise InvalidInput(
            "Name an installed rule, or say on_kind.", "One of the two, e.g. name error-pin.", path="name"
        )
    if name is not None:
        if where is not None or actions is not None:
            raise InvalidInput("An installed rule has its own where and actions.", "Leave them out.", path="where")
        rule: RuleRecord = installed.find(project, name)
        return rule.on_kind, where_object(rule.where), rule.actions
    does = _plain(actions or [])
    project.here.check(on_kind or "", [])
    if does:
        check_rule(project.here, on_kind or "", where, does)
    return on_kind or "", where, does


def _check_sample(sample: dict[str, Any]) -> None:
    for part, value in sample.items():
        if part not in ("payload", "event") or not isinstance(value, dict):
            raise InvalidInput(
                f"A sample has no {part[:40]} of that form.",
                'Send {"payload": {...}, "event": {"key": "...", "actor": "..."}}.',
                path=f"sample.{part[:40]}",
            )


def _plain(actions: list[RuleAction]) -> list[dict[str, Any]]:
    return [{"tool": action.tool, "args": action.args} for action in actions]
