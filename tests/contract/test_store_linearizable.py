"""Test that concurrent clients see an order of operations that is possible, and that killed writers leave nothing half
done."""

import multiprocessing
import threading
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from functools import partial
from itertools import chain

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.platform.store.conditions import Equals, Greater
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import ConditionFailed, Item, Put, Store, Update
from tests.contract.backends import Place
from tests.contract.leases import Client, hold_at, lease_step, run_client
from tests.contract.linearizability import Operation, is_linearizable

CLIENTS = 8
OPERATIONS = 200
LEASES = 3
ACCOUNTS = 6

pytestmark = pytest.mark.slow


def _by_threads(place: Place, scope: Scope) -> list[list[tuple[str, Operation]]]:
    store = place.open(SystemClock())
    gate = threading.Barrier(CLIENTS)

    def client(number: int) -> list[tuple[str, Operation]]:
        gate.wait(timeout=60)
        return run_client(store, scope, number, OPERATIONS, LEASES)

    with ThreadPoolExecutor(CLIENTS) as pool:
        return list(pool.map(client, range(CLIENTS)))


def _by_processes(place: Place, scope: Scope) -> list[list[tuple[str, Operation]]]:
    spawn = multiprocessing.get_context("spawn")
    gate = spawn.Barrier(CLIENTS)
    with ProcessPoolExecutor(CLIENTS, spawn, hold_at, (gate,)) as pool:
        return list(pool.map(Client(place, scope, OPERATIONS, LEASES), range(CLIENTS)))


@pytest.mark.parametrize("run", [_by_threads, _by_processes], ids=["threads", "processes"])
def test_leases_are_linearizable(
    place: Place, scope: Scope, run: Callable[[Place, Scope], list[list[tuple[str, Operation]]]]
):
    histories: dict[str, list[Operation]] = defaultdict(list)
    for lease, operation in chain.from_iterable(run(place, scope)):
        histories[lease].append(operation)
    operations = list(chain.from_iterable(histories.values()))
    assert len(operations) == CLIENTS * OPERATIONS
    assert _overlaps(operations) > OPERATIONS, "the clients did not meet"
    for lease, history in histories.items():
        assert is_linearizable(history, None, lease_step), lease


def _overlaps(operations: list[Operation]) -> int:
    """How many operations were called while another was under way."""
    latest, overlaps = 0, 0
    for operation in sorted(operations, key=lambda each: each.called):
        overlaps += operation.called < latest
        latest = max(latest, operation.returned or operation.called)
    return overlaps


def test_money_is_neither_made_nor_lost_nor_seen_half_way(place: Place, scope: Scope):
    store = place.open(SystemClock())
    accounts = [Key(Partition.in_project(scope, "accounts"), sort_key(number)) for number in range(ACCOUNTS)]
    store.write([Put(account, {"balance": 100, "version": 0}) for account in accounts])
    done = threading.Event()
    seen: set[int] = set()

    def read() -> int:
        reads = 0
        while not done.is_set():
            seen.add(_sum(store.snapshot(accounts)))
            reads += 1
        return reads

    with ThreadPoolExecutor(CLIENTS + 1) as pool:
        reader = pool.submit(read)
        try:
            moved = sum(pool.map(partial(_transfers, store, accounts), range(CLIENTS)))
        finally:
            done.set()
    assert moved > 50
    assert reader.result() > 10
    assert seen == {600}
    assert _sum(store.snapshot(accounts)) == 600
    assert all(_balance(item) >= 0 for item in store.snapshot(accounts))


def _transfers(store: Store, accounts: list[Key], client: int) -> int:
    """50 tries to move money, in place and by version in turn; how many of them were made."""
    moved = 0
    for number in range(50):
        source, target = accounts[(client + number) % ACCOUNTS], accounts[(client * 5 + number * 3 + 1) % ACCOUNTS]
        if source == target:
            continue
        amount = 1 + (client * 7 + number * 13) % 40
        try:
            if number % 2:
                store.write(
                    [
                        Update(
                            source, add={"balance": -amount, "version": 1}, condition=Greater("balance", amount - 1)
                        ),
                        Update(target, add={"balance": amount, "version": 1}),
                    ]
                )
            else:
                before, after = store.snapshot([source, target])
                if _balance(before) < amount:
                    continue
                store.write([_change_balance(before, -amount), _change_balance(after, amount)])
            moved += 1
        except ConditionFailed:
            continue
    return moved


def _change_balance(item: Item | None, amount: int) -> Put:
    assert item is not None
    version = item.attributes["version"]
    assert isinstance(version, int)
    return Put(item.key, {"balance": _balance(item) + amount, "version": version + 1}, Equals("version", version))


def _balance(item: Item | None) -> int:
    assert item is not None
    balance = item.attributes["balance"]
    assert isinstance(balance, int)
    return balance


def _sum(items: tuple[Item | None, ...]) -> int:
    return sum(map(_balance, items))
