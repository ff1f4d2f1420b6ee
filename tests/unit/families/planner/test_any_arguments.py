"""Test that arguments which the schemas allow are answered or refused, and never cause a defect.

Ids name things that exist or existed a moment ago. Days and times are often those of clock changes.
"""

import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.project_app import ProjectApp, planner_app

Json = dict[str, Any]

DAYS = st.sampled_from(
    ["2026-03-08", "2026-11-01", "today", "tomorrow", "next friday", "1900-01-03", "2199-12-28", "x"]
)
TIMES = st.sampled_from(["02:30", "01:30", "23:59", "2pm", "", "noon"])
RULES = st.sampled_from(["FREQ=DAILY;COUNT=3", "FREQ=HOURLY", "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=NEVER"])
TEXTS = st.one_of(st.text(max_size=20), st.sampled_from(["\u202e", "[[x]]", "x" * 300]))
NUMBERS = st.one_of(st.integers(-3, 40), st.integers(), st.floats(allow_nan=False, allow_infinity=False))
SAID = dict.fromkeys(("date", "dateFrom", "dateTo", "dueDate", "startDate", "until"), DAYS) | {
    "time": TIMES,
    "rrule": RULES,
}


def values(schema: Json, name: str, definitions: Json, ids: list[str]) -> st.SearchStrategy[Any]:
    """Return the possible values of an argument of that name."""
    if "anyOf" in schema:
        return st.one_of([values(one, name, definitions, ids) for one in schema["anyOf"]])
    if "$ref" in schema:
        return values(definitions[schema["$ref"].rpartition("/")[2]], name, definitions, ids)
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "string":
            return st.sampled_from(ids) if name.endswith(("Id", "Links")) else SAID.get(name, TEXTS)
        case "array":
            return st.lists(values(schema["items"], name, definitions, ids), max_size=3)
        case "object" if "properties" not in schema:
            return st.dictionaries(TEXTS, st.one_of(TEXTS, NUMBERS, st.none()), max_size=3)
        case "object":
            required = schema.get("required", ())
            parts = {key: values(one, key, definitions, ids) for key, one in schema["properties"].items()}
            optional = {key: part for key, part in parts.items() if key not in required}
            return st.fixed_dictionaries({key: parts[key] for key in required}, optional=optional)
        case other:
            return {"number": NUMBERS, "integer": st.integers(), "boolean": st.booleans(), "null": st.none()}[other]


def create_items(app: ProjectApp) -> list[str]:
    """Ids of every kind, and of one thing that is gone."""
    event = app.do("calendar_create_event", title="Event", date="2026-03-08", time="01:30")["id"]
    series = app.do(
        "calendar_create_event", title="Run", date="2026-03-07", time="02:30", recurrence={"frequency": "daily"}
    )
    card = app.do("kanban_create_card", columnId="col_todo", title="Card", eventLinks=[event])["id"]
    note = app.do("notes_create", title="Note")["id"]
    entry = app.do("journal_create", title="Entry", date="today")["id"]
    gone = app.do("journal_create", title="Gone", date="today")["id"]
    app.do("journal_delete", entryId=gone)
    return [
        *(event, series["id"], series["recurrenceSeriesId"], card, note, entry, gone),
        *("board_default", "col_todo", "col_done", "", "nothing"),
    ]


@pytest.mark.slow
@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_no_call_is_a_defect(data: st.DataObject) -> None:
    with tempfile.TemporaryDirectory() as folder:
        app = planner_app(Path(folder))
        ids = create_items(app)
        names = [tool.name for family in app.families if family.name == "planner" for tool in family.tools]
        for name in data.draw(st.lists(st.sampled_from(names), min_size=4, max_size=8), label="tools"):
            schema = app.tools[name].input_schema
            arguments = data.draw(values(schema, name, schema.get("$defs", {}), ids), label=name)
            outcome = app.outcome(name, arguments)
            assert outcome.structured is not None
