"""A project with rules, its events, and the deliveries that a worker would make."""

import itertools
from collections.abc import Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

from almanac.composition.families import rule_sources
from almanac.families.team.core.project import Project
from almanac.families.team.core.records import BROADCASTS
from almanac.families.team.core.rule_sources import MEMORY_KINDS, Installation, installation, kind_names
from almanac.families.team.rules.actions import TOOLS, Performers
from almanac.families.team.rules.reactions import rule_reactions
from almanac.families.team.rules.results import RuleAction
from almanac.families.team.rules.set_broadcast import set_broadcast
from almanac.families.team.tools import rules
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, FixedClock
from almanac.kernel.events import Event, EventKind, new_event
from almanac.kernel.instants import now_ms
from almanac.platform.bus.delivery import Delivery
from almanac.platform.bus.outbox import messages_in, outbox
from almanac.platform.bus.port import Reaction
from almanac.platform.feed.log import LOGGING
from almanac.platform.services import Services
from almanac.platform.store.contention import Backoff
from almanac.platform.store.port import Store
from almanac.platform.store.sqlite.changes import SqliteChanges
from almanac.platform.store.sqlite.store import SqliteStore

SCOPE = Scope("acme", "main")
HERE = installation(rule_sources())
"""What the families of Almanac bring together."""
WITHOUT_MEMORY = Installation(
    {name: kind for name, kind in HERE.kinds.items() if name not in MEMORY_KINDS}, frozenset({"set_broadcast"})
)
"""An installation that lacks a family which rules know of."""
WHOLE = Installation({name: EventKind(name, "", {}) for name in kind_names(HERE)}, frozenset(TOOLS))
"""An installation with everything that rules can be made of."""


class RuleWorld:
    def __init__(self, folder: Path, clock: FixedClock, performers: Performers | None = None) -> None:
        self.clock = clock
        self.store = SqliteStore(folder / "store.db", clock=clock, cursor_secret=b"the secret of these tests")
        self._changes = SqliteChanges(folder / "store.db")
        self._numbers = itertools.count(1)
        self._read = 0
        self.errors: list[BaseException] = []
        self.services = Services({Store: lambda: self.store, Clock: lambda: clock})
        self._delivery = Delivery(
            self.store, self.services, clock, report=lambda where, error: self.errors.append(error)
        )
        chosen = {"set_broadcast": set_broadcast} if performers is None else performers
        self._reactions: Sequence[Reaction] = (LOGGING, *rule_reactions(kind_names(HERE), chosen))
        self.project = self.project_of(SCOPE)

    def project_of(self, scope: Scope) -> Project:
        return Project(
            self.store,
            scope,
            "ann",
            self.clock,
            self._random,
            Backoff(lambda seconds: None, lambda: 0.5),
            WHOLE,
            "Europe/Berlin",
        )

    def _random(self, count: int) -> bytes:
        return next(self._numbers).to_bytes(count, "big")

    def event(self, kind: str = "turn_recorded", key: str = "turn/1", scope: Scope = SCOPE, **payload: Any) -> Event:
        at = now_ms(self.clock)
        return new_event(kind, scope, key=key, actor="bob", at=at, random_bytes=self._random, payload=payload)

    def happen(self, kind: str = "turn_recorded", key: str = "turn/1", scope: Scope = SCOPE, **payload: Any) -> Event:
        """Writes an event, and has everything that follows from it happen."""
        event = self.write(kind, key, scope, **payload)
        self.settle()
        return event

    def emit(self, kind: str, payload: Mapping[str, Any]) -> None:
        """Do the same as `happen`, with any payload."""
        at = now_ms(self.clock)
        event = new_event(kind, SCOPE, key="thing/1", actor="bob", at=at, random_bytes=self._random, payload=payload)
        self.store.write(outbox([event]))
        self.settle()

    def write(self, kind: str = "turn_recorded", key: str = "turn/1", scope: Scope = SCOPE, **payload: Any) -> Event:
        event = self.event(kind, key, scope, **payload)
        self.store.write(outbox([event]))
        return event

    def settle(self) -> None:
        """Delivers, with as much time as failing deliveries want, until there is nothing new."""
        while self.step():
            continue

    def step(self) -> bool:
        """Deliver the events that wait now, but not those that they cause. Return False if there were none."""
        found = self._changes.read(self._read, 1000)
        for change in found:
            for message in messages_in(change.attributes):
                for reaction in self._reactions:
                    while reaction.wants(message) and self._delivery.deliver(message, reaction, tried=True):
                        self.clock.instant += timedelta(minutes=2)
            self._read = change.sequence
        return bool(found)

    def broadcasts(self, scope: Scope = SCOPE) -> Mapping[str, Any]:
        return {each.key: each.value for each in BROADCASTS.within(self.store, scope).query().records}

    def close(self) -> None:
        self._changes.close()
        self.store.close()


def broadcast(key: str, value: Any) -> Any:
    return RuleAction(tool="set_broadcast", args={"key": key, "value": value})


def install(world: RuleWorld, name: str = "note", *actions: Any, **more: Any) -> Any:
    wanted = {"on_kind": "turn_recorded", "actions": list(actions) or [broadcast("last", "${payload.text}")]} | more
    return rules.install_rule(name, **wanted, project=world.project)


def only(world: RuleWorld) -> Any:
    (rule,) = rules.list_rules(project=world.project).rules
    return rule
