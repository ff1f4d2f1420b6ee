"""Notes against a plain model: tree, links and backlinks, versions and search after any sequence of edits."""

import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from tests.app import ToolRefusal
from tests.project_app import planner_app

TITLES = ["Plan", "plan", "Garden", "C++", "a b"]
WORDS = ["rm", "-rf", "C++", "src/app.py", "#123", "a-b"]

title = st.sampled_from(TITLES)
links = st.lists(title, max_size=2, unique_by=str.lower)
words = st.lists(st.sampled_from(WORDS), max_size=3)
pick = st.integers(0, 1000)


@dataclass
class ModelNote:
    """A note of the model.

    `links` maps each linked title to the note that had the title when the link was written. If there was none, it maps
    it to the time of writing.
    """

    title: str
    words: list[str]
    parent: str
    links: dict[str, "str | int"]
    versions: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])

    @property
    def body(self) -> str:
        return " ".join([*self.words, *(f"[[{title}]]" for title in self.links)])


@dataclass
class TitleHolding:
    """The note has this title from `since` on, until it gets another one."""

    title: str
    note: str
    since: int
    ended: bool = False


class NotesModel(RuleBasedStateMachine):
    @initialize()
    def open(self) -> None:
        self.folder = tempfile.TemporaryDirectory()
        self.app = planner_app(Path(self.folder.name))
        self.notes: dict[str, ModelNote] = {}
        self.holdings: list[TitleHolding] = []
        self.moment = 0

    def teardown(self) -> None:
        if hasattr(self, "folder"):
            self.folder.cleanup()

    @rule(title=title, words=words, links=links, above=st.none() | pick)
    def create(self, title: str, words: list[str], links: list[str], above: int | None) -> None:
        parent = self.some(above) if above is not None and self.notes else ""
        note = ModelNote(title, words, parent, self.links_of(links, {}))
        made = self.app.do("notes_create", title=title, body=note.body, parentId=parent)["id"]
        self.notes[made] = note
        self.hold(made, title)

    @precondition(lambda self: self.notes)
    @rule(which=pick, title=title)
    def rename(self, which: int, title: str) -> None:
        note = self.some(which)
        self.app.do("notes_update", noteId=note, title=title)
        self.edit_note(note, title=title)

    @precondition(lambda self: self.notes)
    @rule(which=pick, words=words, links=links)
    def rewrite(self, which: int, words: list[str], links: list[str]) -> None:
        note = self.some(which)
        linked = self.links_of(links, self.notes[note].links)
        self.edit_note(note, words=words, links=linked)
        self.app.do("notes_update", noteId=note, body=self.notes[note].body)

    @precondition(lambda self: self.notes)
    @rule(which=pick, above=st.none() | pick)
    def move(self, which: int, above: int | None) -> None:
        note = self.some(which)
        parent = self.some(above) if above is not None else ""
        circle = parent != "" and note in [parent, *self.above(parent)]
        try:
            self.app.do("notes_update", noteId=note, parentId=parent)
        except ToolRefusal as refused:
            assert circle
            assert refused.code == "cycle"
        else:
            assert not circle
            if parent != self.notes[note].parent:
                self.edit_note(note, parent=parent)

    @precondition(lambda self: self.notes)
    @rule(which=pick, below=st.sampled_from(["refuse", "cascade", "lift"]))
    def delete(self, which: int, below: str) -> None:
        note = self.some(which)
        children = self.children(note)
        try:
            answer = self.app.do("notes_delete", noteId=note, children=below)
        except ToolRefusal as refused:
            assert below == "refuse"
            assert children
            assert refused.code == "has_children"
            return
        assert below != "refuse" or not children
        gone = {note} if below != "cascade" else {one for one in self.notes if note in [one, *self.above(one)]}
        for child in children if below == "lift" else []:
            self.edit_note(child, parent=self.notes[note].parent)
        assert set(answer["deleted"]) == gone
        self.notes = {one: kept for one, kept in self.notes.items() if one not in gone}
        self.holdings = [holding for holding in self.holdings if holding.note not in gone]

    @invariant()
    def every_note_reads_as_in_the_model(self) -> None:
        for note_id, note in getattr(self, "notes", {}).items():
            read = self.app.do("notes_get", noteId=note_id)
            assert (read["title"], read["body"], read["parentId"]) == (note.title, note.body, note.parent)
            assert {child["id"] for child in read["children"]} == set(self.children(note_id))
            assert [one["id"] for one in read["path"]] == self.above(note_id)[::-1]
            assert [link["noteId"] for link in read["links"]] == [self.target(note, title) for title in note.links]
            assert {one["id"] for one in read["backlinks"]} == self.notes_linking_to(note_id)
            assert read["revision"] == len(note.versions) + 1
            kept = [self.app.do("notes_get", noteId=note_id, version=at + 1) for at in range(len(note.versions))[-3:]]
            assert [(one["title"], one["body"]) for one in kept] == note.versions[-3:]

    @invariant()
    def search_finds_what_holds_the_words(self) -> None:
        if not hasattr(self, "notes"):
            return
        for query in (*WORDS, "c++ a-b", "rm -rf"):
            wanted = {note for note, held in self.notes.items() if self.holds(held, query.split())}
            assert {row["id"] for row in self.search(q=query)} == wanted
        roots = {row["id"]: row["children"] for row in self.search(parentId="")}
        assert roots == {one: len(self.children(one)) for one, held in self.notes.items() if held.parent == ""}

    def search(self, **asked: str) -> list[dict[str, Any]]:
        return self.app.do("notes_search", limit=100, **asked)["notes"]

    def holds(self, note: ModelNote, words: list[str]) -> bool:
        tokens = f"{note.title} {note.body}".lower().replace("[[", " ").replace("]]", " ").split()
        return all(word.lower() in tokens for word in words)

    def some(self, which: int) -> str:
        return list(self.notes)[which % len(self.notes)]

    def children(self, note: str) -> list[str]:
        return [one for one, held in self.notes.items() if held.parent == note]

    def above(self, note: str) -> list[str]:
        found: list[str] = []
        while parent := self.notes[note].parent:
            found.append(note := parent)
        return found

    def hold(self, note: str, title: str) -> None:
        self.moment += 1
        self.holdings.append(TitleHolding(title.lower(), note, self.moment))

    def links_of(self, titles: list[str], before: "dict[str, str | int]") -> "dict[str, str | int]":
        self.moment += 1
        known = {title.lower(): (title, link) for title, link in before.items()}
        fresh = {
            title: next((one.note for one in self.holdings_of(title) if not one.ended), self.moment) for title in titles
        }
        return {title: known.get(title.lower(), (title, fresh[title]))[1] for title in titles}

    def holdings_of(self, title: str) -> list[TitleHolding]:
        return sorted((one for one in self.holdings if one.title == title.lower()), key=lambda one: one.since)

    def target(self, note: ModelNote, title: str) -> str | None:
        link = note.links[title]
        if isinstance(link, int):
            return next((one.note for one in self.holdings_of(title) if one.since > link), None)
        if link in self.notes:
            return link
        return next((one.note for one in self.holdings_of(title) if not one.ended), None)

    def notes_linking_to(self, note: str) -> set[str]:
        return {
            one for one, held in self.notes.items() if any(self.target(held, title) == note for title in held.links)
        }

    def edit_note(self, note: str, **changes: Any) -> None:
        held = self.notes[note]
        before = (held.title, held.body, held.parent)
        old_title = held.title
        for name, value in changes.items():
            setattr(held, name, value)
        if (held.title, held.body, held.parent) != before:
            held.versions.append(before[:2])
        if held.title.lower() != old_title.lower():
            for holding in self.holdings:
                holding.ended = holding.ended or holding.note == note
            self.hold(note, held.title)


TestNotesModel = pytest.mark.slow(NotesModel.TestCase)
TestNotesModel.settings = settings(max_examples=60, stateful_step_count=20, deadline=None)
