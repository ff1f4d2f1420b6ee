"""Events, notes, cards and the journal in searches as of an earlier instant."""

from typing import Any

from msgspec.structs import replace

from almanac.families.calendar.entries.records import EVENTS
from almanac.families.calendar.model.events import decode_event, encode_event
from tests.app import Json
from tests.project_app import ProjectApp
from tests.unit.families.memory.search.test_as_of import later


def hits(app: ProjectApp, query: str, as_of: int | None, *include: str) -> list[Json]:
    told: Json = {} if as_of is None else {"as_of": as_of}
    return app.do("search_memory", query=query, include=[*include], **told)["hits"]


def titles(app: ProjectApp, query: str, as_of: int | None, *include: str) -> list[str | None]:
    return [hit.get("title") for hit in hits(app, query, as_of, *include)]


def event(app: ProjectApp, title: str, **more: Any) -> str:
    return str(app.do("calendar_create_event", title=title, date="2026-03-03", time="10:00", **more)["id"])


def test_an_event_is_called_as_it_was_then(app: ProjectApp) -> None:
    before = later(app)
    made = event(app, "Budget review", description="Bring the figures.")
    one = later(app)
    app.do("calendar_update_event", eventId=made, title="Planning of costs")
    other = later(app)
    app.do("calendar_update_event", eventId=made, title="Retreat in Rome")
    last = later(app)

    for follows in (False, True):
        if follows:
            app.follow()
        assert titles(app, "budget review", one, "events") == ["Budget review"]
        assert titles(app, "planning of costs", other, "events") == ["Planning of costs"]
        assert titles(app, "retreat", last, "events") == ["Retreat in Rome"]
        assert "Retreat in Rome" not in titles(app, "retreat", one, "events")
        assert titles(app, "budget review", before, "events") == []
        assert titles(app, "retreat", None, "events") == ["Retreat in Rome"]
        assert titles(app, "budget review", None, "events") == []
    (hit,) = hits(app, "budget review", one, "events")
    assert (hit["id"].split("/")[-1].endswith(made.split("/")[-1]), hit["content"]) == (True, "")
    coverage = app.do("search_memory", query="retreat in Rome", include=["events"], mode="summaries", as_of=one)
    assert coverage["coverage"]["verdict"] != "covered"


def test_an_event_from_before_titles_were_kept_is_left_out_and_named(app: ProjectApp) -> None:
    made = event(app, "Budget review")
    rows = EVENTS.within(app.store, app.caller.scope)
    (entry,) = rows.query("primary", "narrow").records or rows.query("primary", "wide").records
    old = decode_event(entry.event)
    assert old.indexed is not None
    former = replace(old.indexed, known_since=0, since=0, title="", start=0)
    app.store.write([rows.put(replace(entry, event=encode_event(replace(old, indexed=former))))])
    then = later(app)
    assert titles(app, "budget review", then, "events") == ["Budget review"]
    app.do("calendar_update_event", eventId=made, title="Budget retreat")
    answer = app.do("search_memory", query="budget", include=["events"], as_of=then)
    assert answer["hits"] == []
    assert "not kept" in str(answer["notes"])


def test_a_note_says_what_it_said_then(app: ProjectApp) -> None:
    note = app.do("notes_create", title="Deploys", body="On Tuesdays.")
    then = later(app)
    app.do("notes_update", noteId=note["id"], revision=note["revision"], title="Deploys of now", body="On Thursdays.")
    app.follow()
    (was,) = hits(app, "deploys on tuesdays", then, "notes")
    assert (was["title"], was["content"]) == ("Deploys", "On Tuesdays.")
    (now,) = hits(app, "deploys", None, "notes")
    assert (now["title"], now["content"]) == ("Deploys of now", "On Thursdays.")


def test_a_card_is_called_as_it_was_then(app: ProjectApp) -> None:
    cards = [
        app.do("kanban_create_card", columnId="col_todo", title=title, description="Before May.")["id"]
        for title in ("Rotate the keys", "Rotate the logs")
    ]
    one = later(app)
    app.do("kanban_move_card", cardId=cards[0], columnId="col_doing", position=0)
    app.do("kanban_update_card", cardId=cards[1], title="Rotate all logs")
    other = later(app)
    app.do("kanban_update_card", cardId=cards[1], title="Rotate nothing")
    assert sorted(map(str, titles(app, "rotate", one, "cards"))) == ["Rotate the keys", "Rotate the logs"]
    assert sorted(map(str, titles(app, "rotate", other, "cards"))) == ["Rotate all logs", "Rotate the keys"]
    assert {hit["title"]: hit["content"] for hit in hits(app, "rotate", one, "cards")} == {
        "Rotate the keys": "Before May.",
        "Rotate the logs": "",
    }
    for number in range(12):
        app.do("kanban_update_card", cardId=cards[1], title=f"Rotate {number}")
        app.wait(minutes=1)
    answer = app.do("search_memory", query="rotate", include=["cards"], as_of=one)
    assert [hit["title"] for hit in answer["hits"]] == ["Rotate the keys"]
    assert cards[1] in str(answer["notes"])
    assert "Rotate 6" in titles(app, "rotate", app.now - 60_000 * 6, "cards")


def test_a_journal_entry_that_was_changed_is_left_out_and_named(app: ProjectApp) -> None:
    entry = app.do("journal_create", date="2026-02-18", title="Deploy", body="It went well.")
    then = later(app)
    assert titles(app, "deploy", then, "journal") == ["Deploy"]
    app.do("journal_update", entryId=entry["id"], body="It went badly.")
    answer = app.do("search_memory", query="deploy", include=["journal"], as_of=then)
    assert answer["hits"] == []
    assert entry["id"] in str(answer["notes"])
