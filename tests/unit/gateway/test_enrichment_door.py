"""Test the enrichment handler.

Queued documents get their vectors once they are in the index, and none waits for another.
"""

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from almanac.composition.search import index_parts
from almanac.gateway.events.enrichment_door import TENANT_SECONDS, enrichment_handler
from almanac.kernel.caller import Scope
from almanac.kernel.errors import Unavailable
from almanac.platform.bus.messages import encode_message
from almanac.platform.bus.outbox import messages_in
from almanac.platform.bus.sinks import project_queue
from almanac.platform.embedder.layer_model import layer_model
from almanac.platform.store.sqlite.changes import SqliteChanges
from almanac.search.engine.document_writes import DOCUMENT_WRITTEN
from almanac.search.port import Context
from tests.doubles.five_words import Model, Table
from tests.doubles.search_index import MemoryIndex
from tests.doubles.searched_things import SCOPE, Things, source
from tests.unit.gateway.invocation import Invocation
from tests.unit.gateway.silent import Silent

OTHER = Scope("bolt", "main")


class Vectors:
    def ready(self) -> Table:
        return Table()


class Index(MemoryIndex):
    """An index that calls `before` between the reading of a text and the writing of its vectors."""

    def __init__(self) -> None:
        super().__init__()
        self.before: Callable[[], object] = int
        self.down: Scope | None = None

    def enrich(self, scope: Scope, contexts: Sequence[Context]) -> None:
        if scope == self.down:
            raise Unavailable("The index does not answer.", "Repeat it.")
        self.before()
        super().enrich(scope, contexts)


class Line(Things):
    def __init__(self, folder: Path) -> None:
        self.kept, self.model, self.telemetry, self.seconds = Index(), Model(), Silent(), 0.0
        super().__init__(folder, self.kept)
        opened = index_parts(self.kept, Vectors(), lambda: self.model)
        self.open_with(replace(opened, sources={"thing": source()}))
        self._handle = enrichment_handler(lambda: self.services, self.telemetry, lambda: self.seconds)

    def records(self) -> list[dict[str, Any]]:
        """A message for everything that was written so far."""
        changes = SqliteChanges(self.path)
        found = [message for each in changes.read(0, 10_000) for message in messages_in(each.attributes)]
        changes.close()
        return [{"messageId": str(place), "body": encode_message(each)} for place, each in enumerate(found)]

    def handle(self, records: "list[dict[str, Any]]", times: int = 1000) -> list[str]:
        answer: Mapping[str, Any] = self._handle({"Records": records}, Invocation(times))
        return [each["itemIdentifier"] for each in answer["batchItemFailures"]]

    def enriched_ids(self, scope: Scope = SCOPE) -> set[str]:
        return {each.id for each in self.kept.list_states(scope, "documents") if each.enriched}


@pytest.fixture
def line(tmp_path: Path) -> Line:
    return Line(tmp_path)


def test_two_deliveries_of_an_event_are_read_once(line: Line) -> None:
    line.write("boat", "a yellow boat")
    line.deliver()
    assert line.handle(line.records()) == []
    assert (line.enriched_ids(), line.model.texts_read) == ({"boat"}, 2)  # title and text
    assert line.handle(line.records() * 2) == []
    assert line.model.texts_read == 2


def test_a_message_comes_again_until_the_index_has_its_text(line: Line) -> None:
    line.write("boat", "a yellow boat")
    assert line.handle(line.records()) == ["0"]
    line.deliver()
    assert line.handle(line.records()) == []
    assert line.enriched_ids() == {"boat"}


def test_what_changed_since_is_left_to_its_own_event(line: Line) -> None:
    line.write("boat", "yellow")
    line.deliver()
    line.write("boat", "green")
    first, second = line.records()
    assert line.handle([first]) == []
    assert line.enriched_ids() == set()
    assert line.handle([first, second]) == ["0", "1"]
    line.deliver()
    assert line.handle([first, second]) == []
    assert line.enriched_ids() == {"boat"}


def test_what_is_forgotten_meanwhile_does_not_come_back(line: Line) -> None:
    line.write("boat", "a yellow boat")
    line.write("car", "a green car")
    line.deliver()
    told = line.records()
    line.drop("car")
    assert line.handle(told) == []

    def drop() -> None:
        line.kept.before = int
        line.drop("boat")
        line.deliver()

    line.write("boat2", "a yellow boat")
    line.deliver()
    line.kept.before = drop
    assert line.handle(line.records()) == []
    assert line.search_ids("yellow boat") == ["boat2"]
    assert {each.id for each in line.kept.list_states(SCOPE, "documents") if not each.removed} == {"boat2"}


def test_an_index_that_fails_for_one_tenant_holds_up_no_other(line: Line) -> None:
    line.write("boat", "a yellow boat")
    line.write("car", "a green car", scope=OTHER)
    line.deliver()
    line.kept.down = SCOPE
    assert line.handle(line.records()) == ["0"]
    assert (line.enriched_ids(), line.enriched_ids(OTHER)) == (set(), {"car"})
    assert [type(each) for each in line.telemetry.defects] == [Unavailable]


def test_a_tenant_has_a_part_of_the_time_and_what_is_left_comes_again(line: Line) -> None:
    for number in range(20):
        line.write(f"boat{number}", "a yellow boat")
    line.write("car", "a green car", scope=OTHER)
    line.deliver()

    def work() -> None:
        line.seconds += TENANT_SECONDS

    line.kept.before = work
    left = line.handle(line.records())
    assert len(left) == 12
    assert "20" not in left
    assert line.enriched_ids(OTHER) == {"car"}
    line.kept.before = int
    assert line.handle(line.records()) == []
    assert len(line.enriched_ids()) == 20


def test_nothing_is_begun_when_the_time_of_the_function_is_short(line: Line) -> None:
    line.write("boat", "a yellow boat")
    line.deliver()
    assert line.handle(line.records(), times=0) == ["0"]


def test_what_was_written_before_there_was_a_model_follows(line: Line) -> None:
    line.write("old", "a yellow boat")
    line.write("new", "a green car")
    line.deliver()
    assert line.handle(line.records()[1:]) == []
    assert line.enriched_ids() == {"old", "new"}


def test_without_the_layer_messages_are_settled_and_nothing_is_asked(line: Line, tmp_path: Path) -> None:
    line.open_with(replace(line.indexing, model=layer_model(tmp_path)))
    line.write("boat", "a yellow boat")
    line.deliver()
    assert line.handle(line.records()) == []
    assert line.enriched_ids() == set()


def test_a_message_that_cannot_be_read_is_given_back(line: Line) -> None:
    assert line.handle([{"messageId": "broken", "body": "{"}]) == ["broken"]
    assert len(line.telemetry.defects) == 1


def test_only_what_was_written_goes_to_the_queue(line: Line) -> None:
    sent: list[str] = []

    class Client:
        def send_message_batch(self, *, QueueUrl: str, Entries: "list[dict[str, str]]") -> dict[str, Any]:  # noqa: N803
            sent.extend(each["MessageGroupId"] for each in Entries)
            return {"QueueUrl": QueueUrl}

    line.write("boat", "a yellow boat")
    line.write("car", "a green car", scope=OTHER)
    changes = SqliteChanges(line.path)
    told = [message for each in changes.read(0, 100) for message in messages_in(each.attributes)]
    changes.close()
    other = replace(told[0], event=dataclasses.replace(told[0].event, kind="noted"))
    again = replace(told[0], reaction="search.follow")
    queue = project_queue(Client(), "q", {DOCUMENT_WRITTEN})
    assert queue.send([other, *told, again]).accepted == 4
    assert len(set(sent)) == len(sent) == 2
