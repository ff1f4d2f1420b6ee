"""Costs beside the calls themselves: keys with limits, functions that do not know a key, and listeners."""

from itertools import islice

import msgspec

from almanac.composition.families import every_source
from almanac.composition.services import services_for
from almanac.identity.access.rates import TenantRates, block_of
from almanac.identity.records import STANDARD
from almanac.search.engine.enrichment import BUSY
from almanac.search.engine.records import FRESH
from tests.bench.scale import prices
from tests.bench.scale.costs import STEPS, TOGETHER, VCPU_MB, bill, memory_of, units, waiting_milliseconds
from tests.bench.scale.measured import read_measured
from tests.bench.scale.system import DEFAULT_LIMITS, SCOPE, Passage, System
from tests.bench.scale.typical_calls import TypicalCalls
from tests.bench.scale.units import empty_system, passage


class Besides(msgspec.Struct, frozen=True):
    """Store units of one `what`, and dollars per million of them."""

    what: str
    read: float
    written: float
    dollars: float


def besides(system: System, typical: TypicalCalls) -> list[Besides]:
    """`system` is furnished; it has a listener afterwards."""
    authorizer = units(passage(system, typical, "convert_timezone", restarted=True).charges["authorizer"])
    return [
        _of("call whose key and tenant the authorizer has not seen for 30 seconds", *authorizer),
        _of("call with a key that has a limit per minute", *_count_requests(per_minute=1000)),
        _of(
            "call with a key that has limits per minute and per day", *_count_requests(per_minute=1000, per_day=100_000)
        ),
        _of_rate(system),
        _of_listener(system, typical),
        of_rule(),
        *map(_cost_of_reading, (1, TOGETHER)),
    ]


def _count_requests(**limits: int) -> tuple[float, int]:
    """A request beyond the first of its window."""
    with empty_system(None, **limits) as system:
        system.do("get_temporal_context")
        system.meter.reset()
        system.do("get_temporal_context")
        return units(system.meter.charges)


def _of_rate(system: System) -> Besides:
    """Return the cost of a call beyond those that a process admits uncounted, and beyond the first counted ones."""
    per_minute = DEFAULT_LIMITS[STANDARD].per_minute or 0
    block, rates = block_of(per_minute), TenantRates(lambda: system.meter, system.clock)
    calls = [rates.admit("busy", per_minute) for _ in range(2 * block)]
    system.meter.reset()
    calls += [rates.admit("busy", per_minute) for _ in range(block)]
    assert not any(calls)
    read, written = units(system.meter.charges)
    return _of(f"call of a tenant beyond its first {block} of a minute in a function", read / block, written / block)


def _of_listener(system: System, typical: TypicalCalls) -> Besides:
    """Return the cost of an event's first listener. Further listeners do not read the log again."""
    before = units(_second_push(system, typical).charges["push"])
    system.listen()
    after = units(_second_push(system, typical).charges["push"])
    store = _of("event told to a listener", after[0] - before[0], after[1] - before[1])
    return msgspec.structs.replace(store, dollars=store.dollars + prices.SOCKET_MESSAGE * prices.MILLION)


def of_rule() -> Besides:
    """Return the extra cost of an event that a rule answers with a broadcast: over the bus, matching, and firing."""
    action = {"tool": "set_broadcast", "args": {"key": "last", "value": "${payload.value}"}}
    with empty_system(None) as system:
        without = _second_broadcast(system)
        system.do("install_rule", name="listens", on_kind="broadcast_set", actions=[action])
        fired = _second_broadcast(system)
    taken = [units(charge for part in each.charges.values() for charge in part) for each in (without, fired)]
    read, written = (after - before for before, after in zip(*taken, strict=True))
    dollars = [bill("set_broadcast", each, read_measured()).total for each in (without, fired)]
    return Besides("event that a rule listens to, with what the rule does", read, written, dollars[1] - dollars[0])


def _second_broadcast(system: System) -> Passage:
    """The second of two: functions know the key, and the rule has an activity."""
    system.call("set_broadcast", key="sprint", value="48")
    return system.call("set_broadcast", key="sprint", value="49")


def _second_push(system: System, typical: TypicalCalls) -> Passage:
    """The second of two: functions know the key by then."""
    passage(system, typical, "set_broadcast")
    return passage(system, typical, "set_broadcast")


def _of(what: str, read: float, written: float) -> Besides:
    return Besides(what, read, written, (read * prices.READ_UNIT + written * prices.WRITE_UNIT) * prices.MILLION)


TURN_CPU_MS = 13
"""Milliseconds of a processor for a turn of 30 word pieces: docs/decisions/0026-numpy-and-the-embedder.md."""
INDEX_MS = 60
"""Milliseconds for which an invocation waits for OpenSearch: what it has, what it lacks, reading and writing again."""


def _cost_of_reading(together: int) -> Besides:
    """A turn that the model reads later, so many in an invocation: it is read from the table, as are the newest writes
    of its project."""
    # A system of its own: the turns of this one are followed by jobs, which others count.
    with empty_system(None) as system:
        for number in range(together):
            system.do("record_turn", role="user", content=f"Tool {number} does it.", session_id="read")
        services = services_for(system.meter, system.clock)
        turns = every_source()["turn"]
        some = [each.id for each in islice(turns.every(services, SCOPE, ""), together)]
        system.meter.reset()
        # One reading of the index's, and one of what is fresh.
        assert len(turns.read(services, SCOPE, some)) == together
        FRESH.within(system.meter, SCOPE).query(reverse=True, limit=BUSY)
        read, written = units(system.meter.charges)
        waits = INDEX_MS + waiting_milliseconds(system.meter.charges)
    memory = memory_of("EnrichingFunction")
    seconds = (TURN_CPU_MS * together * VCPU_MB / memory + waits) / 1000
    requests = prices.LAMBDA_REQUEST + STEPS * prices.QUEUE_REQUEST
    dollars = (requests + seconds * memory / 1024 * prices.LAMBDA_GB_SECOND) * prices.MILLION / together
    how = "alone" if together == 1 else f"with {together - 1} others"
    store = _of(f"turn that the model reads, {how} (`SearchModel`)", read / together, written / together)
    return msgspec.structs.replace(store, dollars=store.dollars + dollars)
