"""`almanac import`"""

import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import click
import msgspec

from almanac.composition.commands.planner_import import CardsImport, NotesImport
from almanac.identity.tenants import DEFAULT_PROJECT
from almanac.identity.transfer.tenant_import import TenantImport
from almanac.kernel.caller import Scope
from almanac.kernel.clock import Clock, SystemClock
from almanac.kernel.errors import InvalidInput
from almanac.local.calendars.accounts import calendars_with
from almanac.local.calendars.takeout import ImportTarget, TakeoutReport, calendar_files, import_calendars
from almanac.local.calendars.target_options import open_target
from almanac.local.commands.files.memory import (
    alone,
    bring_back_option,
    check_project,
    import_conversations,
    print_import,
)
from almanac.local.hints import hint, in_use
from almanac.local.memory_import.importer import NAMED
from almanac.local.memory_import.planner_files import (
    PlannerReport,
    count_notes,
    import_issues,
    import_notes,
    issues_file,
)
from almanac.local.options import json_option, open_store, store_options, tenant_option
from almanac.local.search.services import index_tenant
from almanac.local.start.first_key import OWNER
from almanac.local.tenants.edit_options import clerk
from almanac.local.tenants.installation import export_signer, open_installation
from almanac.local.tenants.progress import bucket_option, print_summary, progress_bar
from almanac.local.tenants.stored_types import StoredTypes
from almanac.platform.store.port import Store

_STDIN = "-"
_TENANT = "tenant"


class _Kinds(click.Group):
    """`almanac import FILE` restores a tenant, as `almanac import tenant FILE` does."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in {*self.commands, *ctx.help_option_names}:
            if args[0].isidentifier() and not Path(args[0]).exists():
                kinds = ", ".join(sorted(set(self.commands) - {_TENANT}))
                ctx.fail(f"{args[0]} is neither a file nor a program whose data can be imported: {kinds}.")
            args = [_TENANT, *args]
        return super().parse_args(ctx, args)


@click.group("import", cls=_Kinds, short_help="Import data of other programs, or restore a tenant.")
def import_() -> None:
    """Import data of other programs: almanac import KIND PATH. Or restore a tenant: almanac import FILE.

    A second import takes only what is new. An interrupted import continues when it is repeated. Memories that were
    forgotten here stay forgotten. Secrets are removed before anything is stored. The exit status is 1 if something
    could not be imported; everything else is.
    """


def _add_import_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options that all commands share that import another program's data into a project."""
    for option in (
        json_option,
        store_options,
        click.option("--dry-run", is_flag=True, help="Show what would be imported, and import nothing."),
        click.option("--actor", default=OWNER, show_default=True, help="Actor that the import is recorded under."),
        click.option("--project", default=DEFAULT_PROJECT, show_default=True, callback=in_use("--project")),
        tenant_option,
    ):
        command = option(command)
    return command


def _add_memory_command(kind: str, short: str, help_text: str, default: str | None = None) -> None:
    """Add the command for a kind of file that becomes turns and memories. `help_text` is its help text."""

    def import_path(path: Path | None, tenant: str, project: str, actor: str, **rest: Any) -> None:
        if path is None:
            path = Path(default or "").expanduser()
            if not path.exists():
                raise InvalidInput(f"{path} is not there.", f"Name the file: almanac import {kind} PATH")
        import_conversations(path, kind, Scope(tenant, project), actor, **rest)

    import_path.__doc__ = help_text
    argument = click.argument("path", type=click.Path(exists=True, path_type=Path), required=default is None)
    import_.command(kind, short_help=short)(argument(_add_import_options(bring_back_option(import_path))))


_add_memory_command(
    "claude-mem",
    "Prompts, observations and summaries of claude-mem.",
    """Prompts, observations and summaries of claude-mem, by default of ~/.claude-mem/claude-mem.db.

    They become turns with the time they had; active directives are pinned.
    """,
    "~/.claude-mem/claude-mem.db",
)
_add_memory_command(
    "mem0",
    "Memories of mem0 and OpenMemory.",
    """Memories of mem0: a JSON file of get_all or of an export, or the archive of OpenMemory.

    They become memories that stay. Deleted, archived and expired ones are left out.
    """,
)
_add_memory_command(
    "mcp-memory-service",
    "Memories of mcp-memory-service.",
    """Memories of mcp-memory-service: its sqlite_vec.db, or a JSON file that it exported.

    They become memories that stay. Deleted and replaced ones are left out.
    """,
)


@import_.command("beads", short_help="Issues of beads, as cards of a board.")
@click.argument("path", type=click.Path(exists=True, path_type=Path), default=".")
@_add_import_options
def import_beads(path: Path, tenant: str, project: str, actor: str, **rest: Any) -> None:
    """Import issues of beads as cards of the board Beads. PATH is a repository or a file of issues, by default this
    folder.

    A card has the issue's name as its first label, and its labels, priority and texts. Cards are linked to the cards
    that block them. If the issues are imported again, the cards follow the file, but no card moves back to an earlier
    column. Deleted issues are skipped.
    """
    file = issues_file(path)

    def run(place: _Place, report: PlannerReport) -> None:
        cards = None if place is None else CardsImport(*place)
        with progress_bar("Importing", file.stat().st_size, 64 * 1024) as progress:
            import_issues(file, cards, report, progress)

    _plan(run, Scope(tenant, project), actor, **rest)


@import_.command("basic-memory", short_help="Notes of basic-memory, or of any folder of Markdown.")
@click.argument("path", type=click.Path(exists=True, path_type=Path), default=Path.home() / "basic-memory")
@_add_import_options
def import_basic_memory(path: Path, tenant: str, project: str, actor: str, **rest: Any) -> None:
    """Import notes of basic-memory, or any folder of Markdown, as notes. PATH is ~/basic-memory by default.

    A folder becomes a note above the notes of its files. Titles, tags and [[links]] are kept, and observations and
    relations stay in the text. If the folder is imported again, the notes follow their files. Hidden folders and files
    other than Markdown are skipped.
    """

    def run(place: _Place, report: PlannerReport) -> None:
        notes = None if place is None else NotesImport(*place)
        with progress_bar("Importing", count_notes(path), 10) as progress:
            import_notes(path, notes, report, progress)

    _plan(run, Scope(tenant, project), actor, **rest)


@import_.command("takeout", short_help="Calendars of Google Takeout, or any .ics files.")
@click.argument("path", type=click.Path(exists=True, path_type=Path))
@click.option("--calendar", "into", help="A native calendar for all of them; by default each gets one of its name.")
@click.option("--address", "addresses", multiple=True, help="Your e-mail address: what it declined is not busy.")
@_add_import_options
def import_takeout(
    path: Path, into: str | None, addresses: tuple[str, ...], tenant: str, project: str, actor: str, **rest: Any
) -> None:
    """Import calendars of Google Takeout as native calendars. PATH is an archive, a folder or one .ics file.

    A calendar gets the name and the time zone in its file. To-dos become tasks. If the file is imported again, the
    events follow it. To follow a calendar that changes elsewhere, use `almanac calendar connect` instead.
    """
    as_json, dry_run = rest.pop("as_json"), rest.pop("dry_run")
    report, target, scope = TakeoutReport(), None, Scope(tenant, project)
    if not dry_run:
        connector, _ = open_target(tenant=tenant, project=project, **rest)
        target = ImportTarget(calendars_with(connector, scope, SystemClock()), scope, actor, addresses, into)
    with alone(scope, dry_run=dry_run, **rest), progress_bar("Importing", None, 100) as progress:
        stopped = _run_until_interrupted(
            lambda: import_calendars(calendar_files(path, report), target, report, progress)
        )
    row = msgspec.to_builtins(report)
    print_import(row, max(0, report.unreadable - len(report.problems) + NAMED), as_json=as_json)
    if stopped or report.unreadable:
        sys.exit(130 if stopped else 1)


_Place = tuple[Store, Scope, str, Clock] | None
"""Destination of an import; None for a dry run."""


def _plan(
    run: Callable[[_Place, PlannerReport], None],
    scope: Scope,
    actor: str,
    *,
    dry_run: bool,
    as_json: bool,
    data: Path | None,
    table: str | None,
    region: str | None,
) -> None:
    """Import into the planner, and print the result."""
    clock, report = SystemClock(), PlannerReport()
    place: _Place = None
    if not dry_run:
        store = open_store(data, table, region, clock)
        check_project(store, scope)
        place = (store, scope, actor, clock)
    with alone(scope, dry_run=dry_run, data=data, table=table, region=region):
        stopped = _run_until_interrupted(lambda: run(place, report))
    print_import(msgspec.to_builtins(report), report.refused + report.unreadable, as_json=as_json)
    if stopped or not report.is_whole:
        sys.exit(130 if stopped else 1)


def _run_until_interrupted(run: Callable[[], None]) -> bool:
    try:
        run()
    except KeyboardInterrupt:
        click.echo("Stopped. Repeat the command to continue.", err=True)
        return True
    return False


@import_.command(_TENANT, short_help="Restore a tenant from a file.")
@click.argument("file", type=click.Path(exists=True, dir_okay=False, allow_dash=True))
@click.option("--into", metavar="NAME", help="Name of the tenant here; by default the exported one.")
@click.option("--without-keys", is_flag=True, help="Leave out the file's API keys.")
@click.option("--trust", is_flag=True, help="Accept a file that was exported elsewhere, or by an older version.")
@store_options
@bucket_option
@json_option
def restore_tenant(
    file: str,
    into: str | None,
    without_keys: bool,
    trust: bool,
    data: Path | None,
    table: str | None,
    region: str | None,
    bucket: str | None,
    as_json: bool,
) -> None:
    """Restore the tenant in FILE, which `almanac export` wrote, or from standard input for -.

    The whole file is checked first. It must have been exported here, unless you pass --trust. An existing tenant is
    never changed, and no key is taken from another tenant. An interrupted import continues when you import the same
    file again. The tenant exists once the whole file is imported.
    """
    clock = SystemClock()
    installation = open_installation(data, table, region, bucket, clock)
    with _open_twice(file) as source:
        size = source.seek(0, os.SEEK_END)
        source.seek(0)
        noting = clerk(installation.store, clock)
        restored = TenantImport(
            installation.store, installation.blobs, export_signer(installation.store), StoredTypes, noting
        )
        with progress_bar("Importing", size, 256 * 1024) as progress:
            imported = restored.read(source, into=into, with_keys=not without_keys, trust=trust, progress=progress)
    with progress_bar("Indexing", None, 100) as progress:
        index_tenant((data, table, region), imported.tenant, clock, progress)
    row = {"tenant": imported.tenant, **msgspec.to_builtins(imported.counts), "already": imported.already}
    print_summary(row, as_json=as_json)
    if not imported.counts.keys and not imported.already:
        note = f"No keys came with it: almanac keys issue --tenant {imported.tenant} --project NAME"
        click.echo(hint(note), err=True)


@contextmanager
def _open_twice(file: str) -> Generator[IO[bytes]]:
    """Open the file for two passes. Standard input is copied to a temporary file that only its owner can read."""
    if file != _STDIN:
        with Path(file).open("rb") as source:
            yield source
        return
    with tempfile.TemporaryFile() as copy:
        shutil.copyfileobj(sys.stdin.buffer, copy)
        yield copy
