"""Planner text that may contain secrets stored before redaction existed.

Notes and entries are edited as their own tools do, because lists and search depend on their texts. Versions come after
notes, because an edit stores the replaced text as a version.
"""

from collections.abc import Iterator
from itertools import chain

from almanac.families.planner.core.note_records import NOTE_VERSIONS, NOTES
from almanac.families.planner.core.planner import Planner
from almanac.families.planner.core.records import BOARDS, CARDS
from almanac.families.planner.factory import open_planner
from almanac.families.planner.journal import EntryEdit, Journal
from almanac.families.planner.notes.notes import NoteEdit, Notes
from almanac.kernel.caller import Caller
from almanac.kernel.clock import Clock
from almanac.platform.redactions.scan import AT_ONCE, Redactable, StoredTexts, texts_of
from almanac.platform.services import Services


def _planner(services: Services, caller: Caller) -> Planner:
    return open_planner(services, caller, services.get(Clock), ask_providers=False)


def _notes(services: Services, caller: Caller) -> Iterator[StoredTexts]:
    notes = Notes(_planner(services, caller))
    for note in notes.rows.every(page=AT_ONCE):
        edit = NoteEdit(title=note.title, body=notes.body(note), tags=note.tags)
        texts = {"title": note.title, "body": edit.body, "tags": note.tags}
        yield StoredTexts(texts, lambda _, note=note, edit=edit: notes.update(note.id, edit, note.version))


def _versions(services: Services, caller: Caller) -> Iterator[StoredTexts]:
    planner = _planner(services, caller)
    notes, rows, at = planner.rows(NOTES), planner.rows(NOTE_VERSIONS), planner.now_ms()
    versions = chain.from_iterable(rows.every(note.id, page=AT_ONCE) for note in notes.every(page=AT_ONCE))
    return texts_of(planner, "note", rows, versions, ("title", "body", "tags"), at=at, item="note")


def _journal(services: Services, caller: Caller) -> Iterator[StoredTexts]:
    journal = Journal(_planner(services, caller))
    for entry in journal.rows.every(page=AT_ONCE):
        edit = EntryEdit(title=entry.title, body=journal.body(entry), mood=entry.mood, tags=entry.tags)
        texts = {"title": entry.title, "body": edit.body, "mood": entry.mood, "tags": entry.tags}
        yield StoredTexts(texts, lambda _, entry=entry, edit=edit: journal.update(entry.id, edit, entry.version))


def _cards(services: Services, caller: Caller) -> Iterator[StoredTexts]:
    planner = _planner(services, caller)
    rows = planner.rows(CARDS)
    cards = chain.from_iterable(rows.every(board.id, page=AT_ONCE) for board in planner.rows(BOARDS).every())
    fields = ("title", "description", "former_titles", "labels")
    return texts_of(planner, "card", rows, cards, fields, at=planner.now_ms())


REDACTABLE = (
    Redactable("note", _notes),
    Redactable("note", _versions),
    Redactable("journal", _journal),
    Redactable("card", _cards),
)
