"""Cold starts and warm calls of the same nine tools behind different servers."""

import sys
from pathlib import Path

from fresh_process import ROOT, Subject, in_turn, medians, quickest_runs
from messages import HANDSHAKE, STATELESS, call, list_request, refuse_an_error
from page import Table, times, us

OTHERS = ROOT / ".tools/bench/bin/python"
HERE = Path(sys.executable)

NOTHING = Subject("the interpreter alone", "idle", HERE)
TIME = Subject("**Almanac, time function**", "time_door", HERE, "time", on_lambda=True)
HUB = Subject("**Almanac, hub function**", "hub_door", HERE, "hub", on_lambda=True)
LAPTOP = Subject("Almanac, time function, on a laptop", "time_door", HERE, "time")
ENDPOINT = Subject("Almanac, MCP endpoint alone", "endpoint", HERE)
SDK = Subject("official SDK, `serve_one`", "sdk", HERE)
AWSLABS = Subject("awslabs.mcp-lambda-handler", "awslabs", OTHERS)
BARE = Subject("the tool as a plain function", "bare_tool", HERE)

COLD = (NOTHING, TIME, HUB, LAPTOP, SDK, AWSLABS)
WARM = (BARE, ENDPOINT, LAPTOP, TIME, HUB, SDK, AWSLABS)

Figures = dict[Subject, dict[str, float]]


def cold_starts(times_each: int) -> Figures:
    """Subject -> import_ms and first_call_ms of CPU, import_mb and called_mb of resident memory."""
    requests = dict.fromkeys(COLD, call(HANDSHAKE))
    in_turn("cold_start.py", requests, 1)  # writes bytecode
    runs = in_turn("cold_start.py", requests, times_each)
    for subject, each in runs.items():
        refuse_an_error(each[0]["answer"], subject.title)
    return {subject: medians(each) for subject, each in runs.items()}


def warm_calls(times_each: int) -> Figures:
    """Subject -> microseconds by request; a revision that a server does not speak is left out."""
    both = {
        f"{method} {revision}": request(revision)
        for method, request in (("call", call), ("list", list_request))
        for revision in (HANDSHAKE, STATELESS)
    }
    old = {name: request for name, request in both.items() if name.endswith(HANDSHAKE)}
    requests = dict.fromkeys(WARM, both) | {BARE: {f"call {HANDSHAKE}": call(HANDSHAKE)}, AWSLABS: old}
    measured: Figures = {}
    for subject, runs in in_turn("warm_calls.py", requests, times_each).items():
        best = quickest_runs(runs)
        for name, one in best.items():
            refuse_an_error(one["answer"], f"{subject.title}, {name}")
        measured[subject] = {name: one["us"] for name, one in best.items()}
    return measured


def cold_table(cold: Figures, times_each: int) -> Table:
    ours = cold[TIME]["import_ms"]
    rows = [
        [
            subject.title,
            f"{of['import_ms']:.0f}",
            "" if subject is NOTHING else times(of["import_ms"], ours),
            f"{of['import_mb']:.1f}",
            f"{of['first_call_ms']:.2f}",
            f"{of['called_mb']:.1f}",
        ]
        for subject, of in cold.items()
    ]
    return Table(
        "Cold start",
        f"Median of {times_each} fresh processes, bytecode present. CPU time of importing the handler and of "
        "the first `tools/call`; resident memory after each. The functions run as on Lambda, with Powertools.",
        ["nine time tools behind", "import, CPU ms", "of ours", "memory, MB", "first call, CPU ms", "memory then, MB"],
        rows,
    )


def warm_table(warm: Figures) -> Table:
    bare = warm[BARE][f"call {HANDSHAKE}"]
    names = [f"{method} {revision}" for method in ("call", "list") for revision in (HANDSHAKE, STATELESS)]
    rows = [
        [
            subject.title,
            *(us(of[name]) if name in of else "-" for name in names[:2]),
            "" if subject is BARE else us(of[names[0]] - bare),
            *(us(of[name]) if name in of else "-" for name in names[2:]),
        ]
        for subject, of in warm.items()
    ]
    return Table(
        "Warm calls",
        "Microseconds per request: the median of 2,000 calls, in the best of 5 processes. `tools/call` is "
        "`convert_timezone`; what it costs over the plain function is the server's. awslabs' handler validates nothing "
        "and speaks no 2026-07-28; "
        "its listing has no titles or annotations.",
        [
            "served by",
            f"`tools/call` {HANDSHAKE}",
            STATELESS,
            "over the function",
            f"`tools/list` {HANDSHAKE}",
            STATELESS,
        ],
        rows,
    )
