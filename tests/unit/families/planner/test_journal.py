"""The journal as an agent uses it."""

from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.unit.families.planner.houses import House, Refused


def create(house: House, title: str, day: str, **more: Any) -> str:
    house.clock.instant += timedelta(seconds=1)
    return house.do("journal_create", title=title, date=day, **more)["id"]


def listed(house: House, **asked: Any) -> list[str]:
    return [entry["title"] for entry in house.do("journal_list", **asked)["entries"]]


def test_an_entry_reads_back_as_it_was_written(house: House):
    entry = create(house, "A walk", "2026-02-16", body="By the river.", mood="calm", tags=["Outside"])

    assert house.do("journal_get", entryId=entry) == {
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
def test_days_are_said_in_words_too(house: House, said: str, day: str):
    entry = create(house, "x", said)

    assert house.do("journal_get", entryId=entry)["date"] == day
    assert listed(house, date=said) == ["x"]


def test_the_latest_day_comes_first_and_in_a_day_the_latest_entry(house: House):
    create(house, "old", "2026-02-01")
    create(house, "morning", "2026-02-03")
    create(house, "older", "2025-12-31")
    create(house, "evening", "2026-02-03")

    assert listed(house) == ["evening", "morning", "old", "older"]


def test_a_range_includes_both_of_its_days(house: House):
    for day in range(1, 8):
        create(house, str(day), f"2026-02-0{day}")

    assert listed(house, dateFrom="2026-02-03", dateTo="2026-02-05") == ["5", "4", "3"]
    assert listed(house, dateFrom="2026-02-06") == ["7", "6"]
    assert listed(house, dateTo="2026-02-02") == ["2", "1"]
    assert listed(house, date="2026-02-04", dateFrom="2026-02-01") == ["4"]
    assert listed(house, date="2026-02-04", dateFrom="2026-02-05") == []


def test_a_range_that_ends_before_it_begins_is_refused(house: House):
    with pytest.raises(Refused, match="dateTo, 2026-02-01, lies before dateFrom, 2026-02-02"):
        house.do("journal_list", dateFrom="2026-02-02", dateTo="2026-02-01")


def test_entries_are_found_by_words_tag_and_mood(house: House):
    create(house, "A walk", "2026-02-16", body="by the river, 5km+", mood="Calm", tags=["Outside"])
    create(house, "Release v1.2", "2026-02-17", body="rm -rf build", mood="tired", tags=["work"])

    assert listed(house, q="RIVER 5km+") == listed(house, tag="#outside") == listed(house, mood="calm") == ["A walk"]
    assert listed(house, q="rm -rf", tag="work", mood="tired", dateFrom="2026-02-17") == ["Release v1.2"]
    assert listed(house, q="v1.2") == ["Release v1.2"]
    assert listed(house, q="river", mood="tired") == listed(house, q="rm", date="2026-02-16") == []


def test_an_entry_moves_to_another_day(house: House):
    entry = create(house, "x", "2026-02-16", body="words", tags=["t"])
    assert house.do("journal_update", entryId=entry, date="2026-02-10")["dayOfWeek"] == "Tuesday"

    assert listed(house, date="2026-02-16") == []
    assert listed(house, date="2026-02-10", q="words", tag="t") == ["x"]
    assert listed(house) == ["x"]


def test_what_was_edited_out_is_no_longer_found(house: House):
    entry = create(house, "x", "2026-02-16", body="alpha", mood="calm", tags=["a"])
    house.do("journal_update", entryId=entry, body="beta", mood="", tags=[])

    assert listed(house, q="alpha") == listed(house, mood="calm") == listed(house, tag="a") == []
    assert listed(house, q="beta") == ["x"]


def test_a_list_goes_on_from_its_cursor(house: House):
    for number in range(9):
        create(house, str(number), f"2026-02-0{number + 1}", mood="calm")

    first = house.do("journal_list", limit=4, mood="calm", dateTo="2026-02-08")
    second = house.do("journal_list", limit=4, mood="calm", dateTo="2026-02-08", cursor=first["nextCursor"])

    assert [entry["title"] for entry in first["entries"] + second["entries"]] == list("76543210")
    assert (first["truncated"], second["truncated"], second["nextCursor"]) == (True, False, None)
    with pytest.raises(Refused, match="cursor does not belong to this query"):
        house.do("journal_list", limit=4, cursor=first["nextCursor"])


def test_an_edit_of_what_somebody_else_edited_is_a_conflict(house: House):
    entry = create(house, "x", "today")
    house.do("journal_update", entryId=entry, body="one", revision=1)

    for call, more in (("journal_update", {"body": "two"}), ("journal_delete", {})):
        with pytest.raises(Refused, match="expected revision 1, got 2"):
            house.do(call, entryId=entry, revision=1, **more)


def test_an_edit_says_what_to_change(house: House):
    entry = create(house, "x", "today")

    with pytest.raises(Refused, match="Give at least one of title"):
        house.do("journal_update", entryId=entry, revision=1)


def test_a_deleted_entry_is_gone(house: House):
    entry = create(house, "x", "today", body="words")
    assert house.do("journal_delete", entryId=entry) == {"id": entry, "title": "x", "deleted": True}

    for call in ("journal_get", "journal_delete"):
        with pytest.raises(Refused, match=f"Journal entry {entry} not found"):
            house.do(call, entryId=entry)
    assert listed(house) == listed(house, q="words") == []


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
def test_what_is_too_large_or_no_day_is_refused(house: House, arguments: dict[str, Any], said: str):
    with pytest.raises(Refused, match=said):
        house.do("journal_create", **({"date": "today"} | arguments))
    assert listed(house) == []


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
    house = House(tmp_path_factory.mktemp("journal"))
    for number, (day, words, tag) in enumerate(entries):
        create(house, str(number), day.isoformat(), body=" ".join(sorted(words)), tags=["t"] if tag else [])
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
        with pytest.raises(Refused):
            listed(house, **asked)
    else:
        found = listed(house, **asked, q=word, tag="t" if tagged else "", limit=100)
        assert found == [str(number) for _, number in sorted(wanted, reverse=True)]
