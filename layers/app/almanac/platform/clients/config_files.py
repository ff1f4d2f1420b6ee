"""Safe reading and replacing of a user's configuration files. A file is replaced with a backup, or not at all."""

import os
import stat
import tempfile
from datetime import datetime
from glob import escape
from pathlib import Path

from msgspec import Struct

from almanac.kernel.errors import Conflict, InvalidInput

MOST_BYTES = 5_000_000
_NEW_MODE = 0o600
_BOM = "\ufeff"


class ConfigurationFile(Struct, frozen=True):
    """A configuration file. `path` has its symbolic links resolved. `data` is None if the file does not exist."""

    path: Path
    data: bytes | None

    @property
    def text(self) -> str:
        """Return the content as text. Raises InvalidInput if it is not UTF-8."""
        try:
            return (self.data or b"").decode().removeprefix(_BOM)
        except UnicodeDecodeError:
            raise InvalidInput(f"{self.path} is not UTF-8, so it was left alone.", "Repair it first.") from None


def read(path: Path) -> ConfigurationFile:
    """Read a configuration file. Raises InvalidInput if it is not a file, unreadable or too large."""
    try:
        real = Path(os.path.realpath(path, strict=os.path.lexists(path)))
        if not os.path.lexists(real):
            return ConfigurationFile(real, None)
        found = real.stat()
        if not stat.S_ISREG(found.st_mode):
            raise InvalidInput(f"{path} is not a file.", "Move it away, or paste the configuration by hand.")
        if found.st_size > MOST_BYTES:
            raise InvalidInput(
                f"{path} has {found.st_size} bytes, over {MOST_BYTES}.", "Paste the configuration by hand."
            )
        with real.open("rb") as file:
            return ConfigurationFile(real, file.read(MOST_BYTES + 1)[:MOST_BYTES])
    except OSError as problem:
        raise _unusable_file(path, problem) from problem


def check_writable(file: ConfigurationFile) -> None:
    """Raise InvalidInput if the file, or the folder for a new one, is read-only.

    A rename could replace a read-only file, but its owner does not want that.
    """
    try:
        if file.data is not None and not file.path.stat().st_mode & 0o222:
            raise InvalidInput(f"{file.path} is read-only, so it was left alone.", "Make it writable first.")
    except OSError as problem:
        raise _unusable_file(file.path, problem) from problem
    folder = next(one for one in file.path.parents if one.exists())
    if not os.access(folder, os.W_OK):
        raise InvalidInput(f"{folder} is read-only, so {file.path} was left alone.", "Make it writable first.")


def replace(file: ConfigurationFile, text: str, at: datetime) -> Path | None:
    """Replace the content of the file, as a whole or not at all. Return the path of the backup, None for a new file.

    Raises Conflict if another program changed the file since it was read, InvalidInput if it cannot be written.
    """
    check_writable(file)
    try:
        backup = None if file.data is None else _back_up(file, stat.S_IMODE(file.path.stat().st_mode), at)
    except OSError as problem:
        raise _unusable_file(file.path, problem) from problem
    try:
        put(file, text)
    except BaseException:
        if backup is not None:
            backup.unlink(missing_ok=True)
        raise
    return backup


def put(file: ConfigurationFile, text: str) -> None:
    """Replace the content of the file without a backup, as a whole or not at all. Keeps its mode.

    Raises InvalidInput if the file cannot be written.
    """
    check_writable(file)
    has_bom = file.data is not None and file.data.startswith(_BOM.encode())
    try:
        file.path.parent.mkdir(parents=True, exist_ok=True)
        mode = stat.S_IMODE(file.path.stat().st_mode) if file.data is not None else _NEW_MODE
        _put(file, (_BOM if has_bom else "").encode() + text.encode(), mode)
    except OSError as problem:
        raise _unusable_file(file.path, problem) from problem


def clear_unfinished(path: Path) -> None:
    """Delete unfinished copies that a killed process left beside the file. No other process may write it meanwhile."""
    try:
        for left in path.parent.glob(f"{escape(_temporary_prefix(path))}*"):
            left.unlink(missing_ok=True)
    except OSError as problem:
        raise _unusable_file(path, problem) from problem


def _temporary_prefix(path: Path) -> str:
    """Return the prefix for the names of temporary files that are used while writing the file."""
    return f".{path.name[:40]}.almanac-"


def _back_up(file: ConfigurationFile, mode: int, at: datetime) -> Path:
    """Copy the file to an unused name, and return its path."""
    stem = f"{file.path.name}.backup-{at:%Y%m%dT%H%M%S}"
    for number in range(100):
        path = file.path.with_name(stem if not number else f"{stem}-{number}")
        try:
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _NEW_MODE)
        except FileExistsError:
            continue
        with os.fdopen(handle, "wb") as copy:
            copy.write(file.data or b"")
        path.chmod(mode)
        return path
    raise FileExistsError(f"{stem} and a hundred others are there")


def _put(file: ConfigurationFile, data: bytes, mode: int) -> None:
    handle, written = tempfile.mkstemp(dir=file.path.parent, prefix=_temporary_prefix(file.path))
    try:
        with os.fdopen(handle, "wb") as copy:
            copy.write(data)
            copy.flush()
            os.fsync(copy.fileno())
        Path(written).chmod(mode)
        if read(file.path).data != file.data:
            raise Conflict(f"{file.path} was changed at the same time, so it was left alone.", "Repeat the call.")
        os.replace(written, file.path)
    finally:
        Path(written).unlink(missing_ok=True)


def _unusable_file(path: Path, problem: OSError) -> InvalidInput:
    return InvalidInput(
        f"{path} cannot be used: {problem.strerror or type(problem).__name__}. It was left alone.",
        "See who may read and write it, or paste the configuration by hand.",
    )
