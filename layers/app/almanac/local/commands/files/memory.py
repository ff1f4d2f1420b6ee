"""`almanac memory`"""

import sys
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

import click
import msgspec

from almanac.composition.commands.memory_import import RecordTurns, import_turns_into
from almanac.identity.tenants import DEFAULT_PROJECT, Tenants
from almanac.kernel.caller import Scope
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import AlmanacError, NotFound
from almanac.local.data_folder import FIRST_TENANT
from almanac.local.hints import hint, in_use
from almanac.local.listings import printable, show_one
from almanac.local.memory_import.formats import AUTO, READERS, files_in
from almanac.local.memory_import.importer import NAMED, Import, Report
from almanac.local.memory_import.progress import Positions, one_at_a_time
from almanac.local.options import data_folder, json_option, open_store, store_options, tenant_option
from almanac.local.start.first_key import OWNER
from almanac.local.tenants.progress import progress_bar
from almanac.platform.store.port import Store

_CLOCK = SystemClock()
_INTERRUPTED = 130
_PROGRESS_BYTES = 256 * 1024


bring_back_option = click.option("--bring-back", is_flag=True, help="Also import what was forgotten here.")


@click.group(short_help="Import conversations from files.")
def memory() -> None:
    """Fill the memory of a project with conversations from other programs."""


@memory.command("import")
@click.argument("path", metavar="FILE", type=click.Path(exists=True, path_type=Path))
@click.option("--format", "chosen", type=click.Choice([*READERS, AUTO]), default=AUTO, show_default=True)
@tenant_option
@click.option("--project", default=DEFAULT_PROJECT, show_default=True, callback=in_use("--project"))
@click.option("--actor", default=OWNER, show_default=True, help="Actor that the turns are recorded under.")
@click.option("--session", help="Session for turns that name none.")
@click.option("--dry-run", is_flag=True, help="Show what would be imported, and import nothing.")
@bring_back_option
@store_options
@json_option
def import_file(
    path: Path,
    chosen: str,
    tenant: str,
    project: str,
    actor: str,
    session: str | None,
    dry_run: bool,
    bring_back: bool,
    as_json: bool,
    **place: Any,
) -> None:
    """Import the conversations in FILE, or in the files of a folder, as turns.

    The command reads transcripts of Claude Code (~/.claude/projects), rollouts of Codex (~/.codex/sessions),
    conversations.json of a ChatGPT export, and JSON lines with the fields of record_turn. With --format it also reads
    the data of claude-mem, mem0 and mcp-memory-service, like `almanac import`. Secrets are removed before anything is
    stored. A second import records only what is new. An interrupted import continues when it is repeated. Turns that
    were forgotten here stay forgotten.

    The exit status is 1 if something could not be read or recorded; everything else is imported.
    """
    import_conversations(
        path,
        chosen,
        Scope(tenant, project),
        actor,
        session=session,
        dry_run=dry_run,
        bring_back=bring_back,
        as_json=as_json,
        **place,
    )


def import_conversations(
    path: Path,
    chosen: str,
    scope: Scope,
    actor: str,
    *,
    session: str | None = None,
    dry_run: bool,
    bring_back: bool,
    as_json: bool,
    **place: Any,
) -> None:
    """Import the files and print the result. Exits with status 1 if something could not be imported."""
    files = files_in(path, chosen)
    record, positions = _open_import(scope, actor, dry_run=dry_run, bring_back=bring_back, **place)
    size = sum(file.stat().st_size for file in files)
    label = "Reading" if dry_run else "Importing"
    with alone(scope, dry_run=dry_run, **place), progress_bar(label, size, _PROGRESS_BYTES) as progress:
        importing = Import(record, positions, session=session, progress=progress)
        status = _run(importing, files, chosen)
    _tell(importing.report, dry_run=dry_run, as_json=as_json)
    if isinstance(status, AlmanacError):
        raise status
    if status or not importing.report.is_whole:
        sys.exit(status or 1)


def _run(importing: Import, files: list[Path], chosen: str) -> int | AlmanacError:
    """Run the import. Return 0, the exit status after an interrupt, or the error that stopped it."""
    try:
        importing.read(files, chosen)
    except KeyboardInterrupt:
        click.echo("Stopped. Repeat the command to continue.", err=True)
        return _INTERRUPTED
    except AlmanacError as problem:
        return problem
    return 0


def _open_import(
    scope: Scope,
    actor: str,
    *,
    dry_run: bool,
    bring_back: bool,
    data: Path | None,
    table: str | None,
    region: str | None,
) -> tuple[RecordTurns | None, Positions | None]:
    if dry_run:
        return None, None
    store = open_store(data, table, region, _CLOCK)
    check_project(store, scope)
    into = "\n".join((table or "", region or "", scope.tenant, scope.project, actor))
    record = import_turns_into(store, scope, actor, _CLOCK, bring_back=bring_back)
    # Ignore stored positions to bring forgotten turns back, because these turns lie before them.
    return record, None if bring_back else Positions(_imports(data), into)


def _imports(data: Path | None) -> Path:
    return data_folder(data).path / "imports"


def alone(
    scope: Scope, *, dry_run: bool, data: Path | None, table: str | None, region: str | None
) -> AbstractContextManager[None]:
    """Return a lock that keeps other imports on this machine out of the project. A dry run needs none."""
    if dry_run:
        return nullcontext()
    into = "\n".join((table or "", region or "", scope.tenant, scope.project))
    message = "Another import into this project is running. This one continues when it ends."
    return one_at_a_time(_imports(data), into, lambda: click.echo(message, err=True))


def check_project(store: Store, scope: Scope) -> None:
    tenants = Tenants(store, _CLOCK)
    known = tenants.exists(scope.tenant) and any(one.id == scope.project for one in tenants.projects(scope.tenant))
    if not known and (scope.tenant, scope.project) != (FIRST_TENANT, DEFAULT_PROJECT):
        raise NotFound(
            f"There is no project {scope.project} of the tenant {scope.tenant}.", "`almanac projects list` shows them."
        )


def print_import(row: dict[str, Any], missed: int, *, as_json: bool) -> None:
    """Print the counts of a report, the skipped records, and the problems."""
    problems, left_out = row.pop("problems"), row.pop("left_out")
    show_one(row | {"problems": problems, "left_out": left_out} if as_json else row, as_json=as_json)
    if as_json:
        return
    for reason, count in left_out.items():
        click.echo(f"Left out: {count} ({reason})", err=True)
    for problem in problems:
        click.echo(printable(problem), err=True)
    if (more := missed - NAMED) > 0:
        click.echo(f"{more} more could not be imported.", err=True)


def _tell(report: Report, *, dry_run: bool, as_json: bool) -> None:
    row = msgspec.to_builtins(report)
    if dry_run:
        row = {name: count for name, count in row.items() if name not in ("recorded", "known", "refused", "unchanged")}
    print_import(row, report.refused + report.unreadable, as_json=as_json)
    if as_json:
        return
    if report.recorded:
        click.echo(hint("Search takes them into its index while `almanac serve` runs."), err=True)
