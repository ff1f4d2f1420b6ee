"""Calendars in files: reports of an import and an export, and writing the file."""

import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from almanac.families.calendar.accounts.exchange import Exported, ImportReport
from almanac.kernel.errors import Conflict, InvalidInput

_SHOWN = 50


def report_details(report: ImportReport) -> dict[str, Any]:
    return {name: list(getattr(report, name)) for name in ("problems", "partial", "left_out", "dense")}


def report_lines(report: ImportReport) -> Iterator[str]:
    """The lines for a person besides the counts, each list up to 50 lines."""
    yield from _first(report.problems)
    yield from _first(report.partial)
    yield from _first(tuple(f"Too large to be kept of {one}" for one in report.left_out))
    yield from _first(
        tuple(f'"{one}" repeats too often to be written out: all of its time is taken.' for one in report.dense)
    )


def export_details(exported: Exported) -> dict[str, Any]:
    return {name: list(getattr(exported, name)) for name in ("partial", "left_out")}


def export_lines(exported: Exported) -> Iterator[str]:
    """What the file does not hold."""
    yield from _first(exported.partial)
    yield from _first(tuple(f"Not in the file, because it was not kept, of {one}" for one in exported.left_out))


def check_target(file: Path, *, force: bool) -> None:
    """Raises Conflict for a file that is there already."""
    if file.exists() and not force:
        raise Conflict(f"{file} is there already.", "Choose another name, or write over it with --force.")


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


def _first(lines: tuple[str, ...]) -> Iterator[str]:
    yield from lines[:_SHOWN]
    if len(lines) > _SHOWN:
        yield f"... and {len(lines) - _SHOWN} more"
