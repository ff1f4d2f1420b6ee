"""`almanac connect`"""

import shutil
from collections.abc import Generator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import click
from msgspec import structs

from almanac.composition.settings import read_settings
from almanac.composition.variables import text_of
from almanac.identity.api_key import parse_api_key
from almanac.kernel.clock import SystemClock
from almanac.kernel.errors import AlmanacError, InvalidInput
from almanac.local.connect.almanac_hook import project_of
from almanac.local.connect.clients import KNOWN, Connection, is_installed
from almanac.local.connect.file_changes import (
    FileChange,
    apply,
    difference,
    files_of,
    note,
    plan,
    plan_undo,
    state_of,
)
from almanac.local.connect.installation import ConnectedClient, Installation
from almanac.local.connect.server_keys import KeyCheck, ServerKeys, check, hook_usage, is_here
from almanac.local.data_folder import VARIABLE
from almanac.local.hints import hint
from almanac.local.listings import show
from almanac.local.options import data_folder, json_option, server_options
from almanac.local.start.announcement import server_of
from almanac.local.start.machine import machine_of
from almanac.local.start.zone_notes import zones_here
from almanac.platform.clients.server import ClientMachine

_CLOCK = SystemClock()
_COLUMNS = ("client", "state", "hooks", "sessions", "injected_tokens", "last_seen", "url")
_OTHERS = ("claude-mem", "supermemory", "mem0")
_SENT = """
The hooks send to the server: what you and the agent say, the paths of files that it edits, and commands that failed
with their errors. Contents of files and output of tools stay here, and so does what stands in <private>...</private>.
Secrets are masked before anything leaves this machine. An empty file .almanac/off silences the hooks in a folder,
patterns in .almanac/ignore leave paths out, and --pause silences them everywhere. docs/connect.md says more."""


@click.command(short_help="Connect coding agents of this machine: MCP server, hooks and keys.")
@click.argument("clients", nargs=-1, type=click.Choice(list(KNOWN)), metavar="[CLIENT]...")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@click.option("--undo", is_flag=True, help="Remove exactly what was written, and revoke the keys.")
@click.option("--status", is_flag=True, help="Show what is connected, what hooks injected, and what waits to be sent.")
@click.option("--pause/--resume", "pause", default=None, help="Pause all hooks of this machine, or resume them.")
@click.option(
    "--project/--user",
    "in_project",
    default=None,
    help="Write to the files of this working tree, or to yours (default).",
)
@click.option(
    "--no-hooks", is_flag=True, help="Add only the MCP server, without hooks that record and recall by themselves."
)
@click.option("--all-tools", is_flag=True, help="List all tools even to clients that load every definition.")
@click.option("--channel", is_flag=True, help="Notify waiting sessions of events, in clients that support channels.")
@click.option(
    "--leave-out-tool", "tools", multiple=True, help="A tool whose events the hooks never send; * matches any text."
)
@click.option("--leave-out-path", "paths", multiple=True, help="A path that the hooks never name; * matches any text.")
@server_options
@json_option
def connect(
    clients: tuple[str, ...],
    dry_run: bool,
    undo: bool,
    status: bool,
    pause: bool | None,
    in_project: bool | None,
    no_hooks: bool,
    all_tools: bool,
    channel: bool,
    tools: tuple[str, ...],
    paths: tuple[str, ...],
    url: str,
    key: str | None,
    data: Path | None,
    as_json: bool,
) -> None:
    """Connect CLIENTs to Almanac. Without names, connect all clients that are installed here.

    CLIENT is one of claude-code, claude-desktop, cursor, vscode, codex, gemini, copilot, opencode and windsurf. Each
    gets its own key. Existing entries in their files stay unchanged, and --undo removes exactly what was added. For a
    server on another machine give --url and --key.
    """
    zones = zones_here(read_settings())
    server = server_of(url, data_folder(data), zones.installation)
    machine = machine_of(server, may_write=True)
    installation = Installation(_folder_of_hooks())
    run = _Run(machine, installation, data, dry_run=dry_run, all_tools=all_tools, has_channel=channel)
    project = None if in_project is None else str(_root()) if in_project else ""
    with _writable():
        if pause is not None:
            run.installation.pause(paused=pause)
            click.echo("The hooks are paused." if pause else "The hooks are resumed.")
        elif status:
            run.show_status(as_json=as_json)
        else:
            waits = "Another almanac connect is running. This one continues when it ends."
            with nullcontext() if dry_run else installation.alone(lambda: click.echo(waits, err=True)):
                if undo:
                    run.undo(clients, project)
                    return
                if not dry_run:
                    installation.leave_out(tools, paths)
                run.connect(clients, Path(project) if project else None, url, key, with_hooks=not no_hooks)


@contextmanager
def _writable() -> Generator[None]:
    """Raise InvalidInput that names the file, if a file cannot be written because the home folder is read-only or
    full."""
    try:
        yield
    except BrokenPipeError:
        raise  # Whoever read what this command says, such as `head`, has read enough.
    except OSError as problem:
        place = problem.filename or "A file"
        hint = "Make it writable, or set HOME to a folder that is."
        raise InvalidInput(f"{place} cannot be written: {problem.strerror or problem}.", hint) from problem


class _Run:
    def __init__(
        self,
        machine: ClientMachine,
        installation: Installation,
        data: Path | None,
        *,
        dry_run: bool,
        all_tools: bool,
        has_channel: bool,
    ) -> None:
        self.installation = installation
        self._machine = machine
        self._data = data
        self._dry_run = dry_run
        self._all_tools = all_tools
        self._has_channel = has_channel
        self._failed = False
        self._silent: dict[str, KeyCheck] = {}

    def connect(
        self, clients: Sequence[str], project: Path | None, url: str, key: str | None, *, with_hooks: bool
    ) -> None:
        found = clients or [one for one in KNOWN if is_installed(one, self._machine, shutil.which)]
        if not found:
            raise InvalidInput("No client was found here.", f"Name one: {', '.join(KNOWN)}.")
        given_key = key or (None if is_here(url) else text_of("api_key"))
        if given_key is not None:
            parse_api_key(given_key)
        elif not is_here(url) and not all(self.installation.key_of(one)[0] == url for one in found):
            raise InvalidInput(f"A key of {url} is needed.", f"Give it with --key, or set {VARIABLE}.")
        with ExitStack() as opened:
            keys = None
            if given_key is None and is_here(url) and not self._dry_run:
                keys = ServerKeys(data_folder(self._data), _CLOCK)
                opened.callback(keys.close)
            for client in found:
                try:
                    self._connect(client, project, url, given_key, keys, with_hooks=with_hooks)
                except AlmanacError as problem:
                    self._fail(f"{KNOWN[client].title}: not connected. {hint(str(problem))}")
        if with_hooks:
            click.echo(_SENT)
        self._end()

    def _connect(
        self,
        client: str,
        project: Path | None,
        url: str,
        given_key: str | None,
        keys: ServerKeys | None,
        *,
        with_hooks: bool,
    ) -> None:
        title, about = KNOWN[client].title, KNOWN[client]
        if client == "claude-desktop" and not is_here(url):
            click.echo(f"{title}: add {url} under Settings > Connectors; its files can name no server elsewhere.")
            return
        known = self.installation.record().clients.get(client)
        # Some clients would run the hooks of both the user and the project for the same event.
        has_own = known is not None and known.has_hooks and bool(files_of(client, self.installation.record(), ""))
        with_hooks = with_hooks and not (project is not None and has_own)
        # Find problems with the files before a key is issued.
        plan(client, self._connection("alm_", url, project, with_hooks=with_hooks), self.installation.record())
        text, key_id = self._key(client, url, given_key, keys)
        connection = self._connection(text, url, project, with_hooks=with_hooks)
        changes = plan(client, connection, self.installation.record())
        self._show(title, changes, text)
        if self._dry_run:
            return
        has_hooks = bool(connection.command) and client not in ("claude-desktop", "vscode")
        if has_hooks:
            self.installation.install()
        self.installation.set_server(client, url, text)
        folder = str(keys.folder.path) if keys is not None else ""
        connected = ConnectedClient(
            url=url, key_id=key_id, data=folder, has_hooks=has_hooks or (project is not None and has_own)
        )
        note(client, connected, self.installation)
        apply(changes, self.installation)
        # If the server hangs, wait for it once rather than for each client.
        checked = self._silent.get(url) or check(url, text, [*connection.command, client] if has_hooks else ())
        if checked.is_silent:
            self._silent[url] = checked
        if checked.wrong:
            self._fail(f"{title}: written, but a call with its key failed. {hint(checked.wrong)}")
        else:
            click.echo(f"{title}: connected; a call with its key works.")
        steps = [about.next_steps, about.hook_steps if connection.command else ""]
        if self._has_channel and project is None:
            steps.append(about.channel_step)
        if project is not None:
            steps.append(f"Its files hold no key: set {VARIABLE} where it starts.")
        click.echo(f"  Still to do: {' '.join(step for step in steps if step)}")

    def _connection(self, key: str, url: str, project: Path | None, *, with_hooks: bool) -> Connection:
        return Connection(
            server=structs.replace(self._machine.server, url=url, key=key),
            machine=self._machine,
            command=self.installation.command if with_hooks else (),
            project=project,
            all_tools=self._all_tools,
            has_channel=self._has_channel,
        )

    def _key(self, client: str, url: str, given_key: str | None, keys: ServerKeys | None) -> tuple[str, str | None]:
        """Return the client's key, and its id if it was issued here. The existing key is kept while it works."""
        known = self.installation.record().clients.get(client)
        known_url, known_key = self.installation.key_of(client)
        if given_key is not None:
            if known is not None and known.key_id is not None and given_key != known_key and not self._dry_run:
                _revoke(known)
            return given_key, known.key_id if known is not None and given_key == known_key else None
        if keys is None:
            return (known_key, known.key_id) if known and known_url == url else ("alm_a_new_key", None)
        if known is not None and known.key_id is not None:
            if known_url == url and keys.works(known_key):
                return known_key, known.key_id
            _revoke(known)
        return keys.issue(client)

    def _show(self, title: str, changes: Sequence[FileChange], key: str) -> None:
        if not any(change.changes_text for change in changes):
            click.echo(f"{title}: nothing to change.")
        for change in changes:
            if change.changes_text:
                click.echo(difference(change, self._machine.home, [key]))
            others = [name for name in _OTHERS if change.file.data is not None and name in change.file.text]
            if others:
                click.echo(f"{title}: hooks of {', '.join(others)} record there too; each will see what is said.")

    def undo(self, clients: Sequence[str], project: str | None) -> None:
        record = self.installation.record()
        for client in clients or list(record.clients):
            title = KNOWN[client].title
            if client not in record.clients:
                click.echo(f"{title}: not connected.")
                continue
            try:
                changes = plan_undo(client, record, project)
            except AlmanacError as problem:
                self._fail(f"{title}: not undone. {problem}")
                continue
            self._show(title, changes, self.installation.key_of(client)[1])
            if not self._dry_run:
                apply(changes, self.installation)
                if not files_of(client, self.installation.record(), None):
                    self._forget(client, record.clients[client])
                click.echo(f"{title}: undone.")
        if not self._dry_run and not self.installation.record().clients:
            if waiting := self.installation.waiting_count():
                click.echo(
                    f"{waiting} batches of turns were never sent; they stay in {self.installation.folder}/queue."
                )
            self.installation.remove()
        self._end()

    def _forget(self, client: str, connected: ConnectedClient) -> None:
        _revoke(connected)
        self.installation.forget_server(client)
        note(client, None, self.installation)

    def show_status(self, *, as_json: bool) -> None:
        record = self.installation.record()
        rows: list[dict[str, Any]] = []
        silent: set[str] = set()
        for client, connected in record.clients.items():
            files = files_of(client, record, None)
            states = {path: state_of(path, record.files[path]) for path in files}
            address, key = self.installation.key_of(client)
            used = {} if not connected.has_hooks else None if address in silent else hook_usage(address, key)
            if used is None:
                silent.add(address)
            state = next((one for one in ("edited", "missing") if one in states.values()), "connected")
            rows.append(
                {
                    "client": client,
                    "state": state if used is not None else f"{state}, no answer",
                    "hooks": connected.has_hooks,
                    "sessions": (used or {}).get("sessions"),
                    "injected_tokens": (used or {}).get("injected_tokens"),
                    "last_seen": (used or {}).get("last_seen"),
                    "url": connected.url,
                    "files": states,
                }
            )
        show(rows, _COLUMNS, as_json=as_json, none="Nothing is connected: almanac connect")
        if as_json:
            return
        for row in rows:
            for path, state in row["files"].items():
                click.echo(f"  {path}: {state}")
        if self.installation.is_paused:
            click.echo("The hooks are paused; almanac connect --resume resumes them.")
        if record.clients:
            waiting, dropped = self.installation.waiting_count(), self.installation.dropped_count()
            click.echo(f"Waiting to be sent: {waiting}, dropped because the queue was full: {dropped}")

    def _fail(self, message: str) -> None:
        self._failed = True
        click.echo(message, err=True)

    def _end(self) -> None:
        if self._failed:
            raise SystemExit(1)


def _revoke(connected: ConnectedClient) -> None:
    """Revoke the key that was issued for a client, if its data folder still exists."""
    folder = data_folder(Path(connected.data))
    if connected.key_id is None or not folder.store_file.exists():
        return
    keys = ServerKeys(folder, _CLOCK)
    keys.revoke(connected.key_id)
    keys.close()


def _folder_of_hooks() -> Path:
    return data_folder(None).path / "hooks"


def _root() -> Path:
    """Return the root of the working tree that contains the current folder, or that folder outside of one."""
    return Path(project_of(str(Path.cwd()))[0])
