"""What may not get worse. Limits that depend on the machine stand beside ratios that do not."""

from collections.abc import Mapping
from dataclasses import dataclass

import calendar_speed
import calendar_tokens
import code_compared
import laptop
import package_sizes
import search_speed
from emulated_functions import AWSLABS as EMULATED_AWSLABS
from emulated_functions import SDK as EMULATED_SDK
from emulated_functions import SEARCHING, SESSIONS, SIGN_IN, STORING
from emulated_functions import TIME as EMULATED_TIME
from emulated_lambda import Figures as Emulated
from engines_compared import ALMANAC, EXPAND, ByInput, middle
from fresh_process import Subject
from messages import HANDSHAKE
from page import Table
from servers_compared import AWSLABS, BARE, ENDPOINT, HUB, SDK, TIME, Figures


@dataclass(frozen=True)
class Budget:
    what: str
    measured: float
    limit: float
    unit: str

    @property
    def is_kept(self) -> bool:
        return self.measured <= self.limit


def serving_budgets(cold: Figures, warm: Figures) -> list[Budget]:
    request, listing = f"call {HANDSHAKE}", f"list {HANDSHAKE}"
    imported = cold[TIME]["import_ms"]
    call, bare = warm[ENDPOINT][request], warm[BARE][request]
    over, sdk_over = warm[TIME][request] - bare, warm[SDK][request] - bare
    return [
        Budget("import of the time function", imported, 100, "ms of CPU"),
        Budget("memory of the time function", cold[TIME]["called_mb"], 30, "MB"),
        Budget("import, as a part of awslabs' handler's", imported / cold[AWSLABS]["import_ms"], 1, "times"),
        Budget("import, as a part of the official SDK's", imported / cold[SDK]["import_ms"], 0.25, "times"),
        Budget("`tools/call` over the plain function", call - bare, 15, "µs"),
        Budget("`tools/call`, as a part of the official SDK's", call / warm[SDK][request], 0.25, "times"),
        Budget("the time function's, telemetry included, over the plain function", over, 45, "µs"),
        Budget(
            "the same, as a part of what the official SDK without telemetry is over it", over / sdk_over, 0.75, "times"
        ),
        Budget("`tools/list` of the hub function", warm[HUB][listing], 60, "µs"),
        Budget(
            "the same, as a part of the official SDK's nine tools",
            warm[HUB][listing] / warm[SDK][listing],
            0.2,
            "times",
        ),
    ]


def of_engines(resolve: dict[Subject, ByInput], expand: dict[Subject, ByInput]) -> list[Budget]:
    slowest = max(one["us"] for one in expand[EXPAND[0]].values())
    return [
        Budget("median `resolve_datetime`", middle(resolve[ALMANAC]), 60, "µs"),
        Budget("slowest `expand_rrule`, endless rules included", slowest / 1000, 50, "ms"),
    ]


def of_laptop(figures: laptop.Figures) -> list[Budget]:
    base, call = figures[laptop.BASE]["cpu_us"], figures[laptop.CALLS]["cpu_us"]
    crowded, alone = figures[laptop.CROWDED]["p99_ms"], figures[laptop.ALONE]["p99_ms"]
    return [
        Budget("a call of the laptop's server, as so many of /health", call / base, 10, "times"),
        # /health asks for no key and no thread: beside it a claim is measured by what every call takes.
        Budget(
            "a claim that 15 others contend for, as so many calls", figures[laptop.CLAIMS]["cpu_us"] / call, 4, "times"
        ),
        Budget("p99 of one tenant beside another's crowd, over alone", crowded - alone, 250, "ms"),
    ]


def of_calendar(figures: calendar_speed.Figures) -> list[Budget]:
    free, booking = figures[calendar_speed.FREE], figures[calendar_speed.BOOK]
    by_dateutil, bare = figures[calendar_speed.BY_DATEUTIL], figures[calendar_speed.BARE_BOOKING]
    return [
        Budget("free slots of a year of 5,000 events", free.p50, 30, "ms"),
        # dateutil has the events in memory; of ours, reading and decoding 5,000 entries is a part.
        Budget("the same for a new process, as a part of dateutil's", free.first / by_dateutil.first, 0.6, "times"),
        Budget("median `book_slot`", booking.p50, 3, "ms"),
        # A booking writes three rows fewer than it did, so that the bare ones take 0.06 ms instead of 0.09.
        Budget("the same beside its rows in bare sqlite3", booking.p50 / bare.p50, 20, "times"),
    ]


def of_counts(costs: dict[str, calendar_speed.Cost], tokens: calendar_tokens.Counts) -> list[Budget]:
    most = max(tokens)
    return [
        Budget("write units of a booking", costs[calendar_speed.BOOK].written, 8, "units"),
        Budget(
            f"tokens of {most} events as TOON, as a part of JSON's",
            1 - calendar_tokens.saved_part(tokens[most]["o200k_base"]),
            0.85,
            "times",
        ),
    ]


def of_lambda(emulated: dict[str, Emulated]) -> list[Budget]:
    cold = {title: of.median_cold for title, of in emulated.items()}
    time, storing = cold[EMULATED_TIME], max(cold[title] for title in STORING)
    searching = cold[SEARCHING]
    return [
        Budget("cold start of the time function, emulated", time, 120, "ms"),
        Budget("the same, as a part of awslabs' handler's", time / cold[EMULATED_AWSLABS], 1, "times"),
        Budget("the same, as a part of the official SDK's behind Mangum", time / cold[EMULATED_SDK], 0.5, "times"),
        Budget("slowest cold start of a family in the store, emulated", storing, 350, "ms"),
        Budget(
            "the same, as a part of the official SDK's, which has no store", storing / cold[EMULATED_SDK], 1, "times"
        ),
        Budget("cold start of a function that ranks by meaning, emulated", searching, 1000, "ms"),
        Budget("the same, as a part of the slowest family's that reads the store", searching / storing, 4, "times"),
    ]


COLD_LIMITS = {
    **dict.fromkeys(("**hub**", "**calendar**", "**planner**", "**knowledge**", "**skills**", "**team**"), 1.0),
    **dict.fromkeys(("**memory**", "**context**", "**code**"), 1.15),
    SEARCHING: 1.3,
}


def of_starts(cpu: Mapping[str, float]) -> list[Budget]:
    """By the processor time of cold starts, which another program takes little of."""
    return [
        Budget(
            "cold start of sign-in, as a part of the time function's", cpu[SIGN_IN] / cpu[EMULATED_TIME], 1.3, "times"
        ),
        *(
            Budget(
                f"cold start of {title.replace('*', '')}, as a part of awslabs' with its sessions in DynamoDB",
                cpu[title] / cpu[SESSIONS],
                limit,
                "times",
            )
            for title, limit in COLD_LIMITS.items()
        ),
    ]


def of_search(figures: dict[str, search_speed.Figures]) -> list[Budget]:
    """Ratios to SQLite's own full-text search, for milliseconds depend on the machine.

    OpenSearch's node collects its garbage on the processors of the client: that decides its p95, and its median says
    what a search takes.
    """
    limits = [
        (search_speed.SQLITE, 0.95, 0.5),
        (search_speed.OPENSEARCH, 0.5, 1.0),
        (search_speed.OPENSEARCH, 0.95, 1.5),
    ]
    base = figures[search_speed.FULL_TEXT]
    return [
        Budget(
            f"p{share * 100:.0f} of a search, {name.strip('*')}, as a part of FTS5's",
            figures[name].at(share) / base.at(share),
            limit,
            "times",
        )
        for name, share, limit in limits
        if name in figures
    ]


def of_code(results: code_compared.Results) -> list[Budget]:
    """Of the questions that are asked of a graph or by name; where a setting is made, grep is ahead."""
    return [
        Budget(
            f"F1 of grep, {title}, as a part of ours",
            code_compared.mean_f1(results, code_compared.GREP, kind)
            / code_compared.mean_f1(results, code_compared.OURS, kind),
            1.02,
            "times",
        )
        for kind, title in code_compared.KINDS.items()
        if kind != "setting"
    ]


def of_packages(weights: package_sizes.Weights) -> list[Budget]:
    return [
        Budget("a function with its layers, unzipped", weights.whole, package_sizes.MOST, "MB"),
        Budget(
            "the largest archive but the embedder's, zipped", weights.largest_archive, package_sizes.ZIPPED / 2, "MB"
        ),
    ]


def table(budgets: list[Budget]) -> Table:
    rows = [
        [one.what, f"{one.measured:.3g}", f"{one.limit:g}", one.unit, "kept" if one.is_kept else "**broken**"]
        for one in budgets
    ]
    return Table("Budgets", "`make bench` fails when one is broken.", ["", "measured", "limit", "unit", ""], rows)
