"""Import the .ics files of a Google Takeout into native calendars of the same names."""

import os
import re
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from pathlib import Path, PurePosixPath
from typing import IO, NamedTuple
from zoneinfo import ZoneInfo

from msgspec import Struct, field

from almanac.families.calendar.accounts.exchange import ImportReport, import_text
from almanac.families.calendar.entries.calendars import Calendars
from almanac.families.calendar.entries.names import create_named
from almanac.families.calendar.ical.parser import MAX_BYTES, read_events
from almanac.families.planner.events.imported_tasks import ImportedTasks
from almanac.kernel.caller import Scope
from almanac.kernel.errors import AlmanacError, InvalidInput
from almanac.local.calendars.files import report_lines

_PRIMARY = "primary"
_SHOWN = 20
_UTC = ZoneInfo("UTC")
_HEAD_BYTES = 64 * 1024
_NAME_CHARACTERS = 100
_FOLDED = re.compile(rb"\r?\n[ \t]")
_PROPERTY = re.compile(rb"^X-WR-(CALNAME|TIMEZONE)(?:;[^:\r\n]*)?:([^\r\n]*)", re.MULTILINE | re.IGNORECASE)


class CalendarFile(NamedTuple):
    """A calendar file. `text` reads it only when it is imported, because all files together may be large. It raises
    InvalidInput if the file is too large."""

    name: str
    text: Callable[[], bytes]


class TakeoutReport(Struct):
    """Result of the import. `written`, `unchanged` and `removed` count events. `todos` counts those that became tasks,
    and `redacted` those from which secrets were removed. `unreadable` counts files and entries, which `problems`
    describes. `left_out` counts skipped files by reason."""

    calendars: list[str] = field(default_factory=list[str])
    written: int = 0
    unchanged: int = 0
    removed: int = 0
    todos: int = 0
    redacted: int = 0
    unreadable: int = 0
    problems: list[str] = field(default_factory=list[str])
    left_out: dict[str, int] = field(default_factory=dict[str, int])

    def note(self, problem: str) -> None:
        if len(self.problems) < _SHOWN:
            self.problems.append(problem)

    def add(self, file: str, report: ImportReport) -> None:
        self.written += report.written
        self.unchanged += report.unchanged
        self.removed += report.removed
        self.todos += report.todos
        self.redacted += report.redacted
        self.unreadable += len(report.problems)
        for line in report_lines(report):
            self.note(f"{file}: {line}")


class ImportTarget(NamedTuple):
    """Destination of imported files. `into` is the one calendar for all of them; None gives each file its own
    calendar."""

    calendars: Calendars
    scope: Scope
    actor: str
    addresses: Collection[str]
    into: str | None = None


def calendar_files(path: Path, report: TakeoutReport) -> Iterator[CalendarFile]:
    """Yield the calendar files of an archive, or of a folder and its subfolders, or the one file at `path`. Raises
    InvalidInput if an archive is damaged or no calendar file is found."""
    if path.is_file() and not zipfile.is_zipfile(path):
        yield CalendarFile(path.name, lambda: _read_bounded(path.name, path.open("rb")))
        return
    found = False
    for file in _zip_files(path) if path.is_file() else _in_folder(path):
        if file.name.lower().endswith(".ics"):
            found = True
            yield file
        else:
            report.left_out["files that are not calendars"] = report.left_out.get("files that are not calendars", 0) + 1
    if not found:
        raise InvalidInput(f"There is no .ics file in {path}.", "Name the archive of Google Takeout, or its folder.")


def _in_folder(path: Path) -> Iterator[CalendarFile]:
    for file in sorted(one for one in path.rglob("*") if one.is_file()):
        name = file.relative_to(path).as_posix()
        yield CalendarFile(name, lambda file=file, name=name: _read_bounded(name, file.open("rb")))


def _zip_files(path: Path) -> Iterator[CalendarFile]:
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if not member.is_dir():
                    yield CalendarFile(member.filename, lambda member=member: _member(archive, member))
    except (zipfile.BadZipFile, NotImplementedError) as broken:
        raise InvalidInput(f"{path} is damaged: {broken}.", "Download the archive again.") from broken


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> bytes:
    try:
        return _read_bounded(member.filename, archive.open(member))
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError) as broken:
        raise InvalidInput("It is damaged or encrypted.", "Download the archive again.") from broken


def _read_bounded(name: str, source: IO[bytes]) -> bytes:
    with source:
        text = source.read(MAX_BYTES + 1)
    if len(text) > MAX_BYTES:
        raise InvalidInput(f"{name} is larger than {MAX_BYTES // (1024 * 1024)} MB.", "Import it in parts.")
    return text


def import_calendars(
    files: Iterator[CalendarFile], target: ImportTarget | None, report: TakeoutReport, progress: Callable[[int], None]
) -> None:
    """Import the files. A `target` of None makes a dry run. A file that cannot be imported is reported, and the others
    are still imported."""
    events = 0
    for file in files:
        try:
            text = file.text()
            file_report = (
                _try_import(text) if target is None else _import_file(file, text, target, events, progress, report)
            )
        except (AlmanacError, OSError) as problem:
            if isinstance(problem, AlmanacError) and problem.retryable:
                raise
            report.unreadable += 1
            report.note(f"{file.name}: {problem}")
            continue
        report.add(file.name, file_report)
        events += file_report.written + file_report.unchanged
        progress(events)


def _try_import(text: bytes) -> ImportReport:
    read = read_events(text, _UTC, todos=True)
    return ImportReport(len(read.events), 0, read.problems, todos=sum(event.todo is not None for event in read.events))


def _import_file(
    file: CalendarFile,
    text: bytes,
    target: ImportTarget,
    before: int,
    progress: Callable[[int], None],
    report: TakeoutReport,
) -> ImportReport:
    calendar = target.into or _calendar_for(target.calendars, file, text)
    file_report = import_text(
        target.calendars,
        calendar,
        text,
        actor=target.actor,
        random_bytes=os.urandom,
        owner_addresses=target.addresses,
        tasks=ImportedTasks(target.calendars.store, target.scope, calendar),
        on_progress=lambda done, _: progress(before + done),
    )
    if calendar not in report.calendars:
        report.calendars.append(calendar)
    return file_report


def _calendar_for(calendars: Calendars, file: CalendarFile, text: bytes) -> str:
    """Return the id of the native calendar with the name that the file gives. The calendar is created if it is
    missing."""
    # Check the file first, so that no calendar is created for a file that is not one.
    read_events(text, _UTC, todos=True)
    properties = {
        name.decode().upper(): value.decode("utf-8", "replace").replace("\\,", ",").replace("\\;", ";").strip()
        for name, value in _PROPERTY.findall(_FOLDED.sub(b"", text[:_HEAD_BYTES]))
    }
    name = " ".join((properties.get("CALNAME") or PurePosixPath(file.name).stem).split())[:_NAME_CHARACTERS]
    known = (one for one in calendars.list_calendars() if one.is_native and one.id != _PRIMARY)
    found = next((one for one in known if one.name.casefold() == name.casefold()), None)
    return (found or create_named(calendars, name, None, _zone(properties.get("TIMEZONE", "")), os.urandom)).id


def _zone(name: str) -> str | None:
    try:
        return ZoneInfo(name).key if name else None
    except (KeyError, ValueError, OSError):
        return None
