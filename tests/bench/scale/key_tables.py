"""Tables of heat, of turns, of the simulation, and of limits."""

from collections.abc import Iterable, Sequence

from tests.bench.page import Table
from tests.bench.scale.ceilings import Ceiling, log_wait
from tests.bench.scale.costs import WAITS, waiting_milliseconds
from tests.bench.scale.heat import Heat
from tests.bench.scale.key_skew import Outcome
from tests.bench.scale.sizes import CALLS_A_DAY, PEAK, SIZES, size_name
from tests.bench.scale.units import ToolUnits

FEW = 300
"""Calls a second; collections of many items that take more than that are left out of the table."""


def of_heat(found: Iterable[Heat]) -> Table:
    """Tabulate for each kind of key the tool that fills it first."""
    first: dict[str, Heat] = {}
    for heat in sorted(found, key=lambda heat: (heat.calls, heat.tool)):
        first.setdefault(heat.kind, heat)
    rows = [
        [
            f"`{heat.kind}`",
            f"`{heat.tool}`",
            f"{heat.written:.3g}",
            f"{heat.read:.3g}",
            f"{heat.calls:,.0f}",
            heat.shape,
        ]
        for heat in first.values()
        if heat.calls <= FEW or heat.shape != "many items"
    ]
    return Table(
        "What is full first",
        "Units that a call puts on one partition key, and the calls a second, all of one project, with which one "
        "partition is full. Many items are split further, one item and what is appended are not.",
        ["partition key", "by", "write", "read", "calls/s", "made of"],
        rows,
    )


def of_turns(counted: Sequence[ToolUnits]) -> Table:
    """Tabulate how long writers of the same thing wait for each other. The audit trail is written after that."""
    by_tool = {one.tool: one for one in counted}
    booked = by_tool["book_slot"].next
    rows = [
        _turn(
            "bookings in one calendar",
            "its version is read, then written if it is unchanged",
            waiting_milliseconds(booked.charges["door"]) - WAITS["write"],
        ),
        _turn("cards into one column of a board", "its count is in the transaction", WAITS["transaction"]),
        _turn(
            "events of one project in the live feed",
            "its queue hands on one message of a group at a time",
            log_wait(booked),
        ),
    ]
    return Table(
        "Turns",
        "Long before a partition is full, writers of one thing wait for each other.",
        ["", "because", "ms each", "a second"],
        rows,
    )


def _turn(what: str, because: str, milliseconds: float) -> list[str]:
    return [what, because, f"{milliseconds:g}", f"{1000 / milliseconds:.0f}"]


def of_skew(outcomes: Iterable[Outcome]) -> Table:
    rows = [
        [
            size_name(one.tenants),
            f"{one.exponent:g}",
            f"{one.calls:,.0f}",
            f"{one.largest:,.1f}",
            f"{one.whole.written:,.0f} / {one.whole.read:,.0f}",
            f"{one.partitions[0]:,} / {one.partitions[1]:,}",
            f"`{one.hottest}` {one.heat:.1%}",
            f"{_part(one.throttled[0])} / {_part(one.throttled[1])}",
            str(one.suffering),
        ]
        for one in outcomes
    ]
    return Table(
        "An hour of skewed traffic",
        f"{CALLS_A_DAY} calls a day of the average tenant; the busiest hour, {PEAK} times as busy as the average one, "
        "begins at once. Units a second, written and read. Partitions at the beginning and at the end. The hottest key "
        "of the busiest tenant that cannot be split, as a part of what one partition serves. Throttled: calls of which "
        "a request was turned away, in the first five minutes and in the last five, and how many tenants suffer then.",
        ["tenants", "Zipf", "calls/s", "busiest", "units/s", "partitions", "hottest key", "throttled", "of tenants"],
        rows,
    )


def _part(value: float) -> str:
    return "0" if not value else f"{value:.2%}"


def of_ceilings(found: Sequence[Ceiling]) -> str:
    first = sorted(found, key=lambda one: -one.used(SIZES[-1]))
    rows = [
        [one.what, f"{one.quota:,g} {one.unit}".strip(), *(_used_cell(one.used(tenants)) for tenants in SIZES)]
        for one in first
    ]
    table = Table(
        "What breaks first",
        "The busiest hour's demand as a part of the default quota; above 100 % it is reached.",
        ["limit", "default", *(f"{size_name(tenants)} tenants" for tenants in SIZES)],
        rows,
    )
    reached = [[one.what for one in first if one.used(tenants) > 1] for tenants in SIZES]
    said = [
        f"Reached with {size_name(tenants)} tenants: {'; '.join(whats) or 'nothing'}."
        for tenants, whats in zip(SIZES, reached, strict=True)
    ]
    return "\n\n".join((table.markdown(), *said))


def _used_cell(part: float) -> str:
    if part > 1:
        return f"**{part:,.0%}**" if part < 1000 else f"**{part:,.0f} x**"
    return f"{part:.1%}" if part >= 0.001 else "< 0.1%"
