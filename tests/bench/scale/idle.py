"""Costs of a tenant without calls, and of its jobs while it works, counted by letting the clock run."""

from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from random import Random

from msgspec import Struct

from almanac.composition.families import every_job
from almanac.composition.search import index_parts
from almanac.composition.services import services_for
from almanac.gateway.events.job_rounds import run_due, run_survey
from almanac.kernel.caller import Scope
from almanac.kernel.instants import now_ms
from almanac.platform.due.records import SHARDS, shard_partition
from almanac.platform.services import Services
from almanac.platform.store.queries import every_item
from almanac.search.engine.records import FRESH
from almanac.search.port import DocumentState
from tests.bench.metered_store import Charge
from tests.bench.scale import prices
from tests.bench.scale.costs import memory_of, units, waiting_milliseconds
from tests.bench.scale.sizes import CALLS_A_DAY, PEAK
from tests.bench.scale.system import SCOPE, System, ToolRefusal
from tests.bench.scale.typical_calls import TypicalCalls
from tests.doubles.search_index import MemoryIndex

DAYS = 30
MINUTES_A_MONTH = 43_200
JOBS = [job for job in every_job() if not job.everywhere]
CLAIM, REMINDER, RULE = "claim that ran out", "message that nobody acknowledged", "rule by time"
_TELLING = {"actions": [{"tool": "set_broadcast", "args": {"key": "hour", "value": "over"}}]}
_SETTLING_DAYS = 3
"""After the last call: its claims end, its sessions are summarised."""


class Idle(Struct, frozen=True):
    """Monthly figures of a tenant with one project: store units, milliseconds of waiting for the store, due items."""

    read: float
    written: int
    milliseconds: int
    items: int

    @property
    def dollars(self) -> float:
        gigabyte_seconds = self.milliseconds / 1000 * memory_of("JobsFunction") / 1024
        store = self.read * prices.READ_UNIT + self.written * prices.WRITE_UNIT
        return store + gigabyte_seconds * prices.LAMBDA_GB_SECOND


class Minute(Struct, frozen=True):
    """Figures of a tenant in one round: due items, and milliseconds of waiting for the store."""

    items: int
    milliseconds: int


class Empty(Struct, frozen=True):
    """A round of an installation in which nothing is due."""

    read: float
    milliseconds: int

    @property
    def dollars_a_month(self) -> float:
        gigabyte_seconds = self.milliseconds / 1000 * memory_of("JobsFunction") / 1024
        one = self.read * prices.READ_UNIT + prices.LAMBDA_REQUEST + gigabyte_seconds * prices.LAMBDA_GB_SECOND
        return one * MINUTES_A_MONTH


class _Complete(MemoryIndex):
    """An index that lacks nothing."""

    def states_of(self, scope: Scope, profile: str, ids: Sequence[str]) -> Sequence[DocumentState]:
        return [DocumentState(each, 10**18) for each in ids]


def empty_round(system: System) -> Empty:
    """Call it while nothing is due."""
    system.meter.reset()
    _round(system, _services(system))
    return Empty(units(system.meter.charges)[0], waiting_milliseconds(system.meter.charges))


def working_minutes(system: System, typical: TypicalCalls, share: dict[str, float], hours: int) -> list[Minute]:
    """The rounds of a tenant that calls as often as the average one does in the busiest hour."""
    random, services = Random(7), _services(system)
    # What other counts left over, such as handovers that nobody answers, falls due before.
    _day(system, services)
    calls = round(CALLS_A_DAY * PEAK / 24 * hours)
    minutes = sorted(random.randrange(60 * hours) for _ in range(calls))
    minutes_of_rounds: list[Minute] = []
    for minute in range(60 * hours):
        for _ in range(minutes.count(minute)):
            tool = random.choices(list(share), weights=list(share.values()))[0]
            # A call that is refused, such as for a slot that is taken by now, is one of the hour all the same.
            with suppress(ToolRefusal):
                system.call(tool, **typical.arguments(tool))
        system.clock.instant += timedelta(minutes=1)
        system.meter.reset()
        _round(system, services)
        minutes_of_rounds.append(_minute(system.meter.charges))
    return minutes_of_rounds


def due_alone(system: System) -> dict[str, Minute]:
    """Return the rounds in which a single thing of a tenant is due, by its kind."""
    services = _services(system)
    begin = {
        CLAIM: ("claim", {"key": "file:src/a.py", "holder": "cursor@ben#1", "ttl_ms": 900_000}),
        REMINDER: ("send_message", {"to": ["ben"], "subject": "The page", "body": "Look at it.", "ack_required": True}),
        RULE: (
            "install_rule",
            {"name": "hourly", "on_kind": "schedule_due", "on_schedule": "rate(1 hour)", **_TELLING},
        ),
    }
    rounds: dict[str, Minute] = {}
    for what, (tool, arguments) in begin.items():
        system.do(tool, **arguments)
        shown = _first_shown_at(system)
        if shown is None:
            raise LookupError(f"Nothing is due after {tool}.")
        system.clock.instant = datetime.fromtimestamp(shown / 1000, UTC)
        system.meter.reset()
        _round(system, services)
        rounds[what] = _minute(system.meter.charges)
    return rounds


def idle_month(system: System) -> Idle:
    """Count a month that begins three days after the last call."""
    services = _services(system)
    _forget_fresh(system)
    for _ in range(_SETTLING_DAYS):
        _day(system, services)
    system.meter.reset()
    for _ in range(DAYS):
        _day(system, services)
    charges = [charge for charge in system.meter.charges if not _is_of_all(charge)]
    read, written = units(charges)
    return Idle(read, written, waiting_milliseconds(charges), _minute(charges).items)


def _day(system: System, services: Services) -> None:
    ends = now_ms(system.clock) + 86_400_000
    while (shown := _first_shown_at(system)) is not None and shown <= ends:
        system.clock.instant = datetime.fromtimestamp(shown / 1000, UTC)
        _round(system, services)
    system.clock.instant = datetime.fromtimestamp(ends / 1000, UTC)
    # One after the other, so that requests are told apart.
    for asks_others in (False, True):
        some = [job for job in JOBS if job.asks_others == asks_others]
        run_survey(some, services, system.telemetry.fail)


def _forget_fresh(system: System) -> None:
    """Forget fresh documents, which an index would have by now."""
    for scope in (SCOPE, SCOPE.shared):
        rows = FRESH.within(system.meter.unmetered, scope)
        for each in list(rows.every()):
            system.meter.unmetered.write([rows.delete(each.id)])


def _first_shown_at(system: System) -> int | None:
    store = system.meter.unmetered
    firsts = [next(every_item(store, shard_partition(shard), index="gsi1"), None) for shard in range(SHARDS)]
    return min((int(str(each.attributes["shown_at"])) for each in firsts if each is not None), default=None)


def _round(system: System, services: Services) -> None:
    run_due(JOBS, services, system.telemetry.fail)


def _minute(charges: Sequence[Charge]) -> Minute:
    """Return the figures of a round.

    A due item is recognised by the write that takes it, which moves it within the index.
    """
    own = [charge for charge in charges if not _is_of_all(charge)]
    moved = Counter(charge.request for charge in own if charge.kind == "write" and charge.partition.startswith("S#due"))
    return Minute(sum(places == 2 for places in moved.values()), waiting_milliseconds(own))


def _is_of_all(charge: Charge) -> bool:
    """Whether the round reads it however many tenants there are."""
    return charge.partition.startswith("S#due") and charge.read > 0


def _services(system: System) -> Services:
    return services_for(system.meter, system.clock, open_indexing=lambda: index_parts(_Complete(), None))
