"""Write files atomically, and replace existing ones only with `force`."""

import os
import tempfile
from pathlib import Path

from almanac.kernel.errors import Conflict, InvalidInput


def check_target(file: Path, *, force: bool) -> None:
    """Raise Conflict if the file exists, unless `force` is true."""
    if file.exists() and not force:
        raise Conflict(f"{file} already exists.", "Choose another name, or write over it with --force.")


def write_file(file: Path, data: bytes, *, force: bool) -> None:
    """Write the file atomically. Raises Conflict if `force` is false and another process has created the file
    meanwhile, and InvalidInput if it cannot be written."""
    try:
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name[:40]}.")
    except OSError as problem:
        raise _not_written(file, problem) from problem
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as target:
            target.write(data)
            target.flush()
            os.fsync(target.fileno())
        temporary.chmod(_mode(file))
        if force:
            temporary.replace(file)
        else:
            os.link(temporary, file)
    except FileExistsError:
        check_target(file, force=False)
        raise
    except OSError as problem:
        raise _not_written(file, problem) from problem
    finally:
        temporary.unlink(missing_ok=True)


def _mode(file: Path) -> int:
    """Return the permissions of the file to replace, or those that a new file of this user gets."""
    if file.exists():
        return file.stat().st_mode & 0o777
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def _not_written(file: Path, problem: OSError) -> InvalidInput:
    return InvalidInput(f"{file} cannot be written: {problem.strerror or problem}.", "Choose another place.")
