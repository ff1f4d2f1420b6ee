"""Test finding notes and entries by words through the search engine, with an index in any state."""

import re
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from almanac.families.planner.core.note_records import NOTES
from almanac.families.planner.factory import open_planner
from almanac.families.planner.notes.notes import Notes
from almanac.families.planner.search import item_search
from almanac.families.planner.search.documents import ONE_BY_ONE
from almanac.families.planner.search.postings import IndexTerm, position_of, posting_key, term_partition
from almanac.kernel.clock import SystemClock
from almanac.platform.store.port import Change, Put
from almanac.platform.store.sqlite.store import SqliteStore
from almanac.search.analysis.exact_words import exact_words_of
from almanac.search.engine.exact_search import NO_INDEX, NOT_WHOLE
from almanac.search.sqlite.index import SqliteIndex
from tests.bench.metered_store import MeteredStore
from tests.project_app import ProjectApp, planner_app
from tests.unit.families.planner.note_calls import create, search_titles
from tests.unit.families.planner.searched_planner import SearchedPlanner

PARTS = ["rm -rf", "C++", "src/app.py", "#123", "#1234", "deploy", "deployment", "redeploy", "東京", "a_b", "→", "v1.2"]
QUERIES = [*PARTS, "dep", "app.py", "py", "12", "c+", "京", "b", "rm dep", '"rm -rf"', "d deploym", "v1. c++", "x"]
DAYS = ["2026-02-16", "2026-02-17", "2026-02-18"]
LONG = "long " * 500
"""Over what is kept with a fresh document."""

text = st.lists(st.sampled_from([*PARTS, LONG]), max_size=4).map(" ".join)
tags = st.lists(st.sampled_from(["home", "Work"]), max_size=2, unique=True)
pick = st.integers(0, 1000)


@dataclass
class ModelDocument:
    title: str
    body: str
    tags: list[str]
    day: str = ""

    def matches(self, query: str) -> bool:
        texts = [" ".join(one.lower().split()) for one in (self.title, self.body, *self.tags)]
        phrases = [quoted or plain for quoted, plain in re.findall(r'"([^"]+)"|(\S+)', query.lower())]
        return all(any(re.search(_boundary_before(phrase), text) for text in texts) for phrase in phrases)


def _boundary_before(phrase: str) -> str:
    return (r"(?<![a-z0-9])" if phrase[0].isascii() and phrase[0].isalnum() else "") + re.escape(phrase)


class WordsModel(RuleBasedStateMachine):
    @initialize(has_everything=st.booleans())
    def begin(self, has_everything: bool) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.path = Path(self.folder.name)
        self.app = SearchedPlanner(self.path, index=SqliteIndex(self.path / "search"))
        if has_everything:
            self.app.rebuild_index()
        self.notes: dict[str, ModelDocument] = {}
        self.entries: dict[str, ModelDocument] = {}

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()

    @rule(title=st.sampled_from(PARTS), body=text, tags=tags)
    def add_note(self, title: str, body: str, tags: list[str]) -> None:
        self.notes[create(self.app, title, body=body, tags=tags)] = ModelDocument(title, body, tags)

    @rule(title=st.sampled_from(PARTS), body=text, day=st.sampled_from(DAYS))
    def add_entry(self, title: str, body: str, day: str) -> None:
        made = self.app.do("journal_create", title=title, body=body, date=day)["id"]
        self.entries[made] = ModelDocument(title, body, [], day)

    @precondition(lambda self: self.notes)
    @rule(which=pick, body=text, tags=tags)
    def edit_note(self, which: int, body: str, tags: list[str]) -> None:
        note = list(self.notes)[which % len(self.notes)]
        self.app.do("notes_update", noteId=note, body=body, tags=tags)
        self.notes[note] = ModelDocument(self.notes[note].title, body, tags)

    @precondition(lambda self: self.entries)
    @rule(which=pick, body=text, day=st.sampled_from(DAYS))
    def edit_entry(self, which: int, body: str, day: str) -> None:
        entry = list(self.entries)[which % len(self.entries)]
        self.app.do("journal_update", entryId=entry, body=body, date=day)
        self.entries[entry] = ModelDocument(self.entries[entry].title, body, [], day)

    @precondition(lambda self: self.notes)
    @rule(which=pick)
    def delete_note(self, which: int) -> None:
        note = list(self.notes)[which % len(self.notes)]
        self.app.do("notes_delete", noteId=note)
        del self.notes[note]

    @rule()
    def index(self) -> None:
        self.app.follow()

    @rule()
    def make_the_index_again(self) -> None:
        self.app.rebuild_index()

    @rule()
    def restart(self) -> None:
        self.app.open_over(SqliteIndex(self.path / "search"))

    @rule(query=st.sampled_from(QUERIES), tag=st.sampled_from(["", "work"]), limit=st.integers(1, 4))
    def search(self, query: str, tag: str, limit: int) -> None:
        wanted = [
            note
            for note, written in reversed(self.notes.items())
            if written.matches(query) and (not tag or tag in map(str.lower, written.tags))
        ]
        assert self._pages("notes_search", "notes", q=query, tag=tag, limit=limit) == wanted

    @rule(query=st.sampled_from(QUERIES), first=st.sampled_from(DAYS), limit=st.integers(1, 4))
    def search_entries(self, query: str, first: str, limit: int) -> None:
        wanted = [entry for entry, written in self.entries.items() if written.matches(query) and written.day >= first]
        wanted.sort(key=lambda entry: (self.entries[entry].day, entry), reverse=True)
        assert self._pages("journal_list", "entries", q=query, dateFrom=first, limit=limit) == wanted

    def _pages(self, tool: str, rows: str, **asked: Any) -> list[str]:
        seen: list[str] = []
        page = self.app.do(tool, **asked)
        while True:
            seen += [row["id"] for row in page[rows]]
            if page["nextCursor"] is None:
                return seen
            page = self.app.do(tool, cursor=page["nextCursor"], **asked)


TestWords = WordsModel.TestCase
TestWords.settings = settings(max_examples=20, stateful_step_count=25, deadline=None)


def test_without_an_index_texts_are_compared_and_the_answer_says_so(tmp_path: Path):
    app = SearchedPlanner(tmp_path)
    create(app, "Boat", body="yellow")

    assert app.do("notes_search", q="yel")["search"]["notes"] == [f"{NOT_WHOLE} {ONE_BY_ONE}"]
    app.rebuild_index()
    assert "search" not in app.do("notes_search", q="yel")
    app.open_over(None)
    answer = app.do("notes_search", q="yel")
    assert [note["title"] for note in answer["notes"]] == ["Boat"]
    assert answer["search"]["notes"] == [f"{NO_INDEX} {ONE_BY_ONE}"]
    assert "search" not in app.do("notes_search")


@pytest.mark.parametrize(("bound", "least"), [("MAX_READ", 40), ("MAX_SECONDS", 0.0)])
def test_without_an_index_one_call_reads_some_and_the_next_goes_on(
    app: ProjectApp, monkeypatch: pytest.MonkeyPatch, bound: str, least: float
):
    oldest = create(app, "needle")
    for number in range(100):
        create(app, f"hay {number}")
    monkeypatch.setattr(item_search, bound, least)

    calls, seen = 0, list[str]()
    cursor: dict[str, str] = {}
    while calls == 0 or cursor:
        page = app.do("notes_search", q="needle", **cursor)
        seen += [note["id"] for note in page["notes"]]
        cursor = {"cursor": page["nextCursor"]} if page["nextCursor"] else {}
        calls += 1

    assert seen == [oldest]
    assert 2 <= calls <= 5


def test_words_of_a_former_version_go_with_the_next_change(app: ProjectApp):
    words = [f"w{number}" for number in range(250)]
    edited, deleted, left = (create(app, title, body=" ".join(words)) for title in ("one", "two", "three"))
    for note, title in ((edited, "one"), (deleted, "two"), (left, "three")):
        _as_a_former_version(app, note, [title, *words])

    app.do("notes_update", noteId=edited, body="other")
    app.do("notes_delete", noteId=deleted)

    assert {key.sort.rpartition("#")[2] for key in _words(app)} == {position_of(left)}
    assert search_titles(app, q="w249") == ["three"]
    app.do("notes_update", noteId=left, tags=["x"])
    assert _words(app) == []
    app.do("notes_update", noteId=left, tags=["y"])


def _as_a_former_version(app: ProjectApp, note: str, texts: list[str]) -> None:
    """Write as a former version did: a posting for each word, and a record that does not mention them."""
    rows = NOTES.within(app.store, app.caller.scope)
    record = app.store.get(rows.key(note))
    assert record is not None
    kept = {name: value for name, value in record.attributes.items() if name != "has_word_postings"}
    app.store.write([Put(rows.key(note), kept)])
    for word in exact_words_of(texts):
        key = posting_key(app.caller.scope, "notes", IndexTerm("word", word), position_of(note))
        app.store.write([Put(key, {"revision": 1})])


def _words(app: ProjectApp) -> list[Any]:
    notes = Notes(open_planner(app.services, app.caller, app.clock))
    partitions = {term_partition(notes.planner.scope, "notes", IndexTerm("word", one)) for one in "wotx"}
    return [item.key for one in partitions for item in app.store.query(one, limit=1000).items]


def test_a_note_of_100_words_costs_at_most_20_write_units(tmp_path: Path):
    store = MeteredStore(SqliteStore(tmp_path / "almanac.db", clock=SystemClock(), cursor_secret=b"c" * 32))
    app = planner_app(tmp_path, store=store)
    parent = create(app, "Parent")
    store.reset()

    create(app, "Words", body=" ".join(f"word{number}" for number in range(100)), parentId=parent)

    assert store.written <= 20


def test_what_stops_while_it_removes_words_is_done_again(app: ProjectApp, monkeypatch: pytest.MonkeyPatch):
    words = [f"w{number}" for number in range(250)]
    note = create(app, "one", body=" ".join(words))
    _as_a_former_version(app, note, ["one", *words])
    write, writes = app.store.write, count()

    def stop_at_first_write(changes: Sequence[Change]) -> None:
        if next(writes) == 1:
            raise KeyboardInterrupt
        write(changes)

    monkeypatch.setattr(app.store, "write", stop_at_first_write)
    with pytest.raises(KeyboardInterrupt):
        app.do("notes_update", noteId=note, body="other")
    assert 0 < len(_words(app)) < len(words)
    assert search_titles(app, q="w249") == ["one"]

    app.do("notes_update", noteId=note, body="other")
    assert _words(app) == []
    assert search_titles(app, q="other") == ["one"]
