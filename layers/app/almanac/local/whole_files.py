"""Files that are written whole or not at all, and over what is there only where that is asked for."""

import os
import tempfile
from pathlib import Path

from almanac.kernel.errors import Conflict, InvalidInput


def check_target(file: Path, *, force: bool) -> None:
    """Raises Conflict for a file that is there already."""
    if file.exists() and not force:
        raise Conflict(f"{file} already exists.", "Choose another name, or write over it with --force.")


def write_file(file: Path, data: bytes, *, force: bool) -> None:
    """Whole or not at all. Raises Conflict where the file came to be meanwhile."""
    try:
        handle, name = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name[:40]}.")
    except OSError as problem:
        raise _not_written(file, problem) from problem
    made = Path(name)
    try:
        with os.fdopen(handle, "wb") as target:
            target.write(data)
            target.flush()
            os.fsync(target.fileno())
        made.chmod(_mode(file))
        if force:
            made.replace(file)
        else:
            os.link(made, file)
    except FileExistsError:
        check_target(file, force=False)
        raise
    except OSError as problem:
        raise _not_written(file, problem) from problem
    finally:
        made.unlink(missing_ok=True)


def _mode(file: Path) -> int:
    """Of the file that it replaces, else as any new file of this user."""
    if file.exists():
        return file.stat().st_mode & 0o777
    mask = os.umask(0o077)
    os.umask(mask)
    return 0o666 & ~mask


def _not_written(file: Path, problem: OSError) -> InvalidInput:
    return InvalidInput(f"{file} cannot be written: {problem.strerror or problem}.", "Choose another place.")
