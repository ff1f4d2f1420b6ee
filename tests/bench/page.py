"""Tables into a page between its two markers, with the facts of the machine they come from."""

import os
import platform
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

END = "<!-- end of figures -->"


@dataclass(frozen=True)
class Table:
    title: str
    note: str
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        lines = [f"### {self.title}", "", self.note, "", _row(self.header)]
        lines.append(_row(["---", *["---:"] * (len(self.header) - 1)]))
        return "\n".join([*lines, *map(_row, self.rows)])


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def figures(tables: Iterable[Table], date: str) -> str:
    return "\n\n".join([f"Measured {date} on {machine()}.", *(table.markdown() for table in tables)])


def machine() -> str:
    return f"{_processor()}, {os.cpu_count()} CPUs, {platform.system()}, Python {platform.python_version()}"


def write(path: Path, text: str, name: str = "make bench") -> None:
    """Puts what `make bench` found into the page, between the markers of that name."""
    path.write_text(fill_page(path.read_text(encoding="utf-8"), name, text), encoding="utf-8")


def fill_page(page: str, name: str, text: str) -> str:
    """The page with `text` between its markers of that name. SystemExit where it has none."""
    begin = f"<!-- figures: {name} -->"
    before, found, rest = page.partition(begin)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        raise SystemExit(f"The page needs the lines {begin} and {END}.")
    return f"{before}{begin}\n\n{text}\n\n{END}{after}"


def _processor() -> str:
    with open("/proc/cpuinfo", encoding="utf-8") as facts:
        names = [line.partition(":")[2].strip() for line in facts if line.startswith("model name")]
    return names[0] if names else platform.machine()


def us(value: float) -> str:
    return f"{value:,.1f}" if value < 100 else f"{value:,.0f}"


def times(value: float, baseline: float) -> str:
    """How many times ours another's figure is."""
    ratio = value / baseline
    return f"{ratio:.2g} x" if ratio < 10 else f"{ratio:.0f} x"
