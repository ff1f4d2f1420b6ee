"""`almanac calendar import` and `export`"""

import os
import sys
from pathlib import Path
from typing import Any, BinaryIO

import click

from almanac.families.calendar.accounts.exchange import export_text, import_text
from almanac.families.planner.events.imported_tasks import ImportedTasks
from almanac.kernel.clock import SystemClock
from almanac.local.calendars.accounts import calendars_with
from almanac.local.calendars.files import (
    export_details,
    export_lines,
    report_details,
    report_lines,
)
from almanac.local.calendars.target_options import open_target, place_options
from almanac.local.listings import show_one
from almanac.local.options import json_option
from almanac.local.start.first_key import OWNER
from almanac.local.whole_files import check_target, write_file

_CLOCK = SystemClock()


@click.command("import")
@click.argument("file", type=click.File("rb"))
@click.option("--calendar", "calendar_id", default="primary", show_default=True, help="A native calendar.")
@click.option("--actor", default=OWNER, show_default=True, help="Actor that the import is recorded under.")
@click.option("--address", "addresses", multiple=True, help="Your e-mail address: what it declined is not busy.")
@place_options
@json_option
def import_file(
    file: BinaryIO, calendar_id: str, actor: str, addresses: tuple[str, ...], as_json: bool, **place: Any
) -> None:
    """Import the events and to-dos of an iCalendar FILE (- for standard input). Import it again to take over its
    changes.

    To-dos become tasks of the planner. If an event can be read only in part, its known time is blocked. The exit status
    is 1 if something could not be read at all; everything else is imported.
    """
    connector, scope = open_target(**place)
    text = file.read()
    with click.progressbar(length=1, label="Importing", file=sys.stderr, hidden=as_json) as bar:

        def progress(done: int, of: int) -> None:
            bar.length = of
            bar.update(done - bar.pos)

        calendars = calendars_with(connector, scope, _CLOCK)
        report = import_text(
            calendars,
            calendar_id,
            text,
            actor=actor,
            random_bytes=os.urandom,
            owner_addresses=addresses,
            tasks=ImportedTasks(calendars.store, scope, calendar_id),
            on_progress=progress,
        )
    counts = ("written", "unchanged", "removed", "todos", "redacted")
    row = {"calendar": calendar_id} | {name: getattr(report, name) for name in counts}
    show_one(row | report_details(report) if as_json else row, as_json=as_json)
    for line in () if as_json else report_lines(report):
        click.echo(line, err=True)
    if report.problems:
        sys.exit(1)


@click.command("export")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True))
@click.option("--calendar", "calendar_id", default="primary", show_default=True)
@click.option("--force", is_flag=True, help="Overwrite an existing file.")
@place_options
@json_option
def export_file(file: Path, calendar_id: str, force: bool, as_json: bool, **place: Any) -> None:
    """Write every event of a calendar to an iCalendar FILE (- for standard output)."""
    to_file = str(file) != "-"
    if to_file:
        check_target(file, force=force)
    connector, scope = open_target(**place)
    calendars = calendars_with(connector, scope, _CLOCK)
    exported = export_text(calendars, calendar_id, ImportedTasks(calendars.store, scope, calendar_id))
    if not to_file:
        with click.open_file("-", "wb") as output:
            output.write(exported.text)
    else:
        write_file(file, exported.text, force=force)
        row = {"calendar": calendar_id, "events": exported.events, "file": str(file)}
        show_one(row | export_details(exported) if as_json else row, as_json=as_json)
    for line in () if as_json and to_file else export_lines(exported):
        click.echo(line, err=True)
