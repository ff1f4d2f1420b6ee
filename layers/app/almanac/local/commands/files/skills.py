"""`almanac skills`"""

import json
import sys
import time
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from almanac.local.client.tool_calls import session
from almanac.local.hints import hint
from almanac.local.listings import printable, show, show_one
from almanac.local.options import api_key, json_option, server_options
from almanac.local.tenants.progress import progress_bar

# Each command imports the code that it needs to read skills.
if TYPE_CHECKING:
    from almanac.composition.commands.skills import FormatFinding
    from almanac.local.skills.installation import InstallReport
    from almanac.local.skills.server import SkillServer
    from almanac.local.skills.validation import Verdict

_LISTED = 20
_BAR_BYTES = 64 * 1024


@click.group(short_help="Install, list, check and export skills.")
def skills() -> None:
    """Manage skills (agentskills.io) in files of this machine and in a project on a server."""


@skills.command()
@click.argument("paths", metavar="DIR|FILE|ZIP...", nargs=-1, required=True, type=click.Path(path_type=Path))
@json_option
def validate(paths: tuple[Path, ...], as_json: bool) -> None:
    """Check whether skills are valid, and show what clients assume if they are not.

    A skill is a folder with a SKILL.md, a SKILL.md alone, or a zip file of such a folder. The result is that of
    skills-ref, the reference validator. Needs no server.

    The exit status is 1 if one is not valid.
    """
    import msgspec  # noqa: PLC0415 - see above

    from almanac.local.skills.validation import verdict_on  # noqa: PLC0415 - see above

    verdicts = [verdict_on(path) for path in paths]
    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(verdicts), indent=2, ensure_ascii=False))
    else:
        for verdict in verdicts:
            _tell(verdict)
    if not all(verdict.valid for verdict in verdicts):
        sys.exit(1)


@skills.command("install")
@click.argument("paths", metavar="[DIR|FILE|ZIP]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--default", "names", metavar="NAME", multiple=True, help="One that comes with Almanac; may be repeated.")
@click.option("--all-defaults", is_flag=True, help="All that come with Almanac.")
@click.option("--strict", is_flag=True, help="Only those that are valid.")
@server_options
@json_option
def install_skills(
    paths: tuple[Path, ...],
    names: tuple[str, ...],
    all_defaults: bool,
    strict: bool,
    url: str,
    key: str | None,
    data: Path | None,
    as_json: bool,
) -> None:
    """Install skills in the project of the key, for all of its agents.

    A skill is a folder with a SKILL.md, a SKILL.md alone, or a zip file of such a folder. Skills that are installed
    already stay unchanged; changed ones become a new version. Secrets are removed before anything is stored.

    The exit status is 1 if one could not be installed; the others are installed.
    """
    from almanac.local.skills.installation import default_sources, install, sources_at  # noqa: PLC0415 - see above

    sources = [*sources_at(paths), *default_sources(names, every=all_defaults)]
    if not sources:
        raise click.UsageError("Name a skill, or --default NAME; `almanac skills list --defaults` has their names.")
    rows: list[InstallReport] = []
    try:
        with _connect(url, key, data) as server, _bytes_bar(each.size for each in sources) as add_bytes:
            rows.extend(install(server, sources, add_bytes, strict=strict))
    finally:
        _tell_installed(rows, as_json=as_json)
    if not all(row.ok for row in rows):
        sys.exit(1)


@skills.command("list")
@click.option("--defaults", is_flag=True, help="Those that come with Almanac instead; needs no server.")
@server_options
@json_option
def list_installed(defaults: bool, url: str, key: str | None, data: Path | None, as_json: bool) -> None:
    """List the skills that are installed in the project of the key."""
    if defaults:
        from almanac.composition.commands.skills import default_skills  # noqa: PLC0415 - see above

        offered = [
            {"name": each.name, "tags": list(each.tags), "recommended_for": each.recommended_for}
            for each in default_skills()
        ]
        show(offered, ("name", "recommended_for"), as_json=as_json, none="There are none.")
        return
    with _connect(url, key, data) as server:
        rows = [{"declared": None, **row} for row in server.skills()]
    none = "No skill is installed. Start with `almanac skills install --all-defaults`."
    show(rows, ("name", "version", "declared", "valid", "trusted", "installed_by"), as_json=as_json, none=none)


@skills.command("export")
@click.argument("name")
@click.argument("folder", metavar="DIR", type=click.Path(file_okay=False, path_type=Path))
@click.option("--version", type=click.IntRange(min=1), help="Which version; by default the installed one.")
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@server_options
@json_option
def export_skill(
    name: str,
    folder: Path,
    version: int | None,
    force: bool,
    url: str,
    key: str | None,
    data: Path | None,
    as_json: bool,
) -> None:
    """Write the skill NAME to DIR/NAME, after all its files have arrived and match their digests.

    Nothing is written outside of it or through links, and existing files are overwritten only with --force. No file is
    made executable: read other people's scripts before you run them.
    """
    import msgspec  # noqa: PLC0415 - see above

    from almanac.local.skills.export import export  # noqa: PLC0415 - see above

    with _connect(url, key, data) as server:
        exported = export(server, name, version, folder, force=force)
    show_one(msgspec.to_builtins(exported), as_json=as_json)
    if exported.untrusted:
        click.echo(f"{printable(exported.installed_by)} is not trusted in this project: read it before use.", err=True)


@contextmanager
def _connect(url: str, key: str | None, data: Path | None) -> "Generator[SkillServer]":
    from almanac.local.client.patient_calls import PatientCalls  # noqa: PLC0415 - see above
    from almanac.local.skills.server import SkillServer  # noqa: PLC0415 - see above

    def tell(line: str) -> None:
        click.echo(hint(line), err=True)

    with session(url, api_key(data, key)) as calls:
        yield SkillServer(PatientCalls(calls, pause=time.sleep, tell=tell).ask)


@contextmanager
def _bytes_bar(sizes: Iterable[int]) -> "Generator[Any]":
    """Show a progress bar of bytes. It yields a function to call with the number of bytes since its last call."""
    done = 0
    with progress_bar("Installing", sum(sizes), _BAR_BYTES) as progress:

        def add_bytes(more: int) -> None:
            nonlocal done
            done += more
            progress(done)

        yield add_bytes


def _tell_installed(rows: "list[InstallReport]", *, as_json: bool) -> None:
    import msgspec  # noqa: PLC0415 - see above

    if as_json:
        click.echo(json.dumps(msgspec.to_builtins(rows), indent=2, ensure_ascii=False))
        return
    for row in rows:
        click.echo(f"{printable(row.source)}: {printable(_outcome(row))}")
        _tell_findings(row.errors, row.warnings, row.left_out)
        if row.redacted:
            click.echo(f"  secrets removed: {', '.join(row.redacted)}")


def _outcome(row: "InstallReport") -> str:
    if not row.ok:
        return f"not installed. {row.problem}"
    about = f"{row.name}, version {row.version}, {row.files} files, {row.bytes} bytes"
    return f"{'installed' if row.changed else 'there already'}{'' if row.valid else ', though not valid'} ({about})"


def _tell(verdict: "Verdict") -> None:
    about = f"{verdict.name}, {verdict.files} files, {verdict.bytes} bytes" if verdict.name else "no skill"
    outcome = "valid" if verdict.valid else "not valid, but loads" if verdict.loads else "not valid"
    click.echo(f"{printable(verdict.path)}: {outcome} ({printable(about)})")
    _tell_findings(verdict.errors, verdict.warnings, verdict.left_out)


def _tell_findings(
    errors: "tuple[FormatFinding, ...]", warnings: "tuple[FormatFinding, ...]", left_out: tuple[str, ...]
) -> None:
    for kind, findings in (("error", errors), ("warning", warnings)):
        for finding in findings:
            click.echo(f"  {kind}: {_finding_line(finding)}")
    for path in left_out[:_LISTED]:
        click.echo(f"  left out: {printable(path)}")
    if len(left_out) > _LISTED:
        click.echo(f"  left out: {len(left_out) - _LISTED} more")


def _finding_line(finding: "FormatFinding") -> str:
    place = "" if finding.line is None else f"line {finding.line}: "
    field = f"{finding.field}: " if finding.field else ""
    return printable(f"{place}{field}{finding.message}")
