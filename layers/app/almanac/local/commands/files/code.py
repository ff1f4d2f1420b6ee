"""`almanac code`"""

import json
import os
import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from almanac.composition.variables import surroundings
from almanac.kernel.errors import AlmanacError
from almanac.local.client.tool_calls import session
from almanac.local.hints import hint, in_use
from almanac.local.listings import printable, show, show_one
from almanac.local.options import api_key, data_folder, json_option, server_options
from almanac.local.tenants.progress import progress_bar

# Each command imports the code that it needs to read files and to call servers.
if TYPE_CHECKING:
    from almanac.local.code_index.server import IndexServer
    from almanac.local.code_index.tree_indexer import TreeIndexer
    from almanac.local.code_index.tree_watch import Change
    from almanac.local.code_index.upload import Report

_INTERRUPTED = 130
_IDENTITIES = "code-repositories.json"
_BAR_STEP = 20


@click.group(short_help="Index working trees for code search.")
def code() -> None:
    """Keep the code index of a project up to date with working trees of this machine."""


@code.command("index")
@click.argument("folder", metavar="DIR", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--repo", callback=in_use("--repo"), help="Name of the repository; by default that of its remote or folder."
)
@click.option("--watch", is_flag=True, help="Keep the index up to date until Ctrl+C.")
@click.option("--dry-run", is_flag=True, help="Show what would be sent, and send nothing.")
@server_options
@json_option
def index_tree(
    folder: Path,
    repo: str | None,
    watch: bool,
    dry_run: bool,
    url: str,
    key: str | None,
    data: Path | None,
    as_json: bool,
) -> None:
    """Update the index of a repository from the working tree DIR, with uncommitted changes.

    Only changed source files are sent: no files excluded by .gitignore or .almanacignore, no binary, generated,
    minified or vendored files, no links, and no files over 1 MB. Secrets are removed before anything is stored. If the
    command is interrupted, repeat it to continue.

    A folder without a remote gets its own name, with six letters or digits added if another folder has that name
    already. It keeps the name when it is moved.

    The exit status is 1 if something could not be read or indexed; the rest is indexed.
    """
    with _connect(url, key, data, "") as server:
        from almanac.local.code_index.git import GitUser  # noqa: PLC0415 - see above
        from almanac.local.code_index.identities import Identities  # noqa: PLC0415
        from almanac.local.code_index.tree_indexer import TreeIndexer  # noqa: PLC0415

        identities = Identities(data_folder(data).path / _IDENTITIES, url, api_key(data, key), os.urandom)
        indexing = TreeIndexer(folder, server, repo, GitUser.of(Path.home(), surroundings()), identities)
        try:
            _bring(indexing, dry_run=dry_run)
        except KeyboardInterrupt:
            click.echo("Stopped. Repeat the command to continue.", err=True)
            sys.exit(_INTERRUPTED)
        _tell(indexing.report, dry_run=dry_run, as_json=as_json)
        if watch and not dry_run:
            _follow(indexing, as_json=as_json)
    if not indexing.report.is_whole:
        sys.exit(1)


@code.command("status")
@click.option("--repo", help="Only this one.")
@server_options
@json_option
def status(repo: str | None, url: str, key: str | None, data: Path | None, as_json: bool) -> None:
    """List the indexed repositories, with the commit and age of each index."""
    with _connect(url, key, data, repo or "") as server:
        rows = [{"commit": None, "age": None, "behind": None, **row} for row in server.state(repo)]
    columns = ("repo_id", "files", "failed", "commit", "age", "behind")
    show(rows, columns, as_json=as_json, none="Nothing is indexed yet. Start with `almanac code index .`")


@code.command("remove")
@click.argument("repo")
@server_options
@json_option
def remove(repo: str, url: str, key: str | None, data: Path | None, as_json: bool) -> None:
    """Remove the repository REPO from the index. The repository itself is not touched."""
    with _connect(url, key, data, repo) as server:
        count = server.remove()
    show_one({"repo_id": repo, "removed": count}, as_json=as_json)


@contextmanager
def _connect(url: str, key: str | None, data: Path | None, repo: str) -> "Generator[IndexServer]":
    from almanac.local.code_index.server import IndexServer  # noqa: PLC0415 - see above

    def tell(line: str) -> None:
        click.echo(hint(line), err=True)

    with session(url, api_key(data, key)) as calls:
        yield IndexServer(calls, repo, pause=time.sleep, tell=tell)


def _bring(indexing: "TreeIndexer", *, dry_run: bool) -> None:
    files = indexing.look()
    with progress_bar("Reading", files, _BAR_STEP) as progress:
        changes = indexing.compare(progress)
    if not dry_run:
        with progress_bar("Indexing", changes, 1) as progress:
            indexing.send(progress)


def _follow(indexing: "TreeIndexer", *, as_json: bool) -> None:
    def tell(change: "Change") -> None:
        fields = {"sent": change.sent, "removed": change.removed, "commit": change.commit}
        line = ", ".join(f"{name} {value}" for name, value in fields.items() if value)
        click.echo(json.dumps(fields) if as_json else line)

    def problem(error: AlmanacError) -> None:
        click.echo(f"{hint(str(error))} Still following.", err=True)

    click.echo("Following changes. Stop with Ctrl+C.", err=True)
    try:
        indexing.follow(tell, problem)
    except KeyboardInterrupt:
        click.echo("Stopped.", err=True)


def _tell(report: "Report", *, dry_run: bool, as_json: bool) -> None:
    import msgspec  # noqa: PLC0415 - see above

    row = msgspec.to_builtins(report)
    problems = row.pop("problems")
    if dry_run:
        row = {name: value for name, value in row.items() if name not in ("sent", "refused", "complete")}
    if as_json:
        show_one(row | {"problems": problems}, as_json=True)
        return
    row["left_out"] = [f"{reason} {count}" for reason, count in sorted(row["left_out"].items())]
    show_one(row, as_json=False)
    for each in problems:
        click.echo(printable(each), err=True)
