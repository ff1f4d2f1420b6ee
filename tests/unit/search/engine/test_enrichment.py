"""Test the later pass that adds a model's vectors, newest first, within a time limit, to unchanged documents."""

from itertools import count
from pathlib import Path

from msgspec.structs import replace

from almanac.composition.search import index_parts
from almanac.search.engine.enrichment import BUSY, enrich
from almanac.search.port import DocumentState
from tests.doubles.five_words import Model, Table
from tests.doubles.search_index import MemoryIndex
from tests.doubles.searched_things import SCOPE, Things, source


class Vectors:
    def __init__(self, table: Table | None) -> None:
        self._table = table

    def ready(self) -> Table | None:
        return self._table


class EnrichedThings(Things):
    """Things whose search has static vectors and an embedding model."""

    def __init__(self, folder: Path, table: Table | None, model: Model | None) -> None:
        self.kept = MemoryIndex()
        super().__init__(folder, self.kept)
        opened = index_parts(self.kept, Vectors(table), lambda: model)
        self.open_with(
            type(opened)(
                index=opened.index,
                deriver=opened.deriver,
                sources={"thing": source()},
                vectors_of=opened.vectors_of,
                model=opened.model,
            )
        )

    def enriched_ids(self) -> set[str]:
        held: list[DocumentState] = list(self.kept.list_states(SCOPE, "documents"))
        return {each.id for each in held if each.enriched}


def test_every_document_is_enriched_in_the_end_and_nothing_twice(tmp_path: Path) -> None:
    model = Model()
    things = EnrichedThings(tmp_path, Table(), model)
    for number in range(20):
        things.write(f"thing{number}", "a yellow boat")
    things.deliver()
    assert enrich(things.services, SCOPE) == 20
    assert len(things.enriched_ids()) == 20
    asked = model.texts_read
    assert enrich(things.services, SCOPE) == 0
    assert model.texts_read == asked
    assert len(things.search_ids("yellow boat", limit=100)) == 20


def test_a_question_is_read_by_the_model_once_it_says_something_of_a_twentieth(tmp_path: Path) -> None:
    model = Model()
    things = EnrichedThings(tmp_path, Table(), model)
    for number in range(200):
        things.write(f"thing{number}", "a yellow boat")
    things.deliver()
    assert enrich(things.services, SCOPE, iter((0.0, 2.0)).__next__) == 8
    asked = model.texts_read
    assert len(things.search_ids("yellow boat", limit=100)) == 100
    assert model.texts_read == asked
    assert enrich(things.services, SCOPE, iter((0.0, 2.0)).__next__) == 8
    asked = model.texts_read
    assert len(things.search_ids("yellow boat", limit=100)) == 100
    assert model.texts_read == asked + 1


def test_a_round_ends_after_a_second_and_the_next_goes_on(tmp_path: Path) -> None:
    things = EnrichedThings(tmp_path, Table(), Model())
    for number in range(20):
        things.write(f"thing{number}", "a yellow boat")
    things.deliver()
    seconds = count(0, 0.6)
    assert enrich(things.services, SCOPE, lambda: next(seconds)) == 16
    assert enrich(things.services, SCOPE) == 4


def test_what_changed_since_is_left_to_its_own_event(tmp_path: Path) -> None:
    things = EnrichedThings(tmp_path, Table(), Model())
    things.write("boat", "yellow")
    things.write("car", "green")
    things.deliver()
    things.write("boat", "green")
    enrich(things.services, SCOPE)
    assert things.enriched_ids() == {"car"}
    things.deliver()
    enrich(things.services, SCOPE)
    assert things.enriched_ids() == {"boat", "car"}


def test_without_a_model_or_a_table_nothing_is_done(tmp_path: Path) -> None:
    for number, (table, model) in enumerate([(None, Model()), (Table(), None)]):
        things = EnrichedThings(_make_folder(tmp_path / str(number)), table, model)
        things.write("boat", "yellow")
        things.deliver()
        assert enrich(things.services, SCOPE) == 0


def _make_folder(folder: Path) -> Path:
    folder.mkdir()
    return folder


def test_where_nothing_lacks_a_context_the_model_is_not_opened(tmp_path: Path) -> None:
    things = EnrichedThings(tmp_path, Table(), Model())
    opened: list[bool] = []

    def open_model() -> Model:
        opened.append(True)
        return Model()

    things.open_with(replace(things.indexing, model=open_model))
    assert (enrich(things.services, SCOPE), opened) == (0, [])
    things.write("boat", "a yellow boat")
    things.deliver()
    assert (enrich(things.services, SCOPE), opened) == (1, [True])


def test_what_the_index_does_not_have_yet_comes_first(tmp_path: Path) -> None:
    things = EnrichedThings(tmp_path, Table(), Model())
    things.write("first", "a yellow boat")
    things.deliver()
    for number in range(BUSY):
        things.write(f"thing{number}", "a yellow boat")
    assert enrich(things.services, SCOPE) == 0
    things.deliver()
    assert enrich(things.services, SCOPE) == BUSY + 1


def test_a_few_writes_on_their_way_do_not_hold_it_up(tmp_path: Path) -> None:
    things = EnrichedThings(tmp_path, Table(), Model())
    things.write("first", "a yellow boat")
    things.deliver()
    for number in range(BUSY - 1):
        things.write(f"thing{number}", "a yellow boat")
    assert enrich(things.services, SCOPE) == 1
