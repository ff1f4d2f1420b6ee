"""Leases of expensive calls on DynamoDB: processes that ask for them all at once."""

import os
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from almanac.identity.access.call_leases import CallLeases
from almanac.kernel.clock import SystemClock
from almanac.platform.store.keys import Key, Partition
from tests.contract.backends import Place

MOST = 6
PROCESSES = 16
CALLS = 12

pytestmark = pytest.mark.slow


@pytest.fixture(params=["ministack", "dynoxide"])
def dynamodb(request: pytest.FixtureRequest) -> Place:
    return Place(request.param, request.getfixturevalue(f"{request.param}_address"))


class RunningCalls:
    """Counts running calls, and the most that ever ran at once."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.now = self.most = self.ended = 0

    def begin(self) -> None:
        with self._lock:
            self.now += 1
            self.most = max(self.most, self.now)

    def end(self) -> None:
        with self._lock:
            self.now -= 1
            self.ended += 1


def test_a_race_for_leases_never_gives_out_more_than_there_are(dynamodb: Place) -> None:
    clock, running, tenant = SystemClock(), RunningCalls(), f"racing-{os.urandom(4).hex()}"
    barrier = threading.Barrier(PROCESSES)

    def run_process(_: int) -> int:
        store, refused = dynamodb.open(clock), 0
        leases = CallLeases(store, clock, os.urandom)
        barrier.wait(timeout=30)
        for _ in range(CALLS):
            with leases.hold(tenant, MOST) as refusal:
                if refusal is not None:
                    refused += 1
                    continue
                running.begin()
                store.get(Key(Partition.system("secrets"), "elsewhere"))
                running.end()
        return refused

    with ThreadPoolExecutor(PROCESSES) as threads:
        refused = sum(threads.map(run_process, range(PROCESSES)))
    assert 2 <= running.most <= MOST
    assert running.ended + refused == PROCESSES * CALLS
    assert refused
