"""Tables of calls' store units and costs."""

from collections.abc import Sequence

from tests.bench.page import Table
from tests.bench.scale import prices
from tests.bench.scale.besides import Besides
from tests.bench.scale.costs import (
    PLATFORM_LOG_BYTES,
    QUEUED,
    TOGETHER,
    VCPU_MB,
    WAITS,
    Bill,
    bill,
    mix_bills,
    units,
    waiting_milliseconds,
    weights,
)
from tests.bench.scale.measured import Measurement
from tests.bench.scale.typical_calls import AT_PROVIDERS
from tests.bench.scale.units import ToolUnits


def by_family(counted: Sequence[ToolUnits], measured: Measurement) -> Table:
    share = weights(counted)
    rows: list[list[str]] = []
    for family in dict.fromkeys(one.family for one in counted):
        own = [one for one in counted if one.family == family]
        quiet = {one.tool: bill(one.tool, one.next, measured) for one in own}
        busy = mix_bills({one.tool: bill(one.tool, one.next, measured, TOGETHER) for one in own}, share)
        cold = mix_bills({one.tool: bill(one.tool, one.first, measured) for one in own}, share)
        whole = mix_bills(quiet, share)
        rows.append([f"**{family}**", *_dollars(whole), f"{busy.total:.2f}", f"{cold.total:.2f}"])
    return Table(
        "Dollars per million calls, by family",
        "Four calls that read to one that changes something, the tools of a kind alike, each event carried on by "
        "itself. The last two columns are totals: events carried on ten at a time; functions that remember nothing of "
        "the calendar or the key.",
        ["", "API", "functions", "store", "queues", "bus", "logs", "total", "busy", "nothing remembered"],
        rows,
    )


def _dollars(one: Bill) -> list[str]:
    parts = (one.api, one.functions, one.store, one.queues, one.bus, one.logs, one.total)
    return [f"{part:.2f}" for part in parts]


def by_tool(counted: Sequence[ToolUnits], measured: Measurement) -> Table:
    rows: list[list[str]] = []
    for one in counted:
        first, door = units(one.first.charges["door"]), units(one.next.charges["door"])
        behind = units(charge for part in QUEUED for charge in one.next.charges[part])
        requests = len({charge.request for charge in one.next.charges["door"]})
        rows.append(
            [
                f"`{one.tool}`",
                one.family,
                str(requests),
                str(waiting_milliseconds(one.next.charges["door"])),
                f"{first[0]:g}",
                f"{door[0]:g}",
                str(door[1]),
                f"{behind[0]:g} / {behind[1]}" if one.next.events else "",
                f"{bill(one.tool, one.next, measured).total:.2f}",
            ]
        )
    return Table(
        "Each tool",
        "Requests to the store and milliseconds of waiting for them; read units on the first call of a function and on "
        "the next one; write units, with the audit trail and the outbox; what its event takes behind the stream, read "
        "/ written; dollars per million calls with everything.",
        ["", "family", "requests", "ms", "read first", "read", "written", "event", "dollars"],
        rows,
    )


def of_besides(found: Sequence[Besides]) -> Table:
    rows = [[one.what, f"{one.read:g}", f"{one.written:g}", f"{one.dollars:.2f}"] for one in found]
    return Table(
        "Besides, where it applies",
        "Units and dollars, per million of what the line names.",
        ["a million times", "read", "written", "dollars"],
        rows,
    )


def basis(measured: Measurement, megabytes: float) -> str:
    """Return a paragraph about the basis of the figures."""
    waits = ", ".join(f"{kind} {milliseconds}" for kind, milliseconds in WAITS.items())
    stored = megabytes * (prices.STORED_GB_MONTH + prices.RECOVERABLE_GB_MONTH)
    return (
        f"Prices as published for us-east-1 on {prices.AS_OF}. CPU times measured {measured.date} on "
        f"{measured.machine}, charged at {VCPU_MB} MB to the processor; {measured.log_bytes} bytes of log from a call, "
        f"{PLATFORM_LOG_BYTES} from an invocation. Milliseconds that DynamoDB is assumed to take: {waits}. "
        f"A filled tenant holds {megabytes} MB: a thousand of them are ${stored:.2f} a month, with "
        f"point-in-time recovery. Not counted, as it works only at a provider: {', '.join(sorted(AT_PROVIDERS))}."
    )
