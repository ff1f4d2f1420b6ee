"""What may not get worse. Limits that depend on the machine stand beside ratios that do not."""

from dataclasses import dataclass

from engines_compared import ALMANAC, EXPAND, ByInput, middle
from fresh_process import Subject
from messages import HANDSHAKE
from page import Table
from serving import AWSLABS, BARE, ENDPOINT, SDK, TIME, Figures


@dataclass(frozen=True)
class Budget:
    what: str
    measured: float
    limit: float
    unit: str

    @property
    def kept(self) -> bool:
        return self.measured <= self.limit


def of_serving(cold: Figures, warm: Figures) -> list[Budget]:
    request = f"call {HANDSHAKE}"
    imported = cold[TIME]["import_ms"]
    call = warm[ENDPOINT][request]
    return [
        Budget("import of the time function", imported, 100, "ms of CPU"),
        Budget("memory of the time function", cold[TIME]["called_mb"], 30, "MB"),
        Budget("import, as a part of awslabs' handler's", imported / cold[AWSLABS]["import_ms"], 1, "times"),
        Budget("import, as a part of the official SDK's", imported / cold[SDK]["import_ms"], 0.25, "times"),
        Budget("`tools/call` over the plain function", call - warm[BARE][request], 15, "µs"),
        Budget("`tools/call`, as a part of the official SDK's", call / warm[SDK][request], 0.25, "times"),
    ]


def of_engines(resolve: dict[Subject, ByInput], expand: dict[Subject, ByInput]) -> list[Budget]:
    slowest = max(one["us"] for one in expand[EXPAND[0]].values())
    return [
        Budget("median `resolve_datetime`", middle(resolve[ALMANAC]), 60, "µs"),
        Budget("slowest `expand_rrule`, endless rules included", slowest / 1000, 50, "ms"),
    ]


def table(budgets: list[Budget]) -> Table:
    rows = [
        [one.what, f"{one.measured:.3g}", f"{one.limit:g}", one.unit, "kept" if one.kept else "**broken**"]
        for one in budgets
    ]
    return Table("Budgets", "`make bench` fails when one is broken.", ["", "measured", "limit", "unit", ""], rows)
