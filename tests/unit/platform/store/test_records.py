"""Records in and out of a store, under keys made of their scope and fields."""

from collections.abc import Generator
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.clock import FixedClock
from almanac.platform.store.keys import Key, Partition
from almanac.platform.store.port import ConditionFailed
from almanac.platform.store.records import Place, Record, Records, Table, VersionedRecord, replace
from almanac.platform.store.sqlite.store import SqliteStore

NOW = 1_795_262_400_000
ACME = Scope("acme", "web")


class Author(Record, frozen=True, kw_only=True):
    name: str
    shares: tuple[float, ...] = ()


class Note(VersionedRecord, frozen=True, kw_only=True):
    book: str
    number: int
    text: str
    due: int | None = None
    expires_at: int | None = None
    authors: tuple[Author, ...] = ()
    digest: bytes = b""
    counts: dict[int, str] = msgspec.field(default_factory=dict[int, str])


class Setting(Record, frozen=True, kw_only=True):
    theme: str


NOTES = Table(
    Note,
    "notes",
    partition=("book",),
    sort=("number",),
    indexes={"gsi1": Place("notes_by_due", sort=("due", "book"))},
    expires="expires_at",
)
SETTINGS = Table(Setting, "settings", level="tenant")


@pytest.fixture
def store(tmp_path: Path) -> Generator[SqliteStore]:
    clock = FixedClock(datetime.fromtimestamp(NOW / 1000, UTC))
    store = SqliteStore(tmp_path / "store.db", clock=clock, cursor_secret=b"a secret for tests")
    yield store
    store.close()


def _numbers(page: Records[Note]) -> list[int]:
    return [note.number for note in page.records]


def test_a_record_reads_back_equal(store: SqliteStore):
    notes = NOTES.within(store, ACME)
    author = Author(name="Ann", shares=(0.5, 2.0))
    note = Note(book="b", number=1, text="t", due=NOW, authors=(author,), digest=b"\0\xff", counts={-1: "x"})
    store.write([notes.insert(note)])
    assert notes.get("b", 1) == note


def test_a_record_stands_under_its_scope_and_fields(store: SqliteStore):
    notes = NOTES.within(store, ACME)
    put = notes.insert(Note(book="b#1", number=-1, text="t", due=5, expires_at=NOW + 1))
    assert put.key == Key(Partition.in_project(ACME, "notes", "b#1"), "-9999999999999999")
    assert put.indexes == {"gsi1": Key(Partition.in_project(ACME, "notes_by_due"), "0000000000000005#b%231")}
    assert put.expires_at == NOW + 1
    theme = SETTINGS.within(store, ACME).insert(Setting(theme="dark"))
    assert theme.key == Key(Partition.in_tenant(ACME, "settings"), "settings")


def test_the_only_record_of_its_kind_is_found_without_components(store: SqliteStore):
    store.write([SETTINGS.within(store, ACME).insert(Setting(theme="dark"))])
    assert SETTINGS.within(store, Scope("acme", "other")).get() == Setting(theme="dark")
    assert SETTINGS.within(store, Scope("other", "web")).get() is None


def test_records_are_found_by_the_beginning_of_their_key_and_a_bound_after_it(store: SqliteStore):
    notes = NOTES.within(store, ACME)
    store.write([notes.insert(Note(book="b", number=number, text="t", due=number % 3)) for number in range(-3, 6)])
    assert _numbers(notes.query("b")) == list(range(-3, 6))
    assert _numbers(notes.query("b", since=-1, until=2)) == [-1, 0, 1]
    assert _numbers(notes.query("b", since=4)) == [4, 5]
    assert _numbers(notes.query("b", until=-1, reverse=True)) == [-2, -3]
    assert _numbers(notes.query("other")) == []
    assert sorted(_numbers(notes.query(1, index="gsi1"))) == [-2, 1, 4]
    assert sorted(_numbers(notes.query(1, "b", index="gsi1"))) == [-2, 1, 4]
    assert sorted(_numbers(notes.query(index="gsi1", since=1, until=2))) == [-2, 1, 4]


def test_pages_of_records_go_on_at_the_cursor(store: SqliteStore):
    notes = NOTES.within(store, ACME)
    store.write([notes.insert(Note(book="b", number=number, text="t")) for number in range(3)])
    first = notes.query("b", limit=2)
    assert _numbers(first) == [0, 1]
    assert _numbers(notes.query("b", limit=2, cursor=first.cursor)) == [2]


def test_a_record_without_a_field_of_an_index_is_not_in_it(store: SqliteStore):
    notes = NOTES.within(store, ACME)
    store.write([notes.insert(Note(book="b", number=1, text="t", due=None))])
    assert _numbers(notes.query(index="gsi1")) == []


def test_an_expired_record_is_absent(store: SqliteStore):
    notes = NOTES.within(store, ACME)
    store.write([notes.insert(Note(book="b", number=1, text="t", expires_at=NOW))])
    assert notes.get("b", 1) is None


def test_only_who_read_the_last_version_replaces_a_record(store: SqliteStore):
    notes = NOTES.within(store, ACME)
    read = Note(book="b", number=1, text="first")
    store.write([notes.insert(read)])
    store.write([replace(notes, Note(book="b", number=1, text="second", version=read.version))])
    with pytest.raises(ConditionFailed) as refused:
        store.write([replace(notes, Note(book="b", number=1, text="third", version=read.version))])
    assert refused.value.item is not None
    assert NOTES.read(refused.value.item) == Note(book="b", number=1, text="second", version=2)


def test_a_record_written_by_another_version_of_the_program_is_read(store: SqliteStore):
    class Later(Record, frozen=True, kw_only=True):
        theme: str
        size: int = 12

    later = Table(Later, "settings", level="tenant").within(store, ACME)
    earlier = SETTINGS.within(store, ACME)
    store.write([earlier.insert(Setting(theme="dark"))])
    assert later.get() == Later(theme="dark", size=12)
    store.write([later.put(Later(theme="light", size=9))])
    assert earlier.get() == Setting(theme="light")


def test_a_table_names_fields_that_exist():
    with pytest.raises(TypeError, match="colour, shape"):
        Table(Setting, "settings", sort=("shape",), expires="colour")


def test_a_key_has_all_its_components(store: SqliteStore):
    with pytest.raises(TypeError, match="2 components"):
        NOTES.within(store, ACME).get("b")


def test_a_second_record_under_the_same_key_is_refused(store: SqliteStore):
    notes = NOTES.within(store, ACME)
    store.write([notes.insert(Note(book="b", number=1, text="t"))])
    with pytest.raises(ConditionFailed):
        store.write([notes.insert(Note(book="b", number=1, text="t"))])
    store.write([notes.delete("b", 1)])
    assert notes.get("b", 1) is None
