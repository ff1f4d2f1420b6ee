"""`almanac events`: parked events seen and sent again."""

import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from almanac.identity.tenants import Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.kernel.errors import NotFound
from almanac.kernel.events import Event, new_event
from almanac.local.commands.events import events
from almanac.local.data_folder import DataFolder
from almanac.platform.bus.delivery import Delivery
from almanac.platform.bus.messages import Message
from almanac.platform.bus.outbox import messages_in
from almanac.platform.bus.port import Reaction
from almanac.platform.services import Services
from almanac.platform.store.port import Change
from almanac.platform.store.sqlite.changes import SqliteChanges
from almanac.platform.store.sqlite.store import SqliteStore


def _fail(event: Event, services: Services) -> Sequence[Change]:
    raise ValueError("no such list")


class ParkingFolder:
    """A data folder in which events can be parked."""

    def __init__(self, path: Path, clock: FixedClock) -> None:
        self.path, self.clock = path, clock
        self.store: SqliteStore = DataFolder(path).open_store(clock)
        for tenant in ("acme", "globex"):
            Tenants(self.store, clock).create(tenant)
        self._made = 0

    def park(self, tenant: str = "acme", *reactions: str) -> str:
        self._made += 1
        number = self._made
        event = new_event(
            "item_created",
            Scope(tenant, "main"),
            key="list",
            actor="ada",
            at=1_795_262_400_000,
            random_bytes=lambda count: number.to_bytes(count, "big"),
        )
        delivery = Delivery(self.store, Services({}), self.clock, report=lambda where, error: None)
        for name in reactions or ("index",):
            reaction = Reaction(name, frozenset(["item_created"]), _fail)
            while delivery.deliver(Message(event), reaction, tried=True) is not None:
                self.clock.instant += timedelta(minutes=1)
        return event.id

    def sent_messages(self) -> list[Message]:
        changes = SqliteChanges(self.path / "almanac.db")
        found = [message for change in changes.read(0, 1000) for message in messages_in(change.attributes)]
        changes.close()
        return found

    def run(self, *arguments: str) -> Result:
        return CliRunner().invoke(events, [*arguments, "--data", str(self.path)])

    def rows(self, *arguments: str) -> list[dict[str, Any]]:
        answer = self.run(*arguments, "--json")
        assert answer.exit_code == 0, answer.output
        return json.loads(answer.stdout)


@pytest.fixture
def folder(tmp_path: Path, clock: FixedClock) -> ParkingFolder:
    return ParkingFolder(tmp_path, clock)


def test_parked_events_say_what_when_for_whom_and_why(folder: ParkingFolder):
    event_id = folder.park("acme", "index")
    (row,) = folder.rows("parked")
    assert row == {
        "event": event_id,
        "kind": "item_created",
        "tenant": "acme",
        "project": "main",
        "key": "list",
        "actor": "ada",
        "at": "2026-11-21T12:00:00Z",
        "reaction": "index",
        "attempts": 6,
        "first_failed": "2026-02-18T14:30:00Z",
        "parked": "2026-02-18T14:35:00Z",
        "error": "ValueError: no such list",
    }


def test_on_the_terminal_they_are_a_table(folder: ParkingFolder):
    event_id = folder.park()
    heading, line = folder.run("parked").stdout.splitlines()
    assert heading.split() == ["EVENT", "KIND", "TENANT", "REACTION", "ATTEMPTS", "PARKED", "ERROR"]
    assert event_id in line
    assert "ValueError: no such list" in line


def test_where_none_are_parked_that_is_said(folder: ParkingFolder):
    assert folder.run("parked").stdout == "No events are parked.\n"
    assert folder.rows("parked") == []


def test_all_tenants_are_listed_or_one(folder: ParkingFolder):
    ids = [folder.park("globex"), folder.park("acme"), folder.park("globex")]
    assert [row["event"] for row in folder.rows("parked")] == [ids[1], ids[0], ids[2]]
    assert [row["event"] for row in folder.rows("parked", "--tenant", "globex")] == [ids[0], ids[2]]


def test_more_than_the_limit_is_hinted_at(folder: ParkingFolder):
    ids = [folder.park() for _ in range(3)]
    answer = folder.run("parked", "--limit", "2")
    assert ids[1] in answer.stdout
    assert ids[2] not in answer.stdout
    assert "more than 2" in answer.stderr
    assert "more than" not in folder.run("parked", "--limit", "3").stderr


def test_more_than_a_page_is_listed(folder: ParkingFolder):
    for _ in range(101):
        folder.park()
    assert len(folder.rows("parked", "--limit", "1000")) == 101


@pytest.mark.parametrize("change", [str.upper, str.lower])
def test_an_event_is_sent_again_for_every_reaction_that_gave_up(folder: ParkingFolder, change: Any):
    event_id = folder.park("acme", "feed", "index")
    other = folder.park()
    assert [row["reaction"] for row in folder.rows("retry", change(event_id))] == ["feed", "index"]
    assert [(message.event.id, message.reaction) for message in folder.sent_messages()] == [
        (event_id, "feed"),
        (event_id, "index"),
    ]
    assert [row["event"] for row in folder.rows("parked")] == [other]


def test_a_retry_can_be_narrowed_to_a_reaction(folder: ParkingFolder):
    event_id = folder.park("acme", "feed", "index")
    folder.rows("retry", event_id, "--reaction", "index")
    assert [message.reaction for message in folder.sent_messages()] == ["index"]
    assert [row["reaction"] for row in folder.rows("parked")] == ["feed"]


def test_all_are_sent_again_in_the_order_of_the_events(folder: ParkingFolder):
    ids = [folder.park() for _ in range(3)]
    assert len(folder.rows("retry", "--all")) == 3
    assert [message.event.id for message in folder.sent_messages()] == ids
    assert folder.rows("retry", "--all") == []


@pytest.mark.parametrize("arguments", [["retry", "01M7YZMHG10000000000000001"], ["parked", "--tenant", "nobody"]])
def test_what_is_not_there_is_refused_with_a_hint(folder: ParkingFolder, arguments: list[str]):
    answer = folder.run(*arguments)
    assert isinstance(answer.exception, NotFound)
    assert answer.exception.hint


@pytest.mark.parametrize("arguments", [["retry"], ["retry", "01M7YZMHG10000000000000001", "--all"]])
def test_a_retry_names_one_event_or_says_all(folder: ParkingFolder, arguments: list[str]):
    answer = folder.run(*arguments)
    assert answer.exit_code == 2
    assert "Name one event, or say --all." in answer.stderr
