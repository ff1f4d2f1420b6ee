"""The journal as an agent uses it."""

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.app import ToolRefusal
from tests.project_app import ProjectApp, planner_app


def create(app: ProjectApp, title: str, day: str, **more: Any) -> str:
    app.clock.instant += timedelta(seconds=1)
    return app.do("journal_create", title=title, date=day, **more)["id"]


def list_titles(app: ProjectApp, **asked: Any) -> list[str]:
    return [entry["title"] for entry in app.do("journal_list", **asked)["entries"]]


def test_an_entry_reads_back_as_it_was_written(app: ProjectApp):
    entry = create(app, "A walk", "2026-02-16", body="By the river.", mood="calm", tags=["Outside"])

    assert app.do("journal_get", entryId=entry) == {
        "id": entry,
        "date": "2026-02-16",
        "dayOfWeek": "Monday",
        "title": "A walk",
        "body": "By the river.",
        "mood": "calm",
        "tags": ["Outside"],
        "revision": 1,
        "createdAt": "2026-02-18T09:30:01-05:00",
        "updatedAt": "2026-02-18T09:30:01-05:00",
        "updatedBy": "ann",
        "untrusted": True,
    }


@pytest.mark.parametrize(
    ("said", "day"),
    [("today", "2026-02-18"), ("Yesterday", "2026-02-17"), ("завтра", "2026-02-19"), ("2024-02-29", "2024-02-29")],
)
def test_days_are_said_in_words_too(app: ProjectApp, said: str, day: str):
    entry = create(app, "x", said)

    assert app.do("journal_get", entryId=entry)["date"] == day
    assert list_titles(app, date=said) == ["x"]


def test_the_latest_day_comes_first_and_in_a_day_the_latest_entry(app: ProjectApp):
    create(app, "old", "2026-02-01")
    create(app, "morning", "2026-02-03")
    create(app, "older", "2025-12-31")
    create(app, "evening", "2026-02-03")

    assert list_titles(app) == ["evening", "morning", "old", "older"]


def test_a_range_includes_both_of_its_days(app: ProjectApp):
    for day in range(1, 8):
        create(app, str(day), f"2026-02-0{day}")

    assert list_titles(app, dateFrom="2026-02-03", dateTo="2026-02-05") == ["5", "4", "3"]
    assert list_titles(app, dateFrom="2026-02-06") == ["7", "6"]
    assert list_titles(app, dateTo="2026-02-02") == ["2", "1"]
    assert list_titles(app, date="2026-02-04", dateFrom="2026-02-01") == ["4"]
    assert list_titles(app, date="2026-02-04", dateFrom="2026-02-05") == []


def test_a_range_that_ends_before_it_begins_is_refused(app: ProjectApp):
    with pytest.raises(ToolRefusal, match="dateTo, 2026-02-01, lies before dateFrom, 2026-02-02"):
        app.do("journal_list", dateFrom="2026-02-02", dateTo="2026-02-01")


def test_entries_are_found_by_words_tag_and_mood(app: ProjectApp):
    create(app, "A walk", "2026-02-16", body="by the river, 5km+", mood="Calm", tags=["Outside"])
    create(app, "Release v1.2", "2026-02-17", body="rm -rf build", mood="tired", tags=["work"])

    assert (
        list_titles(app, q="RIVER 5km+")
        == list_titles(app, tag="#outside")
        == list_titles(app, mood="calm")
        == ["A walk"]
    )
    assert list_titles(app, q="rm -rf", tag="work", mood="tired", dateFrom="2026-02-17") == ["Release v1.2"]
    assert list_titles(app, q="v1.2") == ["Release v1.2"]
    assert list_titles(app, q="river", mood="tired") == list_titles(app, q="rm", date="2026-02-16") == []


def test_an_entry_moves_to_another_day(app: ProjectApp):
    entry = create(app, "x", "2026-02-16", body="words", tags=["t"])
    assert app.do("journal_update", entryId=entry, date="2026-02-10")["dayOfWeek"] == "Tuesday"

    assert list_titles(app, date="2026-02-16") == []
    assert list_titles(app, date="2026-02-10", q="words", tag="t") == ["x"]
    assert list_titles(app) == ["x"]


def test_what_was_edited_out_is_no_longer_found(app: ProjectApp):
    entry = create(app, "x", "2026-02-16", body="alpha", mood="calm", tags=["a"])
    app.do("journal_update", entryId=entry, body="beta", mood="", tags=[])

    assert list_titles(app, q="alpha") == list_titles(app, mood="calm") == list_titles(app, tag="a") == []
    assert list_titles(app, q="beta") == ["x"]


def test_a_list_goes_on_from_its_cursor(app: ProjectApp):
    for number in range(9):
        create(app, str(number), f"2026-02-0{number + 1}", mood="calm")

    first = app.do("journal_list", limit=4, mood="calm", dateTo="2026-02-08")
    second = app.do("journal_list", limit=4, mood="calm", dateTo="2026-02-08", cursor=first["nextCursor"])

    assert [entry["title"] for entry in first["entries"] + second["entries"]] == list("76543210")
    assert (first["truncated"], second["truncated"], second["nextCursor"]) == (True, False, None)
    with pytest.raises(ToolRefusal, match="cursor does not belong to this query"):
        app.do("journal_list", limit=4, cursor=first["nextCursor"])


def test_an_edit_of_what_somebody_else_edited_is_a_conflict(app: ProjectApp):
    entry = create(app, "x", "today")
    app.do("journal_update", entryId=entry, body="one", revision=1)

    for call, more in (("journal_update", {"body": "two"}), ("journal_delete", {})):
        with pytest.raises(ToolRefusal, match="expected revision 1, got 2"):
            app.do(call, entryId=entry, revision=1, **more)


def test_an_edit_says_what_to_change(app: ProjectApp):
    entry = create(app, "x", "today")

    with pytest.raises(ToolRefusal, match="Give at least one of title"):
        app.do("journal_update", entryId=entry, revision=1)


def test_a_deleted_entry_is_gone(app: ProjectApp):
    entry = create(app, "x", "today", body="words")
    gone = {"id": entry, "title": "x", "deleted": True, "untrusted": True}
    assert app.do("journal_delete", entryId=entry) == gone

    for call in ("journal_get", "journal_delete"):
        with pytest.raises(ToolRefusal, match=f"Journal entry {entry} not found"):
            app.do(call, entryId=entry)
    assert list_titles(app) == list_titles(app, q="words") == []


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"title": "x" * 201}, "201 characters, over 200"),
        ({"title": "x", "date": "someday"}, "date must be YYYY-MM-DD"),
        ({"title": "x", "date": "2026-02-30"}, "no such day"),
        ({"title": "x", "body": "x" * 100_001}, "100001 bytes, over 100000"),
        ({"title": "x", "mood": "x" * 51}, "mood has 51 characters, over 50"),
    ],
)
def test_what_is_too_large_or_no_day_is_refused(app: ProjectApp, arguments: dict[str, Any], said: str):
    with pytest.raises(ToolRefusal, match=said):
        app.do("journal_create", **({"date": "today"} | arguments))
    assert list_titles(app) == []


days = st.dates(date(2020, 1, 1), date(2020, 3, 1))


@settings(max_examples=25, deadline=None)
@given(
    entries=st.lists(st.tuples(days, st.sets(st.sampled_from(["walk", "c++", "rain"])), st.booleans()), max_size=12),
    since=st.none() | days,
    until=st.none() | days,
    word=st.sampled_from(["", "walk", "c++", "walk rain"]),
    tagged=st.booleans(),
)
def test_a_list_is_what_a_scan_would_find(
    tmp_path_factory: pytest.TempPathFactory,
    entries: list[tuple[date, set[str], bool]],
    since: date | None,
    until: date | None,
    word: str,
    tagged: bool,
):
    app = planner_app(tmp_path_factory.mktemp("journal"))
    for number, (day, words, tag) in enumerate(entries):
        create(app, str(number), day.isoformat(), body=" ".join(sorted(words)), tags=["t"] if tag else [])
    asked = {name: day.isoformat() for name, day in (("dateFrom", since), ("dateTo", until)) if day is not None}
    wanted = [
        (day, number)
        for number, (day, words, tag) in enumerate(entries)
        if (since is None or day >= since)
        and (until is None or day <= until)
        and set(word.split()) <= words
        and (tag or not tagged)
    ]

    if since is not None and until is not None and until < since:
        with pytest.raises(ToolRefusal):
            list_titles(app, **asked)
    else:
        found = list_titles(app, **asked, q=word, tag="t" if tagged else "", limit=100)
        assert found == [str(number) for _, number in sorted(wanted, reverse=True)]
