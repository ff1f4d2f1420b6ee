"""A lease on the store, its model, and clients that ask for it all at once."""

import random
import time
from typing import Literal, Protocol

from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import Unavailable
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import ConditionFailed, Delete, Item, Put, Store, Update
from tests.contract.backends import Place
from tests.contract.linearizability import Operation

Verb = Literal["claim", "renew", "release", "look"]
Standing = tuple[str, int] | None
"""Who holds the lease and how often it was renewed."""
Answer = tuple[bool, Standing]
"""Whether it was done; where not, and for a look, what stands there."""

FAR_AWAY = 10**14


def lease_step(state: Standing, asked: tuple[Verb, str], answered: Answer, known: bool) -> tuple[Standing] | None:
    """Model a lease: decide whether the actor may act, and return the lease afterwards."""
    verb, who = asked
    if verb == "look":
        return (state,) if not known or answered == (True, state) else None
    may = state is None or state[0] == who if verb == "claim" else state is not None and state[0] == who
    if known and answered != ((True, None) if may else (False, state)):
        return None
    if not may:
        return (state,)
    renewals = state[1] + 1 if state is not None and verb == "renew" else 0
    return (None,) if verb == "release" else ((who, renewals),)


def ask(store: Store, key: Key, verb: Verb, who: str) -> Answer:
    """Ask the store. Raises Unavailable if it does not know whether the operation took effect."""
    holds = Equals("holder", who)
    try:
        match verb:
            case "claim":
                store.write([Put(key, {"holder": who, "renewals": 0}, Absent() | holds, expires_at=FAR_AWAY)])
            case "renew":
                store.write([Update(key, add={"renewals": 1}, condition=holds, expires_at=FAR_AWAY + 1)])
            case "release":
                store.write([Delete(key, holds)])
            case "look":
                return True, _lease_of(store.get(key))
    except ConditionFailed as failed:
        return False, _lease_of(failed.item)
    return True, None


def run_client(store: Store, scope: Scope, client: int, count: int, keys: int) -> list[tuple[str, Operation]]:
    """`count` operations on `keys` leases, each with the lease it was for."""
    chance = random.Random(client)
    partition = Partition.in_project(scope, "leases")
    history: list[tuple[str, Operation]] = []
    for _ in range(count):
        lease = f"lease-{chance.randrange(keys)}"
        verbs: list[Verb] = ["claim", "claim", "claim", "renew", "renew", "release", "release", "look"]
        asked = (chance.choice(verbs), f"client-{client}")
        called = time.perf_counter_ns()
        try:
            answered = ask(store, Key(partition, lease), *asked)
            returned = time.perf_counter_ns()
        except Unavailable:
            answered, returned = None, None
        history.append((lease, Operation(called, returned, asked, answered)))
    return history


class Client:
    """One client as a process: called there after all of them have come up."""

    def __init__(self, place: Place, scope: Scope, count: int, keys: int) -> None:
        self._task = (place, scope, count, keys)

    def __call__(self, client: int) -> list[tuple[str, Operation]]:
        place, scope, count, keys = self._task
        store = place.open(SystemClock())
        store.get(Key(Partition.in_project(scope, "leases"), "warm"))
        _gate[0].wait(timeout=60)
        return run_client(store, scope, client, count, keys)


class Gate(Protocol):
    """A barrier at which clients wait for each other, such as `multiprocessing.Barrier`."""

    def wait(self, timeout: float) -> object: ...


_gate: list[Gate] = []


def hold_at(gate: Gate) -> None:
    """Run in every process as it starts."""
    _gate.append(gate)


def _lease_of(item: Item | None) -> Standing:
    if item is None:
        return None
    holder, renewals = item.attributes["holder"], item.attributes["renewals"]
    assert isinstance(holder, str)
    assert isinstance(renewals, int)
    return holder, renewals
