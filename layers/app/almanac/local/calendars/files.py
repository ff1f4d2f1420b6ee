"""Reports of calendar imports and exports, for the terminal and as JSON."""

from collections.abc import Iterator
from typing import Any

from almanac.families.calendar.accounts.exchange import CalendarExport, ImportReport

_SHOWN = 50


def report_details(report: ImportReport) -> dict[str, Any]:
    return {name: list(getattr(report, name)) for name in ("problems", "partial", "left_out", "dense")}


def report_lines(report: ImportReport) -> Iterator[str]:
    """Yield what the counts of an import do not tell, as lines for people. Each list is cut after 50 lines."""
    yield from _first(report.problems)
    yield from _first(report.partial)
    yield from _first(tuple(f"Too large to be kept of {one}" for one in report.left_out))
    yield from _first(
        tuple(f'"{one}" repeats too often to be written out: all of its time is taken.' for one in report.dense)
    )


def export_details(exported: CalendarExport) -> dict[str, Any]:
    return {name: list(getattr(exported, name)) for name in ("partial", "left_out")}


def export_lines(exported: CalendarExport) -> Iterator[str]:
    """Yield lines that name what is missing from an exported file."""
    yield from _first(exported.partial)
    yield from _first(tuple(f"Not in the file, because it was not kept, of {one}" for one in exported.left_out))


def _first(lines: tuple[str, ...]) -> Iterator[str]:
    yield from lines[:_SHOWN]
    if len(lines) > _SHOWN:
        yield f"... and {len(lines) - _SHOWN} more"
