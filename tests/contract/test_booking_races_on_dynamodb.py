"""Twenty clients in four processes book overlapping slots at once, in a calendar that DynamoDB keeps.

ALMANAC_RACE_ROUNDS=200 runs more rounds.
"""

import os
from pathlib import Path

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from tests.contract.backends import Place
from tests.unit.families.calendar.rivals import winners_of_processes
from tests.unit.families.calendar.services import (
    REMOTE,
    FolderProvider,
    connect_remote,
    minutes_by_event,
    open_bookings,
)

ROUNDS = int(os.environ.get("ALMANAC_RACE_ROUNDS", "50"))
PROCESSES = 4
CLIENTS = 5

pytestmark = pytest.mark.slow


@pytest.fixture(params=["ministack", "dynoxide"])
def dynamodb(request: pytest.FixtureRequest) -> Place:
    return Place(request.param, request.getfixturevalue(f"{request.param}_address"))


@pytest.mark.parametrize(
    ("calendar", "rounds"), [("primary", ROUNDS), (REMOTE, max(1, ROUNDS // 5))], ids=["primary", REMOTE]
)
def test_one_of_twenty_clients_in_four_processes_gets_the_slot(
    dynamodb: Place, scope: Scope, tmp_path: Path, calendar: str, rounds: int
):
    clock = SystemClock()
    bookings = open_bookings(tmp_path, clock, store=dynamodb.open(clock), scope=scope)
    connect_remote(bookings)
    store = (dynamodb.technology, dynamodb.address)
    won = winners_of_processes(tmp_path, calendar, CLIENTS, rounds, *store, processes=PROCESSES, scope=scope)

    assert sorted(minutes_by_event(bookings, calendar)) == sorted(won)
    if calendar == REMOTE:
        assert sorted(event.id for event in FolderProvider(tmp_path / "provider").events()) == sorted(won)
