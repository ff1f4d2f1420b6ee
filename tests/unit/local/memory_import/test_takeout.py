"""Google Takeout: each .ics file of the archive becomes a calendar, once, with its zones, series and exceptions."""

import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import pytest

from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.model.availability import Interval
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.local.calendars.takeout import ImportTarget, TakeoutReport, calendar_files, import_calendars
from almanac.local.data_folder import DataFolder
from tests.unit.local.memory_import.test_peers import run

HERE = Scope("default", "default")


def ics(name: str, *events: str, zone: str = "Europe/Berlin") -> bytes:
    head = f"BEGIN:VCALENDAR\nPRODID:-//Google Inc//Google Calendar 70.9054//EN\nVERSION:2.0\nX-WR-CALNAME:{name}\n"
    text = f"{head}X-WR-TIMEZONE:{zone}\n{''.join(events)}END:VCALENDAR\n"
    return text.replace("\n", "\r\n").encode()


def event(uid: str, *lines: str) -> str:
    return "\n".join(["BEGIN:VEVENT", f"UID:{uid}@google.com", "DTSTAMP:20260101T000000Z", *lines, "END:VEVENT", ""])


WEEKLY = event(
    "standup",
    "DTSTART;TZID=Europe/Berlin:20260323T090000",
    "DTEND;TZID=Europe/Berlin:20260323T100000",
    "RRULE:FREQ=WEEKLY;COUNT=4",
    "EXDATE;TZID=Europe/Berlin:20260406T090000",
    "SUMMARY:Standup",
)
MOVED = event(
    "standup",
    "DTSTART;TZID=Europe/Berlin:20260330T110000",
    "DTEND;TZID=Europe/Berlin:20260330T120000",
    "RECURRENCE-ID;TZID=Europe/Berlin:20260330T090000",
    "SUMMARY:Standup later",
)
ALL_DAY = event("may", "DTSTART;VALUE=DATE:20260501", "DTEND;VALUE=DATE:20260502", "SUMMARY:Holiday")


def archive(folder: Path, members: Mapping[str, bytes]) -> Path:
    file = folder / "takeout.zip"
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name, content in members.items():
            made.writestr(f"Takeout/{name}", content)
    return file


def calendars(folder: Path) -> Calendars:
    return Calendars(DataFolder(folder / "data").open_whole_store(SystemClock()), HERE, clock=SystemClock())


def starts(folder: Path, calendar_id: str) -> list[str]:
    there = calendars(folder)
    begin, end = (int(datetime(2026, month, 1, tzinfo=UTC).timestamp() * 1000) for month in (3, 6))
    shown = there.list_entries(there.find(calendar_id), Interval(begin, end))
    return [datetime.fromtimestamp(one.start / 1000, UTC).isoformat()[:16] for one in shown]


def test_every_file_becomes_a_calendar_of_its_name_with_its_times(tmp_path: Path) -> None:
    members = {
        "Calendar/ann@example.com.ics": ics("ann@example.com", WEEKLY, MOVED, ALL_DAY),
        "Calendar/Family.ics": ics("Family\\, all", ALL_DAY, zone="America/New_York"),
        "archive_browser.html": b"<html>",
        "Calendar/broken.ics": b"hello",
    }
    result, told = run(tmp_path, "takeout", archive(tmp_path, members))
    assert result.exit_code == 1
    assert (told["calendars"], told["written"], told["unreadable"]) == (["ann@example.com", "family-all"], 4, 1)
    assert told["left_out"] == {"files that are not calendars": 1}
    assert told["problems"][0].startswith("Takeout/Calendar/broken.ics: ")
    # 9:00 in Berlin is 8:00 UTC in winter and 7:00 in summer; one is moved to 11:00, one is cancelled.
    series = ["2026-03-23T08:00", "2026-03-30T09:00", "2026-04-13T07:00"]
    assert starts(tmp_path, "ann@example.com") == [*series, "2026-04-30T22:00"]
    assert starts(tmp_path, "family-all") == ["2026-05-01T04:00"]
    assert [one.name for one in calendars(tmp_path).list_calendars() if one.id == "family-all"] == ["Family, all"]


def test_imported_again_nothing_changes_but_what_changed_in_the_file(tmp_path: Path) -> None:
    folder = tmp_path / "Takeout" / "Calendar"
    folder.mkdir(parents=True)
    (folder / "Work.ics").write_bytes(ics("Work", WEEKLY, MOVED, ALL_DAY))
    _, first = run(tmp_path, "takeout", tmp_path / "Takeout")
    _, again = run(tmp_path, "takeout", tmp_path / "Takeout")
    assert (first["written"], again["written"], again["unchanged"]) == (3, 0, 3)
    (folder / "Work.ics").write_bytes(ics("Work", WEEKLY, MOVED, ALL_DAY.replace("Holiday", "Labour Day")))
    _, later = run(tmp_path, "takeout", folder / "Work.ics")
    assert (later["written"], later["unchanged"], later["calendars"]) == (1, 2, ["work"])


def test_an_import_that_was_stopped_goes_on_in_the_same_calendar(tmp_path: Path) -> None:
    many = [event(str(number), "DTSTART:20260301T090000Z", "DTEND:20260301T100000Z") for number in range(120)]
    file = archive(tmp_path, {"Calendar/Many.ics": ics("Many", *many)})

    def stop(done: int) -> None:
        if done >= 50:
            raise KeyboardInterrupt

    report, where = TakeoutReport(), ImportTarget(calendars(tmp_path), HERE, "owner", ())
    with pytest.raises(KeyboardInterrupt):
        import_calendars(calendar_files(file, report), where, report, stop)
    _, told = run(tmp_path, "takeout", file)
    assert (told["written"], told["unchanged"], told["calendars"]) == (70, 50, ["many"])


def test_all_files_may_go_into_one_calendar_and_a_dry_run_writes_nothing(tmp_path: Path) -> None:
    file = archive(tmp_path, {"Calendar/A.ics": ics("A", WEEKLY), "Calendar/B.ics": ics("B", ALL_DAY)})
    _, tried = run(tmp_path, "takeout", file, "--dry-run")
    assert (tried["written"], (tmp_path / "data").exists()) == (2, False)
    _, told = run(tmp_path, "takeout", file, "--calendar", "primary")
    assert (told["written"], told["calendars"]) == (2, ["primary"])


def test_a_huge_file_and_a_broken_archive_are_refused_and_make_no_calendar(tmp_path: Path) -> None:
    bomb = archive(
        tmp_path, {"Calendar/Bomb.ics": b" " * (17 * 1024 * 1024), "Calendar/Good.ics": ics("Good", ALL_DAY)}
    )
    result, told = run(tmp_path, "takeout", bomb)
    assert (result.exit_code, told["written"], told["unreadable"]) == (1, 1, 1)
    assert "larger than 16 MB" in told["problems"][0]
    damaged = bytearray(archive(tmp_path, {"Calendar/Good.ics": ics("Good", ALL_DAY, WEEKLY)}).read_bytes())
    damaged[80] ^= 0xFF
    (tmp_path / "cut.zip").write_bytes(damaged)
    _, told = run(tmp_path, "takeout", tmp_path / "cut.zip")
    assert (told["unreadable"], "damaged" in told["problems"][0]) == (1, True)
    (tmp_path / "none").mkdir()
    result, _ = run(tmp_path, "takeout", tmp_path / "none")
    assert result.exit_code == 2
    assert "no .ics file" in result.output
    assert {one.id for one in calendars(tmp_path).list_calendars()} == {"primary", "good"}
