"""Test that no tool refuses an argument for its form if the contract's schema allows it.

`CONTRACT` states the contract in its own words: the arguments of each tool, with `!` for required ones. Ids, days and
titles are drawn so that they mean something, and numbers at random.
"""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.project_app import ProjectApp, planner_app

DAYS = st.sampled_from(["2026-03-02", "today", "tomorrow", "Day After Tomorrow", "завтра", "next friday"])
EARLY = st.sampled_from(["2026-02-01", "yesterday", "today"])
NUMBERS = st.one_of(st.integers(-(10**12), 10**12), st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 5))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
TITLES = TEXTS.filter(lambda text: any(letter.isalnum() for letter in text)).map(lambda text: f"T {text}")
SCOPES = st.sampled_from(["this", "all", "this_and_following"])
RELATIONS = st.sampled_from(["references", "blocks", "belongs_to", "scheduled_for"])
STATUSES = st.sampled_from(["pending", "done"])
TYPES = st.sampled_from(["event", "task"])
TAGS = st.lists(st.sampled_from(["home", "work", "C++"]), max_size=4)
TIMES = st.sampled_from(["09:00", "23:59", "2pm"])
EVENT, CARD, NOTE, LOG, COLUMN, BOARD = "event id", "card id", "note id", "log id", "column id", "board id"
EVENTS = "event ids"

CONTRACT: dict[str, dict[str, Any]] = {
    "calendar_list_events": {
        "q": TEXTS,
        "type": TYPES,
        "status": STATUSES,
        "dateFrom": EARLY,
        "dateTo": DAYS,
        "limit": NUMBERS,
    },
    "calendar_create_event": {
        "title!": TITLES,
        "description": TEXTS,
        "date!": DAYS,
        "time": TIMES,
        "type": TYPES,
        "status": STATUSES,
    },
    "calendar_update_event": {
        "eventId!": EVENT,
        "title": TITLES,
        "description": TEXTS,
        "date": DAYS,
        "time": TIMES,
        "status": STATUSES,
        "type": TYPES,
        "scope": SCOPES,
        "revision": NUMBERS,
    },
    "calendar_delete_event": {"eventId!": EVENT, "scope": SCOPES},
    "kanban_list_boards": {},
    "kanban_list_cards": {"boardId": BOARD},
    "kanban_create_card": {
        "columnId!": COLUMN,
        "title!": TITLES,
        "description": TEXTS,
        "position": NUMBERS,
        "dueDate": DAYS,
        "eventLinks": EVENTS,
    },
    "kanban_update_card": {
        "cardId!": CARD,
        "title": TITLES,
        "description": TEXTS,
        "dueDate": st.one_of(st.none(), DAYS),
        "eventLinks": EVENTS,
    },
    "kanban_move_card": {"cardId!": CARD, "columnId!": COLUMN, "position": NUMBERS},
    "kanban_delete_card": {"cardId!": CARD},
    "notes_search": {"q": TEXTS, "tag": st.sampled_from(["home", "C++"]), "parentId": st.sampled_from(["", NOTE])},
    "notes_create": {
        "title!": TITLES,
        "body": TEXTS,
        "parentId": NOTE,
        "tags": TAGS,
        "eventLinks": EVENTS,
    },
    "notes_update": {
        "noteId!": NOTE,
        "title": TITLES,
        "body": TEXTS,
        "parentId": st.none(),
        "tags": TAGS,
        "eventLinks": EVENTS,
    },
    "notes_delete": {"noteId!": NOTE},
    "journal_list": {"date": DAYS, "dateFrom": EARLY, "dateTo": DAYS, "q": TEXTS, "tag": st.just("home")},
    "journal_get": {"entryId!": LOG},
    "journal_create": {"title!": TITLES, "body": TEXTS, "date!": DAYS, "mood": st.just("calm"), "tags": TAGS},
    "journal_update": {
        "entryId!": LOG,
        "title": TITLES,
        "body": TEXTS,
        "date": DAYS,
        "mood": st.just("tired"),
        "tags": TAGS,
    },
    "journal_delete": {"entryId!": LOG},
    "items_link": {
        "fromItemId!": CARD,
        "fromItemType!": st.just("task"),
        "toItemId!": NOTE,
        "toItemType!": st.just("note"),
        "relationType": RELATIONS,
    },
    "items_unlink": {"fromItemId!": CARD, "toItemId!": EVENT, "relationType": st.just("references")},
    "items_list_links": {"itemId!": CARD},
    "daily_overview": {"startDate": DAYS, "days": NUMBERS},
}
# What may be wrong with a call of the right form: it meets what stands, and says so.
MET = {"revision_conflict", "not_found"}


def draw_arguments(data: st.DataObject, name: str, ids: dict[str, str]) -> dict[str, Any]:
    arguments: dict[str, Any] = {}
    for argument, values in CONTRACT[name].items():
        if not argument.endswith("!") and not data.draw(st.booleans(), label=f"gives {argument}"):
            continue
        if values == EVENTS:
            arguments[argument] = data.draw(st.sampled_from([[], [ids[EVENT]]]))
        elif isinstance(values, str):
            arguments[argument.rstrip("!")] = ids[values]
        else:
            value = data.draw(values, label=argument)
            arguments[argument.rstrip("!")] = ids.get(value, value) if isinstance(value, str) else value
    return arguments


def create_items(app: ProjectApp) -> dict[str, str]:
    event = app.do("calendar_create_event", title="Event", date="today")["id"]
    card = app.do("kanban_create_card", columnId="col_todo", title="Card", eventLinks=[event])["id"]
    note = app.do("notes_create", title="Note")["id"]
    log = app.do("journal_create", title="Entry", date="today")["id"]
    return {EVENT: event, CARD: card, NOTE: note, LOG: log, COLUMN: "col_done", BOARD: "board_default"}


@pytest.mark.slow
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), name=st.sampled_from(sorted(CONTRACT)))
def test_every_call_that_the_contract_allows_is_taken(data: st.DataObject, name: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        app = planner_app(Path(folder))
        arguments = draw_arguments(data, name, create_items(app))
        only_target = name.endswith(("_update_event", "_update_card", "notes_update", "journal_update"))
        if only_target and not arguments.keys() - {"eventId", "cardId", "noteId", "entryId", "revision", "scope"}:
            return
        outcome = app.outcome(name, arguments)
        if outcome.is_error:
            code = (outcome.meta or {})["almanac/error"]["code"]
            assert code in MET, outcome.content


def test_the_contract_of_this_test_has_all_23_tools_and_the_family_some_more(app: ProjectApp) -> None:
    (planner,) = [family for family in app.families if family.name == "planner"]
    names = {tool.name for tool in planner.tools}
    assert len(CONTRACT) == 23
    assert names - CONTRACT.keys() == {
        "answer_handover",
        "calendar_get_event",
        "hand_over",
        "kanban_edit_board",
        "kanban_gate",
        "kanban_ready",
        "kanban_take",
        "notes_get",
        "open_gate",
    }


def test_every_argument_of_the_contract_is_in_the_schema(app: ProjectApp) -> None:
    for name, arguments in CONTRACT.items():
        schema = app.tools[name].input_schema
        assert {argument.rstrip("!") for argument in arguments} <= schema["properties"].keys()
        required = {argument[:-1] for argument in arguments if argument.endswith("!")}
        assert set(schema.get("required", ())) == required, name
