"""`almanac calendar` against a real server."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from almanac.kernel.errors import Conflict, Forbidden, InvalidInput, NotFound
from almanac.local.commands.calendar import calendar
from tests.integration.caldav.conftest import Account

LUNCH = """\
BEGIN:VCALENDAR
VERSION:2.0
PRODID:-//Somebody//Else//EN
BEGIN:VEVENT
UID:lunch
DTSTAMP:20260101T000000Z
DTSTART;TZID=Europe/Berlin:20260302T120000
DTEND;TZID=Europe/Berlin:20260302T130000
SUMMARY:Lunch
END:VEVENT
END:VCALENDAR
"""
ODD = LUNCH.replace("UID:lunch", "UID:odd").replace("Europe/Berlin", "Nowhere/Land")

Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("ALMANAC_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("ALMANAC_TABLE", raising=False)

    def run(*arguments: str, given: str = "") -> Result:
        return CliRunner().invoke(calendar, list(arguments), input=given)

    return run


def connect_account(run: Run, account: Account) -> None:
    result = run("connect", "caldav", account.url, "--user", account.user, given="password\n")
    assert result.exit_code == 0, result.output


def test_an_account_is_connected_synchronised_listed_and_forgotten(run: Run, account: Account, tmp_path: Path) -> None:
    connect_account(run, account)
    account.dav.send("PUT", f"{account.collection}lunch.ics", LUNCH.encode(), Content_Type="text/calendar")
    rows = json.loads(run("sync", "--json").stdout)
    assert [(row["calendar"], row["changed"], row["problem"]) for row in rows] == [("caldav/work", 1, "")]
    listed = run("accounts", "--json").stdout
    assert json.loads(listed)[0]["calendars"] == ["caldav/work"]
    assert "password" not in listed
    assert "SUMMARY:Lunch" in run("export", "-", "--calendar", "caldav/work").stdout
    assert run("disconnect", "caldav").exit_code == 0
    assert "No accounts" in run("accounts").stdout
    assert isinstance(run("disconnect", "caldav").exception, NotFound)


def test_a_password_is_no_argument_and_stands_nowhere_readable(run: Run, account: Account, tmp_path: Path) -> None:
    result = run("connect", "caldav", account.url, "--user", account.user, given="very-secret-words\n")
    assert result.exit_code == 0
    assert "very-secret-words" not in result.output
    assert all(b"very-secret-words" not in file.read_bytes() for file in (tmp_path / "data").iterdir())
    assert run("connect", "caldav", account.url, "--user", "ann", "--password", "x").exit_code == 2


def test_what_cannot_be_connected_is_not_kept(run: Run) -> None:
    assert isinstance(run("connect", "caldav", "http://192.0.2.1/", "--user", "a", given="x\n").exception, InvalidInput)
    assert isinstance(run("connect", "caldav", "https://x/", "--user", "a").exception, InvalidInput)
    assert "No accounts" in run("accounts").stdout


def test_a_provider_that_does_not_answer_is_a_row_and_an_exit_status(run: Run, account: Account) -> None:
    connect_account(run, account)
    account.dav.send("DELETE", account.collection)
    result = run("sync", "--json")
    assert result.exit_code == 1
    assert "does not have the calendar" in json.loads(result.stdout)[0]["problem"]


def test_a_file_is_imported_once_and_exported_again(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in.ics").write_text(LUNCH)
    first = json.loads(run("import", str(tmp_path / "in.ics"), "--json").stdout)
    assert (first["written"], first["unchanged"], first["problems"]) == (1, 0, [])
    again = json.loads(run("import", "-", "--json", given=LUNCH).stdout)
    assert (again["written"], again["unchanged"]) == (0, 1)
    assert "events    1" in run("export", str(tmp_path / "out.ics")).stdout
    text = (tmp_path / "out.ics").read_text()
    assert "BEGIN:VTIMEZONE" in text
    assert "UID:lunch" in text


def test_what_cannot_be_read_is_named_and_the_rest_imported(run: Run, tmp_path: Path) -> None:
    lost = ODD.replace("DTSTART;", "X-START;").replace("DTEND;", "X-END;").replace("UID:odd", "UID:lost")
    inside = LUNCH.replace("END:VCALENDAR\n", "") + ODD.split("//EN\n")[1].replace("END:VCALENDAR\n", "")
    result = run("import", "-", given=inside + lost.split("//EN\n")[1])
    assert result.exit_code == 1
    assert "VEVENT 3 in line 18" in result.stderr
    assert '"Lunch" was read in part' in result.stderr
    assert "Nowhere/Land" in result.stderr
    exported = run("export", "-")
    assert "UID:lunch" in exported.stdout
    assert "UID:odd" in exported.stdout
    assert "Nowhere/Land" in exported.stderr


def test_an_export_does_not_write_over_a_file_unless_it_is_told_to(run: Run, tmp_path: Path) -> None:
    target = tmp_path / "out.ics"
    target.write_text("precious")
    target.chmod(0o600)
    refused = run("export", str(target))
    assert isinstance(refused.exception, Conflict)
    assert "--force" in refused.exception.hint
    assert target.read_text() == "precious"
    assert run("export", str(target), "--force").exit_code == 0
    assert target.read_text().startswith("BEGIN:VCALENDAR")
    assert target.stat().st_mode & 0o777 == 0o600
    assert isinstance(run("export", str(tmp_path / "nowhere" / "out.ics")).exception, InvalidInput)
    assert sorted(one.name for one in tmp_path.iterdir()) == ["data", "out.ics"]


def test_to_dos_become_tasks_and_are_exported_as_they_stand(run: Run) -> None:
    todo = LUNCH.replace("VEVENT", "VTODO").replace("DTEND;", "DUE;")
    told = json.loads(run("import", "-", "--json", given=todo).stdout)
    assert (told["written"], told["todos"], told["problems"]) == (1, 1, [])
    assert "BEGIN:VTODO" in run("export", "-").stdout
    undated = todo.replace("DTSTART;TZID=Europe/Berlin", "X-START").replace("DUE;TZID=Europe/Berlin", "X-DUE")
    result = run("import", "-", given=undated)
    assert result.exit_code == 1
    assert "VTODO 1" in result.stderr


def test_what_an_owner_declined_is_said_at_import(run: Run) -> None:
    invitation = LUNCH.replace("SUMMARY", "ATTENDEE;PARTSTAT=DECLINED:mailto:ann@example.com\nSUMMARY")
    assert run("import", "-", "--address", "Ann@Example.com", given=invitation).exit_code == 0
    assert "PARTSTAT=DECLINED" in run("export", "-").stdout


def test_what_a_provider_holds_and_cannot_be_read_is_said_at_each_sync(run: Run, account: Account) -> None:
    connect_account(run, account)
    account.dav.send("PUT", f"{account.collection}odd.ics", ODD.encode(), Content_Type="text/calendar")
    for _ in range(2):
        row = json.loads(run("sync", "--json").stdout)[0]
        assert (row["unreadable"], row["problem"]) == (1, "")
        assert "Nowhere/Land" in row["unread"][0]
    assert "Nowhere/Land" in run("sync").stderr
    account.dav.send("DELETE", f"{account.collection}odd.ics")
    assert json.loads(run("sync", "--json").stdout)[0]["unreadable"] == 0


def test_a_series_that_takes_all_of_its_time_is_named(run: Run) -> None:
    dense = LUNCH.replace("SUMMARY", "RRULE:FREQ=SECONDLY\nSUMMARY")
    result = run("import", "-", given=dense)
    assert (result.exit_code, "Lunch" in result.stderr) == (0, True)
    assert json.loads(run("import", "-", "--json", given=dense).stdout)["dense"] == ["Lunch"]


def test_a_calendar_at_a_provider_takes_no_import(run: Run, account: Account) -> None:
    connect_account(run, account)
    assert isinstance(run("import", "-", "--calendar", "caldav/work", given=LUNCH).exception, Forbidden)


def test_another_tenant_has_to_exist(run: Run) -> None:
    assert isinstance(run("accounts", "--tenant", "nobody").exception, NotFound)


def test_the_zone_of_the_shell_is_not_stored_with_what_it_connects(
    run: Run, account: Account, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TIMEZONE", "Asia/Tokyo")
    connect_account(run, account)
    (row,) = json.loads(
        run("connect", "caldav", account.url, "--user", account.user, "--json", given="password\n").stdout
    )
    assert (row["id"], row["timezone"]) == ("caldav/work", None)
