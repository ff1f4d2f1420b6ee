"""Plan changes of clients' files, apply them, and undo them."""

import difflib
import os
from collections.abc import Iterable
from pathlib import Path

import msgspec
from msgspec import Struct, structs

from almanac.kernel.errors import AlmanacError
from almanac.local.connect.clients import Connection, DesiredFile, desired_files
from almanac.local.connect.config_entries import EditedByHand, NotEditable, OwnedPieces, add, digest, has_all, remove
from almanac.local.connect.installation import ConnectedClient, Installation, OwnedFile, Record
from almanac.platform.clients.config_files import ConfigurationFile, check_writable, clear_unfinished, put, read
from almanac.platform.clients.places import display_path


class Problem(AlmanacError):
    """Raised if a client's file cannot be changed safely. None of the client's files is changed then."""


class FileChange(Struct, frozen=True):
    """A planned change of a file. `after` is None to delete the file. `owned` is None if nothing of Almanac's remains
    in it."""

    path: Path
    file: ConfigurationFile
    after: str | None
    owned: OwnedFile | None

    @property
    def changes_text(self) -> bool:
        if self.file.data is None or self.after is None:
            return (self.file.data is None) != (self.after is None)
        return self.after != self.file.text


def plan(client: str, connection: Connection, record: Record) -> list[FileChange]:
    """Return the changes that connect the client. Raises Problem if a user has edited Almanac's entries in a file, or
    if a file cannot be edited without losing something."""
    targets = desired_files(client, connection)
    project = str(connection.project or "")
    found = [_connect_file(client, project, target, record.files.get(str(target.file))) for target in targets]
    target_paths = {str(target.file) for target in targets}
    left = [path for path in files_of(client, record, project) if path not in target_paths]
    return _writable([*(one for one in found if one is not None), *(_disconnect_file(path, record) for path in left)])


def plan_undo(client: str, record: Record, project: str | None) -> list[FileChange]:
    """Return the changes that remove everything of Almanac's from the client's files. Raises Problem."""
    return _writable([_disconnect_file(path, record) for path in files_of(client, record, project)])


def _writable(changes: list[FileChange]) -> list[FileChange]:
    """Return the changes after checking that every file is writable, so that none fails after others were made. Raises
    InvalidInput."""
    for change in changes:
        if change.changes_text:
            check_writable(change.file)
    return changes


def files_of(client: str, record: Record, project: str | None) -> list[str]:
    """Return the paths of the client's files in `project`. "" selects the user's own files, and None selects all."""
    files = ((path, one) for path, one in record.files.items() if one.client == client)
    return [path for path, one in files if project is None or one.project == project]


def apply(changes: Iterable[FileChange], installation: Installation) -> None:
    """Apply the changes. Almanac's pieces are recorded before they are written, so that an interrupted change can be
    undone."""
    emptied: list[str] = []
    for change in changes:
        record = installation.record()
        files = dict(record.files)
        if change.owned is not None:
            files[str(change.path)] = structs.replace(change.owned, folders=_folders(change))
            installation.save(structs.replace(record, files=files))
        clear_unfinished(change.file.path)
        if change.after is None:
            change.file.path.unlink(missing_ok=True)
            emptied += record.files[str(change.path)].folders
        elif change.changes_text:
            put(change.file, change.after)
        if change.owned is None:
            files.pop(str(change.path), None)
            installation.save(structs.replace(record, files=files))
    _remove_folders(emptied, installation)


def note(client: str, connected: ConnectedClient | None, installation: Installation) -> None:
    """Record how the client is connected. None removes the client from the record."""
    record = installation.record()
    clients = {name: one for name, one in record.clients.items() if name != client}
    if connected is not None:
        clients[client] = connected
    installation.save(structs.replace(record, clients=clients))


def difference(change: FileChange, home: Path, secrets: Iterable[str]) -> str:
    """Return the change as a unified diff, with keys masked."""
    name = display_path(change.path, home)
    before = "" if change.file.data is None else change.file.text
    after = change.after or ""
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"{name} (now)", f"{name} (then)"
    )
    text = "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)
    for secret in secrets:
        if secret:
            text = text.replace(secret, f"{secret[:8]}...")
    return text


def state_of(path: str, owned: OwnedFile) -> str:
    """Return "connected", "edited" or "missing", comparing the file with what Almanac wrote."""
    try:
        file = read(Path(path))
        if file.data is None:
            return "missing"
        if has_all(file.text, owned.owned):
            return "connected"
        if owned.owned.format != "whole" and remove(file.text, owned.owned) == file.text:
            return "missing"
    except (AlmanacError, NotEditable, EditedByHand):
        return "edited"
    return "edited"


def _connect_file(client: str, project: str, target: DesiredFile, known: OwnedFile | None) -> FileChange | None:
    file = read(target.file)
    text = file.text
    target_digest = digest(msgspec.json.encode([target.entries, target.text]).decode())
    if known is not None and known.wanted == target_digest and file.data is not None and has_all(text, known.owned):
        return None
    base = text
    if known is not None and file.data is not None:
        base = _remove_pieces(target.file, text, known)
    is_made = file.data is None or (known is not None and known.is_made and not base.strip())
    if target.format == "whole":
        if file.data is not None and known is None and text != target.text:
            raise Problem(f"{target.file} already exists, and another program wrote it.", "Move it away first.")
        after, owned = target.text, OwnedPieces(format="whole", before="", digest=digest(target.text))
    else:
        try:
            after, owned = add(base, target.format, target.entries)
        except NotEditable as problem:
            raise Problem(
                f"{target.file} was left as it is: {problem}.", "Change it by hand, then connect again."
            ) from None
    folders = known.folders if known is not None else ()
    owned_file = OwnedFile(
        client=client, project=project, wanted=target_digest, owned=owned, is_made=is_made, folders=folders
    )
    return FileChange(target.file, file, after, owned_file)


def _disconnect_file(path: str, record: Record) -> FileChange:
    known, file = record.files[path], read(Path(path))
    after = None if file.data is None else _remove_pieces(Path(path), file.text, known)
    return FileChange(Path(path), file, None if not after and known.is_made else after, None)


def _remove_pieces(path: Path, text: str, known: OwnedFile) -> str:
    try:
        return remove(text, known.owned)
    except EditedByHand as edited:
        raise Problem(
            f"{path} was left as it is: what Almanac wrote there was edited since. It is now:\n{edited}",
            "Remove it by hand, or put it back as it was.",
        ) from None
    except NotEditable as problem:
        raise Problem(f"{path} was left as it is: {problem}.", "Repair it, then try again.") from None


def _folders(change: FileChange) -> tuple[str, ...]:
    """Return the folders that were created for the file. Folders of earlier changes come first, then those still to be
    created, the outermost first."""
    known = change.owned.folders if change.owned is not None else ()
    missing: list[str] = []
    folder = change.file.path.parent
    while not os.path.lexists(folder):
        missing.append(str(folder))
        folder = folder.parent
    return (*known, *(one for one in reversed(missing) if one not in known))


def _remove_folders(made_folders: Iterable[str], installation: Installation) -> None:
    """Remove the folders that were created for files that are now deleted. A folder that still holds another of
    Almanac's files is recorded for that file instead, and removed with it."""
    record = installation.record()
    files = dict(record.files)
    for folder in sorted(set(made_folders), key=len, reverse=True):
        try:
            Path(folder).rmdir()
        except OSError:
            heir = next((path for path in files if Path(path).is_relative_to(folder)), None)
            if heir is not None and folder not in files[heir].folders:
                files[heir] = structs.replace(files[heir], folders=(folder, *files[heir].folders))
    if files != record.files:
        installation.save(structs.replace(record, files=files))
